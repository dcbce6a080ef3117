/**
 * Schemas of the input of `extractSnippet` and `querySnippets`, which the tools use too. Bounds are checks, not part of the
 * JSON schema: there they would cost tokens in every request. The store checks sizes, which apply after redaction.
 */
import { given } from "../given.ts";
import * as z from "zod/mini";
import { MAX_CONTENT_BYTES, MAX_LINE, SNIPPET_TYPES } from "../store/stored-model.ts";
import { readDate, readEndDate } from "../parse/read-date.ts";
import { fieldError } from "../transcripts-error.ts";
import { shortened } from "../neutral-text.ts";

export const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
const MAX_TAGS = 50;
const MAX_TAG_CHARS = 100;
/** Far more than fits a snippet: rejected before redaction. */
export const MAX_GIVEN_BYTES = 20 * MAX_CONTENT_BYTES;
const MAX_NAME_CHARS = 4_096;
const MAX_TEXT_CHARS = 10_000;
/** Maximum length of an invalid value in a message. */
const MAX_SHOWN_VALUE = 60;

const name = textOf(1, MAX_NAME_CHARS);
const place = wholeNumber(1, MAX_LINE);

export const extractShape = {
  /** An id, the beginning of one, a path, or `latest`. */
  session_id: name,
  snippet_type: snippetType(),
  /** At most 256 characters. */
  title: textOf(1, MAX_TEXT_CHARS, z.trim()),
  /** Default: the text of the given lines or turns. If both are given, the content cites them. */
  content: z.optional(
    z.string("it must be a text").check(
      z.refine(
        (text) => Buffer.byteLength(text) <= MAX_GIVEN_BYTES,
        `it is far too long; a content has at most ${MAX_CONTENT_BYTES} bytes`,
      ),
      withoutNul(),
    ),
  ),
  /** Default: cites no event. */
  event_id: z.optional(name),
  /** Counted from 1. If only one of the two is given, it is a single line. */
  source_line_start: z.optional(place),
  source_line_end: z.optional(place),
  /** Turns as `transcripts show` counts them, in place of lines: 1 begins with the first prompt. */
  source_turn_start: z.optional(wholeNumber(0, MAX_LINE)),
  source_turn_end: z.optional(wholeNumber(0, MAX_LINE)),
  tags: z.optional(
    z
      .array(textOf(1, MAX_TAG_CHARS, z.trim()), `it must be a list of at most ${MAX_TAGS} texts`)
      .check(z.refine((tags) => tags.length <= MAX_TAGS, `it must be a list of at most ${MAX_TAGS} texts`)),
  ),
  metadata: z.optional(z.record(z.string(), z.unknown(), "it must be an object")),
};

export const queryShape = {
  session_id: z.optional(name),
  snippet_type: z.optional(snippetType()),
  /** The project's folder, or its last component. */
  project: z.optional(name),
  /** Snippets must have all of these. */
  tags: extractShape.tags,
  /** Literal text in title or content; case is ignored. */
  keyword: z.optional(textOf(1, MAX_TEXT_CHARS)),
  /** See `readDate`. A day alone is in local time and, as an end, included. */
  start_date: z.optional(date()),
  end_date: z.optional(date()),
  /** Default 50. */
  limit: z.optional(wholeNumber(1, MAX_LIMIT)),
  /** Default 0. */
  offset: z.optional(wholeNumber(0, MAX_LINE)),
};

/** The schemas' messages say what is allowed, without the field, which `read` prepends. */
export const extractSnippetSchema = z.strictObject(extractShape, "it must be an object with session_id and title");
export const querySnippetsSchema = z.strictObject(queryShape, "it must be an object, such as {}");

export type ExtractSnippetInput = z.input<typeof extractSnippetSchema>;
export type QuerySnippetsInput = z.input<typeof querySnippetsSchema>;

/** Throws a `TranscriptsError` (`invalid`, `bad_range`) that names the field and says what is allowed. */
export function readExtractInput(raw: unknown): ExtractSnippetInput {
  const input = read(extractSnippetSchema, raw);
  const hasLines = input.source_line_start !== undefined || input.source_line_end !== undefined;
  const hasTurns = input.source_turn_start !== undefined || input.source_turn_end !== undefined;
  if (hasLines && hasTurns) {
    throw fieldError("invalid", "source_turn_start", "Lines and turns cannot be combined.", "Give one of them.");
  }
  if (input.content === undefined && !hasLines && !hasTurns) {
    const problem = "There is no content, and neither lines nor turns to take it from.";
    throw fieldError("invalid", "content", problem, "Give one of these.");
  }
  checkOrder("source_line", input.source_line_start, input.source_line_end);
  checkOrder("source_turn", input.source_turn_start, input.source_turn_end);
  return input;
}

/** Throws a `TranscriptsError` (`invalid`) that names the field and says what is allowed. */
export function readQueryInput(raw: unknown): QuerySnippetsInput & { start?: Date; end?: Date } {
  const input = read(querySnippetsSchema, raw);
  const start = input.start_date === undefined ? undefined : readDate(input.start_date, new Date());
  const end = input.end_date === undefined ? undefined : readEndDate(input.end_date, new Date());
  if (start !== undefined && end !== undefined && start >= end) {
    throw fieldError("invalid", "end_date", "The end is before the start.", "Swap the two.");
  }
  return { ...input, ...given({ start, end }) };
}

function checkOrder(field: "source_line" | "source_turn", start: number | undefined, end: number | undefined): void {
  if (start === undefined || end === undefined || start <= end) return;
  const problem = `The range ends at ${end}, before it starts at ${start}.`;
  throw fieldError("bad_range", `${field}_end`, problem, "Give the range from the smaller to the larger number.");
}

function read<T>(schema: z.ZodMiniType<T>, raw: unknown): T {
  const parsed = schema.safeParse(raw, { reportInput: true });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    const known = schema instanceof z.ZodMiniObject ? Object.keys(schema.shape).join(", ") : "";
    throw fieldError("invalid", shown(key), `There is no field ${shown(key)}.`, `There are ${known}.`);
  }
  const path = (issue?.path ?? []).map(String);
  const field = path.join(".") || "input";
  const isMissing = issue?.input === undefined && path.length === 1;
  const problem = isMissing ? `${field} is missing` : `${shown(issue?.input)} is not allowed as ${field}`;
  throw fieldError("invalid", field, sentence(problem.replaceAll("_", " ")), sentence(issue?.message ?? ""));
}

function sentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}

function shown(value: unknown): string {
  const given = typeof value === "string" ? value.slice(0, MAX_SHOWN_VALUE + 1) : value;
  return shortened(JSON.stringify(given) ?? "that", MAX_SHOWN_VALUE);
}

function snippetType() {
  return z.enum(SNIPPET_TYPES, `it must be one of ${SNIPPET_TYPES.join(", ")}`);
}

/** A text; its length is checked after `before`. */
export function textOf(min: number, max: number, ...before: z.core.$ZodCheck<string>[]) {
  const must = `it must be a text of ${min} to ${max} characters`;
  const isAllowed = ({ length }: string): boolean => length >= min && length <= max;
  return z.string(must).check(...before, z.refine(isAllowed, must), withoutNul());
}

/** PostgreSQL cannot store NUL. */
function withoutNul() {
  return z.refine<string>((text) => !text.includes("\0"), "it must have no NUL character (U+0000)");
}

export function wholeNumber(min: number, max: number) {
  const must = `it must be a whole number from ${min} to ${max}`;
  const isAllowed = (value: number): boolean => Number.isSafeInteger(value) && value >= min && value <= max;
  return z.number(must).check(z.refine(isAllowed, must));
}

function date() {
  const must = "it must be a date such as 2026-01-31 or 2026-01-31T10:00:00Z, or an age such as 7d";
  return z.string(must).check(z.refine((text) => readDate(text, new Date()) !== undefined, must));
}
