/** Turns a tool's definition and its work into a call that always answers. */
import { storeArchive } from "../queries/stored-archive.ts";
import { readArguments } from "./arguments.ts";
import { failure } from "./failure.ts";
import type { ArgumentShape, ToolAnswer, ToolArguments, ToolContext, ToolDefinition, ToolExecute } from "./tool.ts";
import { createRedactor } from "../redact/redactor.ts";

/**
 * Returns the call: it reads the arguments, does the work, and answers failures in words that a model can act on.
 * `work` may throw one of our own errors, or anything else. No answer contains a secret.
 */
export function execution<Shape extends ArgumentShape>(
  definition: ToolDefinition<Shape>,
  work: (given: ToolArguments<Shape>, context: ToolContext) => Promise<ToolAnswer>,
): ToolExecute {
  return async (raw, given) => {
    const { name } = definition;
    const archive = storeArchive(given.where, { open: () => given.openStore(), signal: given.signal });
    const context = { ...given, where: { ...given.where, archive } };
    const answer = await answered(name, () => work(readArguments(definition, raw), context), context.signal);
    return answered(name, () => withoutSecrets(answer), context.signal);
  };
}

async function answered(tool: string, work: () => Promise<ToolAnswer>, signal: AbortSignal): Promise<ToolAnswer> {
  try {
    signal.throwIfAborted();
    const answer = await work();
    signal.throwIfAborted();
    return answer;
  } catch (error) {
    signal.throwIfAborted();
    return failure(tool, error);
  }
}

/**
 * Returns the answer with each secret replaced by `[REDACTED:kind]`. Session text was redacted before it was cut to size;
 * this covers the rest, such as paths, names and ids, and what a message repeats from the call. Redacting twice changes
 * nothing, and answers are short. Rejects if no redactor can be created: nothing is answered unredacted.
 */
async function withoutSecrets(answer: ToolAnswer): Promise<ToolAnswer> {
  const [redacted] = await createRedactor().redact([{ text: answer.text }]);
  return { ...answer, text: redacted?.text ?? "" };
}
