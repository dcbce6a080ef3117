import type { CommandContext, ExitCode } from "../command.ts";
export async function run(_: CommandContext): Promise<ExitCode> { return 0; }
