/** `transcripts completion` */
import type { CommandContext, ExitCode } from "../command.ts";
import { bashScript, fishScript, zshScript } from "../completion-scripts.ts";
import { DEFINITIONS } from "../definitions.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export async function run(context: CommandContext, [shell]: readonly string[]): Promise<ExitCode> {
  if (shell !== "bash" && shell !== "zsh" && shell !== "fish") return 2;
  await context.out(SCRIPTS[shell](DEFINITIONS));
  return 0;
}
