/** Formats the file of a saved session. */
import { shellQuoted } from "../../calls/shell-syntax.ts";
import { count, duration, localTime } from "../../quantities.ts";
import { neutralBlock, neutralLine, shortened } from "../../neutral-text.ts";
import type { TranscriptStats } from "../../parse/model.ts";
import type { TranscriptFormat } from "../../transcript/transcript-paths.ts";
import type { Digest } from "./conversation-digest.ts";

/** Maximum characters quoted from the host's summary, and from each of the assistant's texts. */
const MAX_QUOTE_CHARS = 1_500;
const MAX_ITEMS = 20;
const MAX_FILES = 50;
const MAX_TITLE_CHARS = 100;

const RECALL_NOTE =
  "The numbers above are from when this was saved; the transcript continues to grow with the session.";

export interface SubagentFacts {
  sessionID: string;
  /** Absolute path of its transcript; undefined if there is none. */
  path: string | undefined;
  title: string | null;
  /** Undefined without a transcript. */
  stats: TranscriptStats | undefined;
}

export interface SessionFileFacts {
  sessionID: string;
  digest: Digest;
  note: string | undefined;
  savedAt: Date;
  transcript: string;
  format: TranscriptFormat;
  /** Absolute path of the folder with its outputs and subagents, if there is one. */
  folder: string | undefined;
  /** All subagents at any depth, parents before their children. */
  subagents: readonly SubagentFacts[];
}

/** Returns the title of a saved session: the host's, or else the user's first prompt. */
export function savedTitle(digest: Digest): string {
  const plain = neutralLine(digest.title ?? firstLine(digest.prompts[0] ?? ""));
  return plain === "" ? "Untitled session" : shortened(plain, MAX_TITLE_CHARS);
}

export function sessionFile(facts: SessionFileFacts): string {
  const { digest, note } = facts;
  const sections = [
    `# ${savedTitle(digest)}`,
    factsList(facts),
    ...(note === undefined || note.trim() === "" ? [] : [`## Note\n\n${blockquote(note.trim())}`]),
    `## Summary\n\n${summary(digest)}`,
    listSection("Files touched", digest.files.map(touchedFile), MAX_FILES),
    listSection("Errors", digest.errors.map(errorLine), MAX_ITEMS, digest.errorCount),
    listSection("Subagents", facts.subagents.map(subagentLine), MAX_FILES),
  ];
  // The commands need the real file names in order to run.
  const recall = `## Recall\n\n${RECALL_NOTE}\n\n${recallCommands(facts)}`;
  return `${[...sections.filter((section) => section !== "").map(neutralBlock), recall].join("\n\n")}\n`;
}

function factsList(facts: SessionFileFacts): string {
  const { digest, savedAt, sessionID } = facts;
  const { stats, userMessages, models, parentID, missing } = digest;
  const { assistant_messages: answers, tool_use_count: calls, tool_error_count: failed } = stats;
  const rows: [name: string, value: string | undefined][] = [
    ["Date", localTime(savedAt).slice(0, 10)],
    ["Time", `${localTime(savedAt).slice(11)} (UTC${offsetOf(savedAt)})`],
    ["Session ID", code(sessionID)],
    ["Parent session", parentID === null ? undefined : code(parentID)],
    ["Duration", duration(stats.duration_ms)],
    ["Messages", `${userMessages + answers} (${userMessages} user, ${answers} assistant)`],
    ["Tool calls", `${calls} (${failed} failed)`],
    ["Models", models.length === 0 ? undefined : models.map(code).join(", ")],
    ["Tokens", tokens(digest)],
    ["Cost", cost(facts)],
    ["Transcript", code(facts.transcript)],
    [
      "Incomplete",
      missing === 0 ? undefined : `${missing} entries or places of the transcript could not be written or read`,
    ],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [`- **${name}**: ${value}`])).join("\n");
}

function tokens({ stats, reasoningTokens: reasoning }: Digest): string {
  const kinds: [string, number][] = [
    ["in", stats.tokens_in],
    ["out", stats.tokens_out - reasoning],
    ["reasoning", reasoning],
    ["cache read", stats.cache_read],
    ["cache write", stats.cache_write],
  ];
  return kinds.map(([name, number]) => `${count(number)} ${name}`).join(", ");
}

function cost({ digest: { stats }, subagents }: SessionFileFacts): string {
  const { cost_estimate_usd: own } = stats;
  if (own === null) return "unknown";
  const family = [stats, ...subagents.flatMap((subagent) => subagent.stats ?? [])];
  const sum = family.reduce((total, { cost_estimate_usd: each }) => total + (each ?? 0), 0);
  const all = subagents.length === 0 ? "" : `, with subagents $${sum.toFixed(4)}`;
  const isEstimate = family.some(({ cost_is_estimate: isEach }) => isEach);
  const note = isEstimate ? " (estimate: some was recorded as 0, as with a subscription)" : "";
  return `$${own.toFixed(4)}${all}${note}`;
}

function summary({ prompts, promptCount, lastTexts, hostSummary }: Digest): string {
  const asked = prompts.slice(0, MAX_ITEMS).map((prompt) => `- ${neutralLine(shortened(firstLine(prompt), 200))}`);
  const said = lastTexts.map((text) => shortened(text.trim(), MAX_QUOTE_CHARS)).filter((text) => text !== "");
  const blocks = [
    "What the user asked:",
    [...asked, ...moreThan(asked.length, promptCount)].join("\n") || "- nothing in words",
    ...(hostSummary === null || hostSummary.trim() === ""
      ? []
      : ["The summary of the last compaction:", blockquote(shortened(hostSummary.trim(), MAX_QUOTE_CHARS))]),
    "The assistant's last words:",
    blockquote(said.length === 0 ? "The assistant has said nothing yet." : said.join("\n\n")),
  ];
  return blocks.join("\n\n");
}

function touchedFile({ path, changed }: Digest["files"][number]): string {
  return `${code(path)} (${changed ? "changed" : "read"})`;
}

function errorLine({ source, message }: Digest["errors"][number]): string {
  return `${code(source)}: ${neutralLine(shortened(firstLine(message), 300))}`;
}

function subagentLine({ sessionID, path, title }: SubagentFacts): string {
  const name = title === null ? "" : ` ${neutralLine(shortened(title, MAX_TITLE_CHARS))}`;
  return `${code(sessionID)}${name}: ${path === undefined ? "no transcript" : code(path)}`;
}

function listSection(title: string, items: readonly string[], max: number, total = items.length): string {
  if (items.length === 0) return "";
  const shown = items.slice(0, max).map((item) => `- ${item}`);
  return [`## ${title}`, "", ...shown, ...moreThan(shown.length, total)].join("\n");
}

function moreThan(shown: number, total: number): string[] {
  return total > shown ? [`- and ${total - shown} more`] : [];
}

/** Returns a fenced block of POSIX shell commands that can be run unchanged from any folder. */
function recallCommands({ transcript, format, folder, digest }: SessionFileFacts): string {
  const file = shellQuoted(transcript);
  const word = shellQuoted(searchWord(format, digest.prompts[0]));
  const [count, users] =
    format === "markdown"
      ? [String.raw`grep -c '## \[.*\] Tool Use:' ${file}`, String.raw`grep -A 5 '## \[.*\] User Message' ${file}`]
      : [`grep -c '^{"type":"tool_use"' ${file}`, `grep '^{"type":"user"' ${file}`];
  const commands = [
    ["View the whole transcript", `cat ${file}`],
    ["Search it (put your own words in)", `grep -n -i -F -e ${word} ${file}`],
    ...(folder === undefined
      ? []
      : [
          [
            "Search its long outputs and its subagents too",
            `grep -r -n -i -F -e ${word} ${file} ${shellQuoted(folder)}`,
          ],
        ]),
    ["Count the tool calls", count],
    ["The user's messages only", users],
  ];
  return ["```bash", commands.map(([what, command]) => `# ${what}\n${command}`).join("\n\n"), "```"].join("\n");
}

/** Returns a word that occurs in the transcript, so that the example finds something. */
function searchWord(format: TranscriptFormat, prompt = ""): string {
  const words = prompt.match(/[\p{L}\p{N}]{4,40}/gu) ?? [];
  const [longest] = words.toSorted((a, b) => b.length - a.length);
  return longest ?? (format === "markdown" ? "Assistant Message" : '"type":"assistant"');
}

/** Returns `+01:00`. */
function offsetOf(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
}

/** Returns a code span. Line breaks become spaces; everything else is unchanged. */
export function code(text: string): string {
  const plain = text.replace(/[\r\n]+/g, " ");
  const ticks = plain.match(/`+/g) ?? [];
  if (ticks.length === 0) return `\`${plain}\``;
  const fence = "`".repeat(Math.max(...ticks.map((run) => run.length)) + 1);
  return `${fence} ${plain} ${fence}`;
}

/** Returns the first line with words. */
export function firstLine(text: string): string {
  return text.trim().split(/[\r\n]/, 1)[0] ?? "";
}

export function blockquote(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}
