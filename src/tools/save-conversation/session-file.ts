import type { TranscriptFormat } from "../../transcript/paths.ts";
import { firstLine, type Digest } from "./digest.ts";

/** Longest part of a prompt or an answer that stands in the file, in characters. */
const MAX_QUOTE_CHARS = 1_500;
const MAX_ITEMS = 20;
const MAX_TITLE_CHARS = 100;

export interface SessionFileFacts {
  sessionID: string;
  digest: Digest;
  note: string | undefined;
  savedAt: Date;
  /** Absolute path of the transcript. */
  transcript: string;
  format: TranscriptFormat;
  /** Absolute paths of its other files: the other format, the subagents' transcripts. */
  otherFormat: string | undefined;
  subagents: readonly { sessionID: string; path: string }[];
}

/** The title of a saved session: the host's, or else what the user asked first. */
export function titleOf(digest: Digest): string {
  const title = digest.title ?? firstLine(digest.prompts[0] ?? "");
  const plain = title.replace(/\s+/g, " ").trim();
  return plain === "" ? "Untitled session" : cut(plain, MAX_TITLE_CHARS);
}

/** The markdown of a saved session. */
export function sessionFile(facts: SessionFileFacts): string {
  const { digest, note } = facts;
  const sections = [
    `# ${oneLine(titleOf(digest))}`,
    factsTable(facts),
    ...(note === undefined || note.trim() === "" ? [] : [`## Note\n\n${quoted(note.trim())}`]),
    `## Summary\n\n${summary(digest)}`,
    listSection("Files touched", digest.files.map(code)),
    listSection(
      "Errors",
      digest.failures.map(({ tool, error }) => `${code(tool)}: ${oneLine(cut(error, 300))}`),
      digest.failedCalls,
    ),
    listSection(
      "Subagents",
      facts.subagents.map(({ sessionID, path }) => `${code(sessionID)}: ${code(path)}`),
    ),
    `## Recall\n\n${recall(facts)}`,
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function factsTable(facts: SessionFileFacts): string {
  const { digest, savedAt, sessionID } = facts;
  const { tokens } = digest;
  const rows: [string, string][] = [
    ["Date", localDate(savedAt)],
    ["Time", localTime(savedAt)],
    ["Session ID", code(sessionID)],
    ...(digest.header?.parentID === undefined
      ? []
      : ([["Parent session", code(digest.header.parentID)]] satisfies [string, string][])),
    ["Duration", duration(digest)],
    [
      "Messages",
      `${digest.userMessages + digest.assistantMessages} (${digest.userMessages} user, ${digest.assistantMessages} assistant)`,
    ],
    ["Tool calls", `${digest.toolCalls} (${digest.failedCalls} failed)`],
    ...(digest.models.length === 0 ? [] : ([["Models", digest.models.map(code).join(", ")]] satisfies [string, string][])),
    [
      "Tokens",
      `${number(tokens.input)} in, ${number(tokens.output)} out, ${number(tokens.reasoning)} reasoning, ${number(tokens.cacheRead)} cache read, ${number(tokens.cacheWrite)} cache write`,
    ],
    ["Cost", digest.cost === undefined ? "unknown" : `$${digest.cost.toFixed(4)}`],
    ["Transcript", code(facts.transcript)],
    ...(facts.otherFormat === undefined ? [] : ([["Also as", code(facts.otherFormat)]] satisfies [string, string][])),
  ];
  return rows.map(([name, value]) => `- **${name}**: ${value}`).join("\n");
}

function summary(digest: Digest): string {
  const asked = digest.prompts.slice(0, MAX_ITEMS).map((prompt) => `- ${oneLine(cut(firstLine(prompt), 200))}`);
  const more = digest.prompts.length > MAX_ITEMS ? [`- and ${digest.prompts.length - MAX_ITEMS} more`] : [];
  const answer = digest.lastAnswer?.trim();
  return [
    "What the user asked:",
    [...asked, ...more].join("\n") || "- nothing in words",
    "Where it stands, in the assistant's last words:",
    answer === undefined || answer === "" ? "> The assistant has said nothing yet." : quoted(cut(answer, MAX_QUOTE_CHARS)),
  ].join("\n\n");
}

function listSection(title: string, items: readonly string[], total = items.length): string {
  if (items.length === 0) return "";
  const shown = items.slice(0, MAX_ITEMS).map((item) => `- ${item}`);
  const left = total - shown.length;
  return [`## ${title}`, "", ...shown, ...(left > 0 ? [`- and ${left} more`] : [])].join("\n");
}

/** Commands that run as they stand, from any folder. */
function recall({ transcript, format, digest }: SessionFileFacts): string {
  const file = shellQuoted(transcript);
  const word = shellQuoted(searchWord(digest));
  const [count, users] =
    format === "markdown"
      ? [String.raw`grep -c '## \[.*\] Tool Use:' ${file}`, String.raw`grep -A 5 '## \[.*\] User Message' ${file}`]
      : [`grep -c '^{"type":"tool_use"' ${file}`, `grep '^{"type":"user"' ${file}`];
  return [
    "```bash",
    "# View the whole transcript",
    `cat ${file}`,
    "",
    "# Search it (put your own words in)",
    `grep -n -i -F -e ${word} ${file}`,
    "",
    "# Count the tool calls",
    count,
    "",
    "# The user's messages only",
    users,
    "```",
  ].join("\n");
}

/** A word that stands in the transcript, for an example that finds something. */
function searchWord(digest: Digest): string {
  const words = (digest.prompts[0] ?? "").match(/[\p{L}\p{N}]{4,40}/gu) ?? [];
  return words.toSorted((a, b) => b.length - a.length)[0] ?? "User Message";
}

/** One word for a POSIX shell, whatever the text holds. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function duration({ firstTimestamp, lastTimestamp }: Digest): string {
  const ms = Date.parse(lastTimestamp ?? "") - Date.parse(firstTimestamp ?? "");
  if (!Number.isFinite(ms) || ms < 0) return "unknown";
  const seconds = Math.round(ms / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  const [hours = 0, minutes = 0, rest = 0] = parts;
  return [...(hours > 0 ? [`${hours} h`] : []), ...(hours > 0 || minutes > 0 ? [`${minutes} min`] : []), `${rest} s`].join(" ");
}

export function localDate(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function localTime(date: Date): string {
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}

function code(text: string): string {
  const plain = oneLine(text);
  return plain.includes("`") ? `\`\` ${plain} \`\`` : `\`${plain}\``;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function quoted(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}

function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars).replace(/[\ud800-\udbff]$/, "")}…`;
}
