/** Parts of a markdown transcript, shared by its encoder and its readers. */
import type { TranscriptEntry } from "./entry-types.ts";

export const JSONL_FORMAT = "opencode-transcripts/jsonl";
export const FORMAT_VERSION = 1;

export const TITLE_START = "# Transcript: ";
export const ENTRY_COMMENT = "<!-- id ";
export const HEADER_COMMENT = "<!-- transcript ";
export const COMMENT_END = " -->";
/** End of a section, after the comment. A section without it was not written completely. */
export const SECTION_END = "\n\n---\n\n";
export const TRUNCATED = "\n... (truncated)";

export const CALL_ID_LABEL = "**Call ID**: ";
export const TITLE_LABEL = "**Title**: ";

/** Lines above fences, with what the fences contain. */
export const FENCE_LABELS: Readonly<Record<string, "input" | "output" | "data" | "text">> = {
  "### Input": "input",
  "### Output": "output",
  "### Data": "data",
  "### Diff": "text",
  "### Added by the host": "text",
};

/** Returns whether a line may be between two sections. */
export function isFiller(line: string): boolean {
  return ["", "---"].includes(line.trim());
}

/** Layout of an entry type, for the encoder, the reader and the escapes. */
export interface Layout {
  /** Beginning of its heading; a heading of a call that failed has the second one. */
  headings: readonly [string, failed?: string];
  /** Field shown in the heading, after a colon. */
  name?: "tool" | "name";
  /**
   * Name of the session event as which an entry that replaces an earlier one is shown, so that counting the headings of
   * calls and results counts each once.
   */
  replacementName?: string;
  /** Field shown as it is after the heading, before all lines and fences. */
  text?: "content" | "text";
  /** Comment fields whose values refer to texts of the section, each with the field of the entry. */
  references?: Readonly<Record<string, string>>;
}

const SESSION_EVENT = "Session Event";

export const LAYOUTS: Readonly<Record<TranscriptEntry["type"], Layout>> = {
  user: { headings: ["User Message"], text: "content", references: { parts: "parts" } },
  assistant: { headings: ["Assistant Message"], text: "content" },
  reasoning: { headings: ["Reasoning"], text: "content" },
  tool_use: {
    headings: ["Tool Use"],
    name: "tool",
    replacementName: "corrected call",
  },
  tool_result: {
    headings: ["Tool Result", "Tool Error"],
    name: "tool",
    replacementName: "late result",
    references: { input: "input", metadata: "metadata" },
  },
  session_event: {
    headings: [SESSION_EVENT],
    name: "name",
    text: "text",
    references: { told: "data" },
  },
};

/** Pattern for the beginnings of all headings, up to the colon. */
const HEADING_KINDS = Object.values(LAYOUTS)
  .flatMap(({ headings, name }) => headings.map((kind) => (name === undefined ? kind : `${kind}:`)))
  .join("|");

/**
 * Pattern for a section's heading anywhere, since encoded text contains none. The length before the kind is bounded, so
 * that a search takes linear time on any text.
 */
const HEADING = String.raw`## \[[\w:.+-]{0,40}\] (?:${HEADING_KINDS.replaceAll(":", ": ")})`;
const SECTION_START = "## [";
/** Number of bytes that identify a heading. */
const MAX_HEADING_BYTES = 1_000;
export const STARTS_WITH_HEADING = new RegExp(`^${HEADING}`);

const TYPES: ReadonlyMap<string, TranscriptEntry["type"]> = new Map(
  (["user", "assistant", "reasoning", "tool_use", "tool_result", "session_event"] as const).flatMap((type) =>
    LAYOUTS[type].headings.flatMap((heading) => (heading === undefined ? [] : [[heading, type] as const])),
  ),
);

const USAGE_LINE = /^\*\[([\w:.+-]{0,40})\] ([^*]*)\*\r?$/;
const USAGE_START = "*[";

/** Returns the section of a usage event without its comment: one quiet line, because there are many. */
export function usageLine(timestamp: string, text: string): string {
  return `${USAGE_START}${timestamp}] ${text}*`;
}

export function usageLineIn(line: string): { timestamp: string; text: string } | undefined {
  const [, timestamp, text] = line.startsWith(USAGE_START) ? (USAGE_LINE.exec(line) ?? []) : [];
  return timestamp === undefined || text === undefined ? undefined : { timestamp, text };
}

/** Returns where the section begins that ends with these bytes. */
export function sectionStart(bytes: Buffer): number | undefined {
  return headingAt(bytes) ?? usageLineAt(bytes);
}

/** Returns the position of the last heading. Encoded text contains none. */
export function headingAt(bytes: Buffer): number | undefined {
  let at = bytes.lastIndexOf(SECTION_START);
  // Its name may be longer, and may be cut within a character.
  while (at !== -1 && !STARTS_WITH_HEADING.test(bytes.toString("latin1", at, at + MAX_HEADING_BYTES)))
    at = at === 0 ? -1 : bytes.lastIndexOf(SECTION_START, at - 1);
  return at === -1 ? undefined : at;
}

/** Returns the position of the line of a usage event, which is the last one of a section without a heading. */
function usageLineAt(bytes: Buffer): number | undefined {
  const at = bytes.lastIndexOf(USAGE_START);
  const isLine = at === 0 || bytes.toString("latin1", at - 1, at) === "\n";
  return at !== -1 && isLine && usageLineIn(bytes.toString("utf8", at).trimEnd()) ? at : undefined;
}

/** Parts of a heading. */
export interface Heading {
  timestamp: string;
  kind: string;
  /** Undefined for a heading of another version. */
  type: TranscriptEntry["type"] | undefined;
  /** The text after the colon. */
  name: string | undefined;
}

/** Reads the heading at the beginning of a section, or the line of a usage event, which has none. */
export function headingOf(section: string): Heading | undefined {
  const usage = usageLineIn(/^.*/.exec(section)?.[0] ?? "");
  if (usage) return { timestamp: usage.timestamp, kind: SESSION_EVENT, type: "session_event", name: "usage" };
  const [, timestamp, kind, name] = /^## \[([^\]\n]*)\] ([^:\r\n]*)(?:: ([^\r\n]*))?/.exec(section) ?? [];
  if (timestamp === undefined || kind === undefined) return undefined;
  return { timestamp, kind, type: TYPES.get(kind), name };
}

/**
 * Returns a fenced block, with a fence longer than every run of backticks inside. `text` must be encoded, so that its line
 * breaks are `\n` and `\r\n` only.
 */
export function fenced(text: string, info = ""): string {
  const fence = fenceFor(text);
  return `${fence}${info}\n${text}\n${fence}`;
}

function fenceFor(text: string): string {
  let longest = 2;
  if (text.includes("```")) {
    for (const run of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run[0].length);
  }
  return "`".repeat(longest + 1);
}

/**
 * Returns the content and start of the fenced block at the end of `text`, if there is one. Searches from the end, because
 * the text before the block is arbitrary and the fence does not occur inside the block.
 */
export function fenceAtEnd(text: string): { content: string; start: number } | undefined {
  const closing = text.slice(text.lastIndexOf("\n") + 1);
  if (!/^`{3,}$/.test(closing)) return undefined;
  const contentEnd = text.length - closing.length - 1;
  const before = text.lastIndexOf(`\n${closing}`, contentEnd - closing.length - 1);
  if (before === -1 && !text.startsWith(closing)) return undefined;
  const start = before + 1;
  const infoEnd = text.indexOf("\n", start);
  const info = text.slice(start + closing.length, infoEnd);
  if (infoEnd === -1 || infoEnd > contentEnd || !/^[a-z]*$/.test(info)) return undefined;
  return { content: text.slice(infoEnd + 1, Math.max(contentEnd, infoEnd + 1)), start };
}
