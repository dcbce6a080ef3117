/** What this program itself has brought into a session: a search must not find what an earlier search printed. */

/**
 * The tools that print sessions or take what was said in them, by themselves or as some server's:
 * `mcp__transcripts__read_session`.
 */
const OWN_TOOL =
  /(?:^|[^a-z0-9])(?:find_in_transcripts|read_session|list_sessions|list_errors|query_snippets|extract_snippet)$/i;

/**
 * A shell line that runs `transcripts` with a command that prints sessions: at the beginning of a command, by its path
 * too, after words like `npx` and after variables. Lengths are bounded, so that no text takes long to look through.
 */
const OWN_COMMAND = new RegExp(
  [
    String.raw`(?:^|[\n;&|(\`{!]|\$\()\s*`,
    String.raw`(?:\w{1,100}=\S{0,1000}\s+)*`,
    String.raw`(?:(?:${[
      "npx|bunx|pnpx|pnpm|yarn|npm|bun|deno|node|exec|dlx|sudo|doas|time|nohup|nice|stdbuf|command|env|run|x",
      "if|then|else|while|until|do|--|-\\S{1,200}",
      "xargs|timeout|\\d+(?:\\.\\d+)?[smhd]?",
      // The package, where the program is named after it: npx -p opencode-transcripts transcripts find.
      "opencode-transcripts(?:@\\S{1,100})?",
    ].join("|")})\s+)*`,
    String.raw`["']?(?:`,
    String.raw`(?:[^\s"'|;&]{0,1000}[/\\])?(?:opencode-)?transcripts(?:@[\w.^~-]{1,100}|\.(?:js|ts|cmd|exe|ps1))?`,
    String.raw`|[^\s"'|;&]{0,1000}opencode-transcripts[/\\](?:dist|src)[/\\]cli[/\\]main\.[jt]s`,
    String.raw`)["']?\s+`,
    String.raw`(?:-\S+\s+)*(?:find|show|list|entries|errors|timeline|tail|stats|export|snippets)\b`,
  ].join(""),
  "i",
);

/** Fields in which tools for shells take the command. */
const COMMAND_FIELDS = new Set(["command", "cmd", "script"]);

/** Whether a call asks this program for what stands in sessions. Neither its input nor its result is conversation. */
export function isOwnRecall(toolName: string | null, input: unknown): boolean {
  if (toolName !== null && OWN_TOOL.test(toolName)) return true;
  return commandsIn(input).some((command) => /transcripts/i.test(command) && OWN_COMMAND.test(command));
}

function commandsIn(input: unknown): string[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [];
  return Object.entries(input).flatMap(([key, value]: [string, unknown]) => {
    if (!COMMAND_FIELDS.has(key)) return [];
    if (typeof value === "string") return [value];
    // As a list of words: the program, or a shell and its script.
    return Array.isArray(value) ? [value.join(" "), ...value.map(String)] : [];
  });
}
