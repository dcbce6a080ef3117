/** `transcripts mcp` */
import { Writable } from "node:stream";
import { serveMcp } from "../../tools/mcp-server.ts";
import { TOOL_DEFINITIONS } from "../../tools/tool-definitions.ts";
import type { ToolDefinition } from "../../tools/tool.ts";
import { createCommand, runnable } from "../command.ts";
import { badArguments } from "../context.ts";

const definition = createCommand("mcp", {
  summary: "Serves the sessions on this machine to agents, over MCP on standard input and output.",
  description:
    "Started and stopped by an MCP client. Tools: find_in_transcripts, read_session, list_sessions, list_errors, find_fixes, extract_snippet, query_snippets. " +
    "Passwords, keys and tokens become [REDACTED:kind] in all answers.",
  examples: {
    "transcripts mcp": "Serves until the client disconnects.",
    "transcripts mcp --tools find_in_transcripts,read_session": "Offers two tools.",
  },
}).option("--tools <names>", "Offers only these tools, separated by commas. Default: all.");

export const command = runnable(definition, async (context, _args, options) => {
  const { env, home, cwd, signal } = context;
  const tools = toolsNamed(options.tools);
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
    context.note("transcripts mcp: abandoned a call that hangs");
    context.abandon();
  }
  return 0;
});

/**
 * Reserves standard output for the protocol: all other output of this process goes to standard error, and only the returned
 * stream writes to standard output.
 */
function guardedOutput(stdout: Writable, stderr: Writable): Writable {
  // Bound below, before it is replaced.
  // oxlint-disable-next-line typescript/unbound-method
  const { write } = stdout;
  Reflect.set(stdout, "write", stderr.write.bind(stderr));
  // The callback of a write gets its error; without a listener the event would end the process with a stack trace.
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
  throw badArguments(
    `--tools: there is no tool ${JSON.stringify(stranger)}.`,
    `Use ${known.join(", ")}, separated by commas.`,
  );
}
