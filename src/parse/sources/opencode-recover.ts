/** Messages from the pieces of an export, and what can be saved from damaged ones. */
import { isUtf8 } from "node:buffer";
import { isFields, type Fields } from "../json-fields.ts";
import type { ParseError, ParseErrorCode } from "../model.ts";
import { ExportScanner } from "./opencode-scan.ts";
import type { Place, Span } from "./opencode-spans.ts";

/** What a piece of the input says: a JSON object, as far as it could be read. */
export interface Reading extends Place {
  value: Fields | undefined;
  /** Its JSON as text, to know it again. */
  text: string;
  problems: readonly ParseError[];
}

/** Where the next message may begin, if the one before it swallowed it. */
const MESSAGE_START = /\{\s*"info"\s*:\s*\{/g;
const LINE_FEED = 0x0a;

/** The objects of a span: mostly one. Damage may have joined several messages; each is then read by itself. */
export function readSpan(span: Span): Reading[] {
  const whole = readJson(span.bytes, span);
  const hasSwallowed = span.kind === "info" && isFields(whole.value) && Array.isArray(whole.value["messages"]);
  if (isFields(whole.value) && !hasSwallowed) return [{ ...span, ...whole, value: whole.value }];
  if (whole.value !== undefined && !hasSwallowed) {
    const reason = "What stands here is JSON, but not an object.";
    return [failed(span, [...whole.problems, problem(span, "not_a_record", reason)])];
  }
  const starts = Array.from(span.bytes.toString("latin1").matchAll(MESSAGE_START), ({ index }) => index);
  const bounds = [0, ...starts.filter((start) => start > 0), span.bytes.length];
  return bounds.slice(1).map((end, at) => {
    const bytes = span.bytes.subarray(bounds[at], end);
    const isLast = end === span.bytes.length;
    return saved({ ...span, ...placeIn(span, bounds[at] ?? 0), bytes, end: isLast ? span.end : "whole" });
  });
}

/** A JSON value from bytes; undefined if they are none. */
function readJson(bytes: Buffer, place: Place): { value: unknown; text: string; problems: ParseError[] } {
  const problems: ParseError[] = [];
  const text = bytes.toString("utf8");
  let value = parsed(text);
  if (value === undefined && text.includes("\0")) {
    value = parsed(text.replaceAll("\0", ""));
    const reason = "NUL bytes, as a crash leaves them, were left out.";
    problems.push(problem(place, "nul_bytes", reason, value !== undefined));
  }
  if (text.includes("\ufffd") && !isUtf8(bytes)) {
    problems.push(problem(place, "invalid_utf8", "Bytes that are not UTF-8 were replaced by U+FFFD.", true));
  }
  return { value, text, problems };
}

/** What can be had of a message whose JSON is damaged: its `info`, and each of its parts that is whole. */
function saved(span: Span): Reading {
  const trimmed = readJson(withoutComma(span.bytes), span);
  if (isFields(trimmed.value)) return { ...span, ...trimmed, value: trimmed.value };
  const [code, because] = REASONS[span.end];
  const { info, parts, lost } = piecesOf(span.bytes);
  if (!info) return failed(span, [...trimmed.problems, problem(span, code, `A message is lost: ${because}.`)]);
  const rest = lost > 0 ? `${parts.length} of its parts were read, at least ${lost} more were not` : "its end is lost";
  const reason = `A message is not whole: ${because}; ${rest}.`;
  const isPartOfWhole = span.end === "whole" ? "partly_lost" : code;
  return {
    ...span,
    value: { info, parts },
    text: trimmed.text,
    problems: [...trimmed.problems, problem(span, isPartOfWhole, reason)],
  };
}

const REASONS: Record<Span["end"], readonly [ParseErrorCode, string]> = {
  whole: ["invalid_json", "its JSON is damaged"],
  torn: ["torn_line", "the input ends within it"],
  "too long": ["line_too_long", "it exceeds the size up to which messages are read"],
};

function piecesOf(bytes: Buffer): { info: Fields | undefined; parts: unknown[]; lost: number } {
  const scanner = new ExportScanner({ list: "parts", maxBytes: Number.POSITIVE_INFINITY, resumes: false });
  const spans = [...scanner.push(bytes), ...scanner.end()];
  const values = spans.map((span) => ({
    span,
    value: span.end === "whole" ? readJson(span.bytes, span).value : undefined,
  }));
  const infos = values.flatMap(({ span, value }) => (span.kind === "info" && isFields(value) ? [value] : []));
  const parts = values.flatMap(({ span, value }) => (span.kind === "element" && isFields(value) ? [value] : []));
  return { info: infos[0], parts, lost: spans.length - infos.length - parts.length };
}

function failed(place: Place, problems: readonly ParseError[]): Reading {
  return { line: place.line, offset: place.offset, value: undefined, text: "", problems };
}

function problem(place: Place, code: ParseErrorCode, reason: string, recovered = false): ParseError {
  return { code, line_number: place.line, byte_offset: place.offset, reason, recovered };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function placeIn({ offset, line, bytes }: Span, at: number): Place {
  let feeds = 0;
  for (let feed = bytes.indexOf(LINE_FEED); feed !== -1 && feed < at; feed = bytes.indexOf(LINE_FEED, feed + 1)) {
    feeds += 1;
  }
  return { offset: offset + at, line: line + feeds };
}

/** Without the comma before the next message, and the white space around it. */
function withoutComma(bytes: Buffer): Buffer {
  let end = bytes.length;
  const isFiller = (byte: number | undefined): boolean => byte === 0x2c || (byte !== undefined && byte <= 0x20);
  while (end > 0 && isFiller(bytes[end - 1])) end -= 1;
  return bytes.subarray(0, end);
}
