/**
 * Suggests snippets for a session: passages that evidence shows are worth keeping, as redacted text with their place.
 */
import { isPrompt } from "../parse/turns.ts";
import { type ReadMessage, readTranscript } from "../parse/read-transcript.ts";
import { TimeSpan } from "../parse/times.ts";
import { correlateToolCalls } from "../parse/tool-calls.ts";
import { redactJson } from "../redact/redact-json.ts";
import { createRedactor, type Redactor } from "../redact/redactor.ts";
import { type OpenOptions, openReadable } from "../sessions/open-session.ts";
import { readingOptions } from "../sessions/reading-options.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import { MIN_CONTENT_BYTES, type SnippetType } from "../store/stored-model.ts";
import { headingOf, sectionText } from "./excerpt.ts";
import { type KeptText, type Piece, piecesOf, redactPieces } from "./section.ts";
import {
  type Candidate,
  citedIn,
  type ConversationRows,
  cutTitle,
  type Evidence,
  type EvidenceRole,
  worthKeeping,
} from "./worth-keeping.ts";

export interface SnippetSuggestion {
  snippet_type: SnippetType;
  title: string;
  /** The evidence as text, with the line of each entry; redacted, 100 bytes to 10 KB. */
  content: string;
  /** Lines of the session's file. */
  line_start: number;
  line_end: number;
  from: string | null;
  to: string | null;
  entries: string[];
  /** Role of each entry, in the order of `content`. */
  evidence: { line: number; role: EvidenceRole }[];
  /** Between 0.7 and 1. */
  score: number;
  reason: string;
}

export interface SuggestOptions {
  /** Default: the package's own redactor. */
  redactor?: Redactor;
  /** File for the citation. */
  file?: string | null;
  /** Maximum number of suggestions: those with the highest scores. Default 8. */
  limit?: number;
}

const DEFAULT_LIMIT = 8;
/** Longer texts are cut. */
const MAX_TEXT_BYTES = 32_768;
/** Number of characters analysed together. */
const PART_CHARS = 8 * 1024 * 1024;
/** A part without a prompt ends at this multiple of `PART_CHARS`. */
const LONGEST_PART = 2;
/** Estimated overhead of a block in characters. */
const BLOCK_CHARS = 600;
/** Maximum characters shown of what a person reacted to. */
const CONTEXT_CHARS = 600;
/** A longer output is reduced to the line that matters, with context before and after it. */
const FOCUSED_CHARS = 1_600;
const BEFORE_FOCUS = 500;
const AFTER_FOCUS = 1_000;

/**
 * Returns the suggestions for a session on this machine, in the order of their lines. The same session gives the same
 * suggestions; `reason` names the rule, and no model is involved. Memory does not grow with the session: a large one is
 * read in parts that end before a prompt, and an error whose fix is in the next part is not found. Rejects with a
 * `TranscriptsError` if the session cannot be read.
 */
export async function suggestForSession(
  ref: SessionRef,
  options: Omit<SuggestOptions, "file"> &
    Pick<OpenOptions, "stdin"> & { signal?: AbortSignal | undefined; partChars?: number } = {},
): Promise<SnippetSuggestion[]> {
  const { stdin, signal, partChars = PART_CHARS, redactor = createRedactor(), limit = DEFAULT_LIMIT } = options;
  const reader = readTranscript(ref.id, openReadable(ref, { stdin }), {
    ...(await readingOptions(ref, { signal })),
    pricing: "flat",
    maxInlineContentBytes: MAX_TEXT_BYTES,
  });
  const about = { session_id: ref.id, file: ref.path ?? ref.database, redactor, limit };
  let best: SnippetSuggestion[] = [];
  let part: ReadMessage[] = [];
  let chars = 0;
  for await (const read of reader) {
    const isTurn = isPrompt(read.message) && !read.message.is_sidechain;
    if (chars >= partChars * (isTurn ? 1 : LONGEST_PART)) {
      best = await bestOf(best, rowsOf(part), about);
      part = [];
      chars = 0;
    }
    part.push(read);
    chars += sizeOf(read);
  }
  signal?.throwIfAborted();
  return byLine(await bestOf(best, rowsOf(part), about));
}

/** Like `suggestForSession`, for a session that is already parsed. */
export async function suggestSnippets(
  result: ConversationRows & { session_id: string },
  { redactor = createRedactor(), file = null, limit = DEFAULT_LIMIT }: SuggestOptions = {},
): Promise<SnippetSuggestion[]> {
  return byLine(await bestOf([], result, { session_id: result.session_id, file, redactor, limit }));
}

function rowsOf(part: readonly ReadMessage[]): ConversationRows {
  // An amended message comes again in full.
  const messages = [...new Map(part.map(({ message }) => [message.id, message])).values()];
  const content_blocks = part.flatMap(({ blocks }) => blocks);
  return { messages, content_blocks, tool_calls: correlateToolCalls(messages, content_blocks) };
}

function sizeOf({ blocks }: ReadMessage): number {
  let chars = 0;
  for (const { content_text, thinking_text, result_text, tool_input } of blocks) {
    chars += BLOCK_CHARS;
    for (const text of [content_text, thinking_text, result_text, ...Object.values(Object(tool_input))])
      if (typeof text === "string") chars += text.length;
  }
  return chars;
}

interface About {
  session_id: string;
  file: string | null;
  redactor: Redactor;
  limit: number;
}

async function bestOf(
  earlier: readonly SnippetSuggestion[],
  rows: ConversationRows,
  about: About,
): Promise<SnippetSuggestion[]> {
  const found: SnippetSuggestion[] = [];
  for (const candidate of worthKeeping(rows).slice(0, about.limit)) {
    const suggestion = await suggestionOf(candidate, about);
    if (Buffer.byteLength(suggestion.content) >= MIN_CONTENT_BYTES) found.push(suggestion);
  }
  const sorted = [...earlier, ...found].toSorted((a, b) => b.score - a.score || a.line_start - b.line_start);
  // Repeated suggestions count once.
  const distinct = new Map(sorted.toReversed().map((suggestion) => [suggestion.title, suggestion]));
  return sorted.filter((suggestion) => distinct.get(suggestion.title) === suggestion).slice(0, about.limit);
}

function byLine(suggestions: readonly SnippetSuggestion[]): SnippetSuggestion[] {
  return suggestions.toSorted((a, b) => a.line_start - b.line_start || a.line_end - b.line_end);
}

async function suggestionOf(candidate: Candidate, { session_id, file, redactor }: About): Promise<SnippetSuggestion> {
  const toolNames = new Map<string, string>();
  const shown = candidate.evidence.flatMap((evidence) =>
    piecesOf(evidence.said.message, [evidence.said.block], toolNames).map((raw) => ({ evidence, raw })),
  );
  const redacted = await redactPieces(
    redactor,
    shown.map(({ raw }) => raw),
  );
  const pieces = redacted.map((piece, at) => fitted(piece, shown[at]?.evidence));
  const said = citedIn(candidate);
  const times = new TimeSpan();
  for (const { message } of said) if (message.timestamp !== null) times.add(message.timestamp);
  const lines = said.map(({ block }) => block.line_number);
  const place = { line_start: Math.min(...lines), line_end: Math.max(...lines), from: times.first, to: times.last };
  const [title] = await redactJson(redactor, [candidate.title]);
  return {
    snippet_type: candidate.snippet_type,
    title: cutTitle(String(title?.value)),
    content: sectionText(headingOf({ session_id, file, ...place }), pieces).text,
    ...place,
    entries: [...new Set(pieces.flatMap(({ entry }) => (entry === null ? [] : [entry])))],
    evidence: shown.map(({ evidence: { role }, raw }) => ({ line: raw.line, role })),
    score: candidate.score,
    reason: candidate.reason,
  };
}

/** Shortens context, and reduces a long output to the lines around the one that matters. */
function fitted(piece: Piece, evidence: Evidence | undefined): Piece {
  const texts = piece.texts.map(({ key, text }) => {
    if (evidence?.role === "context") return { key, text: beginningOf(text) };
    return { key, text: evidence?.focus === undefined ? text : focused(text, evidence.focus) };
  });
  return { ...piece, texts };
}

function beginningOf({ head, tail, missing }: KeptText): KeptText {
  if (head.length <= CONTEXT_CHARS) return { head, tail, missing };
  return { head: head.slice(0, CONTEXT_CHARS), tail: "", missing: missing + head.length - CONTEXT_CHARS + tail.length };
}

function focused(text: KeptText, focus: string): KeptText {
  const at = text.head.indexOf(focus);
  if (text.head.length <= FOCUSED_CHARS || at < BEFORE_FOCUS) return text;
  const from = text.head.lastIndexOf("\n", at - BEFORE_FOCUS) + 1;
  const to = at + focus.length + AFTER_FOCUS;
  const cut = from === 0 ? "" : `[… ${from.toLocaleString("en-US")} characters left out …]\n`;
  const rest = text.head.length - to;
  return rest <= 0
    ? { ...text, head: cut + text.head.slice(from) }
    : { head: cut + text.head.slice(from, to), tail: "", missing: text.missing + rest + text.tail.length };
}
