/**
 * Schemas of the input of `extractSnippet` and `querySnippets`, which the tools use too. Bounds are checks, not part of the
 * JSON schema: there they would cost tokens in every request. The store checks sizes, which apply after redaction.
 */
import { given } from "../given.ts";
import * as z from "zod/mini";
import { MAX_CONTENT_BYTES, MAX_LINE, SNIPPET_TYPES } from "../store/stored-model.ts";
import { readDate, readEndDate } from "../parse/read-date.ts";
import { fieldError } from "../transcripts-error.ts";
import { integerField, readFields, textField, withoutNul } from "../read-fields.ts";

export const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
const MAX_TAGS = 50;
const MAX_TAG_CHARS = 100;
/** Far more than fits a snippet: rejected before redaction. */
export const MAX_GIVEN_BYTES = 20 * MAX_CONTENT_BYTES;
const MAX_NAME_CHARS = 4_096;
const MAX_TEXT_CHARS = 10_000;

const name = textField(1, MAX_NAME_CHARS);
const place = integerField(1, MAX_LINE);

export const extractShape = {
  /** An id, the beginning of one, a path, or `latest`. */
  session_id: name,
  snippet_type: snippetType(),
  /** At most 256 characters. */
  title: textField(1, MAX_TEXT_CHARS, z.trim()),
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
  source_turn_start: z.optional(integerField(0, MAX_LINE)),
  source_turn_end: z.optional(integerField(0, MAX_LINE)),
  tags: z.optional(
    z
      .array(textField(1, MAX_TAG_CHARS, z.trim()), `it must be a list of at most ${MAX_TAGS} texts`)
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
  keyword: z.optional(textField(1, MAX_TEXT_CHARS)),
  /** See `readDate`. A day alone is in local time and, as an end, included. */
  start_date: z.optional(date()),
  end_date: z.optional(date()),
  /** Default 50. */
  limit: z.optional(integerField(1, MAX_LIMIT)),
  /** Default 0. */
  offset: z.optional(integerField(0, MAX_LINE)),
};

export const extractSnippetSchema = z.strictObject(extractShape, "it must be an object with session_id and title");
export const querySnippetsSchema = z.strictObject(queryShape, "it must be an object, such as {}");

export type ExtractSnippetInput = z.input<typeof extractSnippetSchema>;
export type QuerySnippetsInput = z.input<typeof querySnippetsSchema>;

/** Throws a `TranscriptsError` (`invalid`, `bad_range`) that names the field and says what is allowed. */
export function readExtractInput(raw: unknown): ExtractSnippetInput {
  const input = readFields(extractSnippetSchema, raw);
  const hasLines = input.source_line_start !== undefined || input.source_line_end !== undefined;
  const hasTurns = input.source_turn_start !== undefined || input.source_turn_end !== undefined;
  if (hasLines && hasTurns) {
    throw fieldError("invalid", "source_turn_start", "Lines and turns cannot be combined.", "Give one of them.");
  }
  if (input.content === undefined && !hasLines && !hasTurns) {
    const problem = "A snippet needs content, lines or turns.";
    throw fieldError("invalid", "content", problem, "Give one of them.");
  }
  checkOrder("source_line", input.source_line_start, input.source_line_end);
  checkOrder("source_turn", input.source_turn_start, input.source_turn_end);
  return input;
}

/** Throws a `TranscriptsError` (`invalid`) that names the field and says what is allowed. */
export function readQueryInput(raw: unknown): QuerySnippetsInput & { start?: Date; end?: Date } {
  const input = readFields(querySnippetsSchema, raw);
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

function snippetType() {
  return z.enum(SNIPPET_TYPES, `it must be one of ${SNIPPET_TYPES.join(", ")}`);
}

function date() {
  const must = "it must be a date such as 2026-01-31 or 2026-01-31T10:00:00Z, or an age such as 7d";
  return z.string(must).check(z.refine((text) => readDate(text, new Date()) !== undefined, must));
}
