/** `transcripts mcp` */
import { serveMcp } from "../../tools/mcp-server.ts";
import { createCommand, runnable } from "../command.ts";

const definition = createCommand("mcp", {
  description:
    "An MCP client starts and stops it. Tools: find_in_transcripts, read_session, list_sessions, list_errors, find_fixes, extract_snippet, query_snippets. " +
    "Passwords, keys and tokens become [REDACTED:kind] in all answers.",
  examples: {
    "transcripts mcp": "Serves until the client disconnects.",
  },
});

export const command = runnable(definition, async (context) => {
  const { env, home, cwd, signal } = context;
  await serveMcp({
    env,
    home,
    cwd,
    signal,
    input: process.stdin,
    output: process.stdout,
    onError: (message) => context.note(`transcripts mcp: ${message}`),
  });
  return 0;
});
