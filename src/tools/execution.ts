/** From a definition and its work to a call that always answers. */
import { readArguments } from "./arguments.ts";
import { failure } from "./failure.ts";
import type { ArgumentShape, ToolAnswer, ToolArguments, ToolContext, ToolDefinition, ToolExecute } from "./tool.ts";
import { withoutSecrets } from "./without-secrets.ts";

/**
 * The call: reads the arguments, does the work, and answers failures in words that a model can act on. What `work`
 * throws may be one of our own errors, or anything. No answer leaves it with a secret.
 */
export function execution<Shape extends ArgumentShape>(
  definition: ToolDefinition<Shape>,
  work: (given: ToolArguments<Shape>, context: ToolContext) => Promise<ToolAnswer>,
): ToolExecute {
  return async (raw, context) => {
    const { name } = definition;
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
