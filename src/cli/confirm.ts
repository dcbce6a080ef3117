/** Asking before something is lost. */
import { CliError, type CommandContext } from "./command.ts";

/**
 * Resolves to whether the user said yes. `problem` says what will be lost. Where nobody can answer, it throws: scripts
 * say `--yes`.
 */
export async function confirmed(context: CommandContext, problem: string): Promise<boolean> {
  if (!context.isTerminal) throw new CliError(problem, "Nobody can be asked here: add --yes if this is what you want.");
  context.note(`${problem} Type yes to go on:`);
  let answer = "";
  for await (const chunk of context.stdin) {
    answer += Buffer.from(chunk).toString();
    if (answer.includes("\n")) break;
  }
  return /^\s*y(?:es)?\s*$/i.test(answer);
}
