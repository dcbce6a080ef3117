/** Snippets that a session may be worth, with their evidence. */
import { TimeSpan } from "../../parse/times.ts";
import type { ParseResult } from "../../parse/model.ts";
import { createRedactor, type Redactor } from "../../redact/redactor.ts";
import { redactJson } from "../../redact/redact-json.ts";
import { MIN_CONTENT_BYTES, type SnippetType } from "../../store/model.ts";
import { headingOf } from "../section/excerpt.ts";
import { piecesOf, redactPieces } from "../section/pieces.ts";
import { sectionText } from "../section/section-text.ts";
import { type Candidate, MIN_SCORE } from "./candidate.ts";
import { conversationOf, type Said } from "./conversation.ts";
import { explanations } from "./explanations.ts";
import { instructions } from "./instructions.ts";
import { mendedErrors } from "./mended-errors.ts";

export interface SnippetSuggestion {
  snippet_type: SnippetType;
  title: string;
  /** The evidence for a reader, with the line of each entry; redacted, 100 bytes to 10 KB. */
  content: string;
  /** Lines of the session's file. */
  line_start: number;
  line_end: number;
  /** The first and the last time in it. */
  from: string | null;
  to: string | null;
  /** What the source calls its entries. */
  entries: string[];
  /** From 0.55 to 1. */
  score: number;
  /** Why it is suggested: one sentence. */
  reason: string;
}

export interface SuggestOptions {
  /** Default: the package's own. */
  redactor?: Redactor;
  /** The file, for the citation. */
  file?: string | null;
  /** At most so many, those with the highest scores. Default 8. */
  limit?: number;
}

const DEFAULT_LIMIT = 8;
/** Room for what the person had asked, so that it does not crowd out the answer. */
const CONTEXT_CHARS = 600;

/**
 * Proposes what of a session is worth keeping: errors with what mended them, decisions with their reasons, lessons. Few
 * and good ones rather than many; the same for the same session, by rules that `reason` tells, without a model. In order
 * of their lines. The rules know English.
 */
export async function suggestSnippets(result: ParseResult, options: SuggestOptions = {}): Promise<SnippetSuggestion[]> {
  const { redactor = createRedactor(), limit = DEFAULT_LIMIT } = options;
  const conversation = conversationOf(result);
  const candidates = [
    ...mendedErrors(result, conversation),
    ...explanations(conversation),
    ...instructions(conversation),
  ].filter(({ score, title }) => score >= MIN_SCORE && title !== "");
  const best = withoutOverlaps(candidates).slice(0, limit);
  const suggestions: SnippetSuggestion[] = [];
  for (const candidate of best.toSorted((a, b) => firstAt(a) - firstAt(b))) {
    const suggestion = await suggestionOf(candidate, result.session_id, redactor, options.file ?? null);
    if (Buffer.byteLength(suggestion.content) >= MIN_CONTENT_BYTES) suggestions.push(suggestion);
  }
  return suggestions;
}

/** Best first; of those that have an entry in common only the best. */
function withoutOverlaps(candidates: readonly Candidate[]): Candidate[] {
  const taken = new Set<Said>();
  const kept: Candidate[] = [];
  for (const candidate of candidates.toSorted((a, b) => b.score - a.score || firstAt(a) - firstAt(b))) {
    if (candidate.evidence.some((said) => taken.has(said))) continue;
    for (const said of candidate.evidence) taken.add(said);
    kept.push(candidate);
  }
  return kept;
}

function firstAt({ evidence }: Candidate): number {
  return evidence[0]?.at ?? 0;
}

async function suggestionOf(
  { snippet_type, title, score, reason, evidence, context }: Candidate,
  sessionId: string,
  redactor: Redactor,
  file: string | null,
): Promise<SnippetSuggestion> {
  const toolNames = new Map<string, string>();
  const names = (said: Said): void => {
    if (said.call?.tool_use_id && said.call.tool_name !== null)
      toolNames.set(said.call.tool_use_id, said.call.tool_name);
  };
  evidence.forEach(names);
  const pieces = [...context, ...evidence].flatMap(({ message, block }) => piecesOf(message, [block], toolNames));
  const redacted = await redactPieces(redactor, pieces);
  for (const piece of redacted.slice(0, context.length)) {
    for (const { text } of piece.texts) if (text.head.length > CONTEXT_CHARS) shorten(text);
  }
  const lines = evidence.map(({ block }) => block.line_number);
  const times = new TimeSpan();
  for (const { message } of evidence) if (message.timestamp !== null) times.add(message.timestamp);
  const place = {
    line_start: Math.min(...lines),
    line_end: Math.max(...lines),
    from: times.first,
    to: times.last,
  };
  const heading = headingOf({ session_id: sessionId, file, ...place });
  const [words] = await redactJson(redactor, [{ title, reason }]);
  const clean = { title: "", reason: "", ...Object(words?.value) };
  return {
    snippet_type,
    title: String(clean.title),
    content: sectionText(heading, redacted).text,
    ...place,
    entries: [...new Set(pieces.flatMap(({ entry }) => (entry === null ? [] : [entry])))],
    score,
    reason: String(clean.reason),
  };
}

function shorten(text: { head: string; tail: string; missing: number }): void {
  text.missing += text.head.length - CONTEXT_CHARS + text.tail.length;
  text.head = text.head.slice(0, CONTEXT_CHARS);
  text.tail = "";
}
