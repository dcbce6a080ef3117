/** A candidate as what is suggested: redacted text with its place. */
import { TimeSpan } from "../../parse/times.ts";
import type { Redactor } from "../../redact/redactor.ts";
import { redactJson } from "../../redact/redact-json.ts";
import type { SnippetType } from "../../store/model.ts";
import { headingOf } from "../section/excerpt.ts";
import { type KeptText, type Piece, piecesOf, type RawPiece, redactPieces } from "../section/pieces.ts";
import { sectionText } from "../section/section-text.ts";
import { type Candidate, core, type Evidence, type EvidenceRole } from "./candidate.ts";
import { cutTitle } from "./sentences.ts";

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
  /** What each entry is to it, in order. */
  evidence: { line: number; role: EvidenceRole }[];
  /** From 0.55 to 1. */
  score: number;
  /** Why it is suggested: one sentence. */
  reason: string;
}

/** Room for what the person had asked, so that it does not crowd out the answer. */
const CONTEXT_CHARS = 600;
/** Longer outputs are shown by the line that matters, with so much before and after it. */
const FOCUSED_CHARS = 1_600;
const BEFORE_FOCUS = 500;
const AFTER_FOCUS = 1_000;

interface Shown extends Evidence {
  piece: RawPiece;
}

export async function suggestionOf(
  candidate: Candidate,
  sessionId: string,
  file: string | null,
  redactor: Redactor,
): Promise<SnippetSuggestion> {
  const said = core(candidate);
  const shown = shownOf(candidate);
  const redacted = await redactPieces(
    redactor,
    shown.map(({ piece }) => piece),
  );
  const pieces = redacted.map((piece, at) => fitted(piece, shown[at]));
  const times = new TimeSpan();
  for (const { message } of said) if (message.timestamp !== null) times.add(message.timestamp);
  const lines = said.map(({ block }) => block.line_number);
  const place = {
    line_start: Math.min(...lines),
    line_end: Math.max(...lines),
    from: times.first,
    to: times.last,
  };
  const [words] = await redactJson(redactor, [{ title: candidate.title, reason: candidate.reason }]);
  const clean = { title: "", reason: "", ...Object(words?.value) };
  return {
    snippet_type: candidate.snippet_type,
    title: cutTitle(String(clean.title)),
    content: sectionText(headingOf({ session_id: sessionId, file, ...place }), pieces).text,
    ...place,
    entries: [...new Set(pieces.flatMap(({ entry }) => (entry === null ? [] : [entry])))],
    evidence: shown.map(({ role, piece }) => ({ line: piece.line, role })),
    score: candidate.score,
    reason: String(clean.reason),
  };
}

/** What is shown: the context first, then the rest in order, each once. */
function shownOf(candidate: Candidate): Shown[] {
  const said = new Set(core(candidate));
  const first = new Map<Evidence["said"], Evidence>();
  for (const each of candidate.evidence) {
    if (each.role === "context" ? !said.has(each.said) : !first.has(each.said)) first.set(each.said, each);
  }
  const isContext = ({ role }: Evidence): number => (role === "context" ? 0 : 1);
  const evidence = [...first.values()].toSorted((a, b) => isContext(a) - isContext(b) || a.said.at - b.said.at);
  const toolNames = new Map<string, string>();
  return evidence.flatMap((each) =>
    piecesOf(each.said.message, [each.said.block], toolNames).map((piece) => ({ ...each, piece })),
  );
}

/** Context is cut short, and long outputs to what matters in them. A failure is called one, whatever the host says. */
function fitted(piece: Piece, evidence: Shown | undefined): Piece {
  const isFailure = piece.kind === "result" && (evidence?.role === "failed" || evidence?.role === "tried");
  const texts = piece.texts.map(({ key, text }) => {
    if (evidence?.role === "context") return { key, text: shortened(text) };
    return { key, text: evidence?.focus === undefined ? text : focused(text, evidence.focus) };
  });
  const isHidden = isFailure && evidence?.focus !== undefined && piece.status === "completed";
  return { ...piece, texts, ...(isHidden ? { status: "error" } : {}) };
}

function shortened(text: KeptText): KeptText {
  const { head, tail, missing } = text;
  if (head.length <= CONTEXT_CHARS) return text;
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
