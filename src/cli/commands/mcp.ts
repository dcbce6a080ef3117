/** `transcripts mcp` */
import { Writable } from "node:stream";
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
  const { env, home, cwd, signal } = context;
  const tools = toolsNamed(text(options, "tools"));
  const hasEnded = await serveMcp({
    env,
    home,
    cwd,
    signal,
    tools,
    input: process.stdin,
    output: guardedOutput(process.stdout, process.stderr),
    onError: (message) => context.note(`transcripts mcp: ${message}`),
  });
  if (!hasEnded) {
    context.note("transcripts mcp: a call hangs and is given up");
    context.abandon();
  }
  return 0;
}

/**
 * Keeps the protocol alone on standard output: from now on what anything in this process prints goes to standard error,
 * and only the stream that is returned writes to standard output.
 */
function guardedOutput(stdout: Writable, stderr: Writable): Writable {
  // Bound right below, before it is replaced.
  // oxlint-disable-next-line typescript/unbound-method
  const { write } = stdout;
  Reflect.set(stdout, "write", stderr.write.bind(stderr));
  // A failed write is told to its callback; without a listener the event would end the process with a stack trace.
  stdout.on("error", () => undefined);
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => void write.call(stdout, chunk, "utf8", (error) => done(error ?? null)),
  });
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
