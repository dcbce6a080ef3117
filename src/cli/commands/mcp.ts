/** `transcripts mcp` */
import { guardStdout } from "../../mcp/guard-stdout.ts";
import { serveMcp } from "../../mcp/server.ts";
import { TOOL_DEFINITIONS } from "../../tools/definitions.ts";
import type { ToolDefinition } from "../../tools/tool.ts";
import { CliError, type CommandContext, type CommandOptions, type ExitCode } from "../command.ts";
import { text } from "../option-values.ts";

export async function run(
  context: CommandContext,
  _args: readonly string[],
  options: CommandOptions,
): Promise<ExitCode> {
  const { env, home, cwd, signal, stdin } = context;
  const tools = toolsNamed(text(options, "tools"));
  const hasEnded = await serveMcp({
    env,
    home,
    cwd,
    signal,
    tools,
    input: stdin,
    write: stdin === process.stdin ? guardStdout(process.stdout, process.stderr) : writerOf(context),
    onError: (message) => context.note(`transcripts mcp: ${message}`),
  });
  if (!hasEnded) {
    context.note("transcripts mcp: a call hangs and is given up");
    context.abandon();
  }
  return 0;
}

/** Where the output is not the process's own. */
function writerOf(context: CommandContext): (line: string) => Promise<void> {
  return async (line) => {
    await context.out(line);
    await context.flush();
  };
}

function toolsNamed(names: string | undefined): readonly ToolDefinition[] {
  if (names === undefined) return TOOL_DEFINITIONS;
  const wanted = names.split(",").map((name) => name.trim());
  const known = TOOL_DEFINITIONS.map(({ name }) => name);
  const stranger = wanted.find((name) => !known.includes(name));
  if (stranger === undefined) return TOOL_DEFINITIONS.filter(({ name }) => wanted.includes(name));
  throw new CliError(
    `--tools: there is no tool ${JSON.stringify(stranger)}.`,
    `Known are ${known.join(", ")}; put commas between them.`,
  );
}
