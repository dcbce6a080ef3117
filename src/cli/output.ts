/** Prints JSON, and asks before something is lost. */
import type { CommandContext } from "./command.ts";
import { guardJson } from "../neutral-text.ts";
import { TranscriptsError } from "../transcripts-error.ts";

/** Prints one object, indented. */
export async function printObject(context: CommandContext, value: object): Promise<void> {
  await context.out(`${guardJson(JSON.stringify(value, null, 2))}\n`);
}

/** Prints one object on one line. */
export async function printLine(context: CommandContext, value: object): Promise<void> {
  await context.out(`${guardJson(JSON.stringify(value))}\n`);
}

/**
 * Resolves to whether the user said yes. `problem` names what will be lost. Throws without a terminal; scripts use
 * `--yes`.
 */
export async function confirmed(context: CommandContext, problem: string): Promise<boolean> {
  if (!context.isTerminal)
    throw new TranscriptsError(
      "bad_arguments",
      problem,
      "Standard input is not a terminal, so you cannot be asked: add --yes to confirm.",
    );
  context.note(`${problem} Type yes to continue:`);
  let answer = "";
  for await (const chunk of context.stdin) {
    answer += Buffer.from(chunk).toString();
    if (answer.includes("\n")) break;
  }
  return /^\s*y(?:es)?\s*$/i.test(answer);
}
