/** Detects this program's own output in a session, so that a search does not find what an earlier search printed. */
import { shellLineOf } from "./ending.ts";

/** Matches the tools that print or take session text, as names of their own or of a server with any name. */
const OWN_TOOL = /(?:^|[^a-z0-9])(?:find_in_transcripts|find_fixes|query_snippets|extract_snippet)$/i;
/** Matches tools whose names other servers have too: `mcp__sentry__list_errors`. */
const COMMON_TOOL = /^(?:.*transcripts[^a-z0-9]+)?(?:read_session|list_sessions|list_errors)$/i;

/** Where a command begins: a line, an operator, a bracket, or the script of `bash -c`. */
const START = String.raw`(?:^|[\n;|&(\u0060{]|-[a-z]{0,3}c ["'])`;
/** Words before the program: assignments, options, durations, and programs that start others. */
const BEFORE = String.raw`\s{0,20}(?:(?:\w{1,100}=\S{0,200}|-\S{1,200}|[\d.]{1,9}[smhd]?|\{\}|!|npx|bunx|pnpx|pnpm|yarn|npm|bun|uv|node|deno|dlx|exec|run|x|xargs|sudo|env|time|timeout|gtimeout|nice|nohup|eval|command|watch|if|then|else|while|until|do)\s{1,20}){0,20}`;
const PROGRAM = String.raw`["']?[^\s"'|;&()]{0,300}?(?:(?<![\w.-])(?:opencode-)?transcripts(?:@[\w.^~-]{1,100}|\.(?:js|ts|cmd|exe|ps1))?|opencode-transcripts[/\\]\S{0,100}cli[/\\]main\.[jt]s)["']?`;
const COMMAND = String.raw`\s{1,20}["']?(?:find|show|list|entries|errors|fixes|timeline|tail|stats|changes|export|snippets)(?![\w./-])`;
/**
 * Matches a command line that prints session text. An expression, not a shell: it misses a program whose name is
 * computed, and takes a line of a heredoc for a command.
 */
const OWN_COMMAND = new RegExp(START + BEFORE + PROGRAM + COMMAND);

/** Returns whether a call asks this program for session text. Its input and result are then not conversation. */
export function isOwnRecall(toolName: string | null, input: unknown): boolean {
  if (toolName !== null && (OWN_TOOL.test(toolName) || COMMON_TOOL.test(toolName))) return true;
  const line = shellLineOf(input);
  return line !== null && line.includes("transcripts") && OWN_COMMAND.test(line);
}
