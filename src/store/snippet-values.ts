/**
 * Checks what redaction changes, and so cannot be checked with the input (`snippets/snippet-input.ts`): the sizes of title,
 * content, tags and metadata.
 */
import { isDeeper } from "../transcript/format/json-text.ts";
import { MAX_CONTENT_BYTES, MAX_TITLE_CHARS, MIN_CONTENT_BYTES } from "./stored-model.ts";
import { isId } from "./columns.ts";
import { storableJson, storableText, storableTextOrNull, storableTime } from "./storable.ts";
import type { NewSnippet } from "./store.ts";
import { fieldError, type TranscriptsError } from "../transcripts-error.ts";
import { shortened } from "../neutral-text.ts";

/** Maximum bytes of tags or metadata as JSON: notes about a snippet, not another snippet. */
const MAX_JSON_BYTES = 16_384;
/** Maximum nesting of metadata; databases refuse very deep JSON. */
const MAX_JSON_DEPTH = 20;

/**
 * Returns the snippet with storable values. Throws `invalid` with the field for values that the tables would refuse, and
 * `unknown_…` for ids that cannot exist.
 */
export function checkedSnippet(snippet: NewSnippet): NewSnippet {
  if (!isId(snippet.session_id)) throw unknownSession(snippet.session_id);
  if (snippet.event_id !== null && !isId(snippet.event_id)) throw unknownEvent(snippet.event_id);
  jsonOf(snippet.tags, "tags");
  jsonOf(checkedMetadata(snippet.metadata), "metadata");
  return {
    ...snippet,
    session_id: storableText(snippet.session_id),
    event_id: storableTextOrNull(snippet.event_id),
    title: checkedTitle(storableText(snippet.title)),
    content: checkedContent(storableText(snippet.content)),
    ...(snippet.created_at === undefined ? {} : { created_at: checkedTime(snippet.created_at, "created_at") }),
  };
}

export function unknownSession(sessionId: string): TranscriptsError {
  const next = "Use the id of a session in `transcripts list`, or run `transcripts index` first.";
  return fieldError("unknown_session", "session_id", `The store has no session ${shown(sessionId)}.`, next);
}

export function unknownEvent(eventId: string): TranscriptsError {
  const next = "Run `transcripts index` if the session was not indexed yet, or leave the entry out.";
  return fieldError("unknown_event", "event_id", `The store has no entry ${shown(eventId)}.`, next);
}

/** Returns the time in the form of the tables. Throws `invalid`. */
export function checkedTime(time: string | Date, field: string): string {
  const stored = storableTime(time);
  if (stored !== null) return stored;
  const given = typeof time === "string" ? shown(time) : "an invalid Date";
  throw invalid(field, `${given} is not a time.`, "Give ISO 8601, such as 2026-01-31 or 2026-01-31T12:00:00Z.");
}

/** Titles count in characters, as databases count them, and contents in bytes. */
function checkedTitle(title: string): string {
  const { length } = title.length > MAX_TITLE_CHARS ? [...title] : title;
  if (length <= MAX_TITLE_CHARS) return title;
  const problem = `The title has ${length} characters; at most ${MAX_TITLE_CHARS} are allowed.`;
  throw invalid("title", problem, "Shorten it; put the rest in the content.");
}

export function checkedContent(content: string): string {
  const bytes = Buffer.byteLength(content);
  const problem = `The content has ${bytes} bytes after redaction; ${MIN_CONTENT_BYTES} to ${MAX_CONTENT_BYTES} are allowed.`;
  if (bytes < MIN_CONTENT_BYTES)
    throw invalid("content", problem, "Say more: what happened, why, and what came of it.");
  if (content.trim() === "")
    throw invalid("content", "The content is blank.", "Say what happened, why, and what came of it.");
  if (bytes > MAX_CONTENT_BYTES) throw invalid("content", problem, "Shorten it, or make several snippets of it.");
  return content;
}

/** Returns a copy of metadata with only JSON values. Throws `invalid`. */
export function checkedMetadata(metadata: unknown): Record<string, unknown> {
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata))
    throw invalid("metadata", "The metadata are not an object.", "Give an object; it may be empty.");
  const copy: Record<string, unknown> = JSON.parse(jsonOf(metadata, "metadata"));
  if (isDeeper(copy, MAX_JSON_DEPTH)) throw tooDeep("metadata");
  return copy;
}

function jsonOf(value: object, field: string): string {
  let json: string;
  try {
    json = storableJson(value);
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(field, error);
    // Caused by a cycle or a BigInt.
    throw invalid(
      field,
      `The ${field} cannot be written as JSON.`,
      "Give plain texts, numbers, lists and objects.",
      error,
    );
  }
  const bytes = Buffer.byteLength(json);
  if (bytes <= MAX_JSON_BYTES) return json;
  const problem = `As JSON the ${field} have ${bytes} bytes; ${MAX_JSON_BYTES} are allowed.`;
  throw invalid(field, problem, "Keep only what you will look for.");
}

/** `cause`: the runtime's error, if its limit was reached. */
function tooDeep(field: string, cause?: unknown): TranscriptsError {
  return invalid(field, `The ${field} are nested more than ${MAX_JSON_DEPTH} deep.`, "Keep it flat.", cause);
}

export function invalid(field: string, problem: string, next: string, cause?: unknown): TranscriptsError {
  return fieldError("invalid", field, problem, next, cause === undefined ? {} : { cause });
}

/** Returns the text as JSON, cut to fit a message. */
function shown(text: string): string {
  return JSON.stringify(shortened(text, 80));
}
