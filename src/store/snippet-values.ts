/** Checks snippets and queries for them before they reach a database, so that both backends give the same answers. */
import {
  MAX_CONTENT_BYTES,
  MAX_TITLE_CHARS,
  MIN_CONTENT_BYTES,
  SNIPPET_TYPES,
  type SnippetType,
} from "./stored-model.ts";
import { isId } from "./columns.ts";
import { storableJson, storableText, storableTextOrNull, storableTime } from "./storable.ts";
import type { NewSnippet, SnippetQuery } from "./store.ts";
import { TranscriptsError } from "../transcripts-error.ts";
import { shortened } from "../neutral-text.ts";

const MAX_LINE = 2_147_483_647;
/** Maximum bytes of tags or metadata as JSON; far more than a snippet itself may have. */
const MAX_JSON_BYTES = 65_536;
const MAX_JSON_DEPTH = 100;

/**
 * Returns the snippet with storable values. Throws `invalid` with the field for values that the tables would refuse, and
 * `unknown_…` for ids that cannot exist.
 */
export function checkedSnippet(snippet: NewSnippet): NewSnippet {
  if (!isId(snippet.session_id)) throw unknownSession(snippet.session_id);
  if (snippet.event_id !== null && !isId(snippet.event_id)) throw unknownEvent(snippet.event_id);
  checkLines(snippet.source_line_start, snippet.source_line_end);
  checkTags(snippet.tags);
  checkMetadata(snippet.metadata);
  return {
    ...snippet,
    session_id: storableText(snippet.session_id),
    event_id: storableTextOrNull(snippet.event_id),
    snippet_type: checkedType(snippet.snippet_type),
    title: checkedTitle(storableText(snippet.title)),
    content: checkedContent(storableText(snippet.content)),
    ...(snippet.created_at === undefined ? {} : { created_at: checkedTime(snippet.created_at, "created_at") }),
  };
}

/** Returns the error for a suggestion that does not say which lines it covers. */
export function missingLine(field: string): TranscriptsError {
  return invalid(field, `\`${field}\` is missing.`, "Use the suggested lines.");
}

/** Throws `invalid` with the name of the field. */
export function checkedPage({ limit, offset }: SnippetQuery): Pick<SnippetQuery, "limit" | "offset"> {
  for (const [field, number] of Object.entries({ limit, offset })) {
    if (!Number.isSafeInteger(number) || number < 0)
      throw invalid(field, `\`${field}\` is ${number}.`, "Use a whole number from 0.");
  }
  return { limit, offset };
}

export function unknownSession(sessionId: string): TranscriptsError {
  return new TranscriptsError(
    "unknown_session",
    `There is no session ${shown(sessionId)} in the store.`,
    "Use the id of a session in `transcripts list`, or run `transcripts index` first.",
    { field: "session_id" },
  );
}

export function unknownEvent(eventId: string): TranscriptsError {
  return new TranscriptsError(
    "unknown_event",
    `There is no event ${shown(eventId)} in the store.`,
    "Use the id of an indexed event, or omit `event_id`.",
    { field: "event_id" },
  );
}

function invalid(field: string, problem: string, next: string, cause?: unknown): TranscriptsError {
  return new TranscriptsError("invalid", problem, next, cause === undefined ? { field } : { field, cause });
}

/** Returns true if a keyword is longer than any content, so that nothing can match it. */
export function isTooLong(keyword = ""): boolean {
  return keyword.length > MAX_CONTENT_BYTES;
}

/** Returns the time in the form of the tables. Throws `invalid`. */
export function checkedTime(time: string | Date, field: string): string {
  const stored = storableTime(time);
  if (stored !== null) return stored;
  throw invalid(
    field,
    `\`${field}\` is not a time: ${typeof time === "string" ? shown(time) : "an invalid Date"}.`,
    "Use ISO 8601, such as 2026-01-31 or 2026-01-31T12:00:00Z.",
  );
}

export function checkedType(type: string): SnippetType {
  const known = SNIPPET_TYPES.find((one) => one === type);
  if (known !== undefined) return known;
  throw invalid("snippet_type", `\`snippet_type\` is ${shown(type)}.`, `Use one of ${SNIPPET_TYPES.join(", ")}.`);
}

function checkedTitle(title: string): string {
  // Databases count code points.
  const { length } = title.length > MAX_TITLE_CHARS ? [...title] : title;
  if (length <= MAX_TITLE_CHARS) return title;
  throw invalid("title", `\`title\` has ${length} characters.`, `Use at most ${MAX_TITLE_CHARS}.`);
}

function checkedContent(content: string): string {
  const bytes = Buffer.byteLength(content);
  if (bytes >= MIN_CONTENT_BYTES && bytes <= MAX_CONTENT_BYTES) return content;
  throw invalid(
    "content",
    `\`content\` has ${bytes} bytes in UTF-8.`,
    bytes < MIN_CONTENT_BYTES
      ? `Use at least ${MIN_CONTENT_BYTES} bytes.`
      : `Use at most ${MAX_CONTENT_BYTES} bytes: the part that matters.`,
  );
}

function checkLines(start: number | null, end: number | null): void {
  for (const [field, line] of [["source_line_start", start] as const, ["source_line_end", end] as const]) {
    if (line === null || (Number.isInteger(line) && line >= 1 && line <= MAX_LINE)) continue;
    throw invalid(field, `\`${field}\` is ${line}.`, "Use a line number: a whole number from 1.");
  }
  if (start === null || end === null || start <= end) return;
  const problem = `\`source_line_end\` (${end}) is before \`source_line_start\` (${start}).`;
  throw invalid("source_line_end", problem, "Swap the two lines.");
}

function checkTags(tags: unknown): void {
  if (!Array.isArray(tags) || tags.some((tag) => typeof tag !== "string")) {
    throw invalid("tags", "`tags` is not a list of strings.", "Use a list of strings; it may be empty.");
  }
  checkJson(tags, "tags");
}

function checkMetadata(metadata: unknown): void {
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) {
    throw invalid("metadata", "`metadata` is not an object.", "Use an object; it may be empty.");
  }
  checkJson(metadata, "metadata");
}

function checkJson(value: object, field: string): void {
  let json: string;
  try {
    json = storableJson(value);
  } catch (error) {
    const next = "Use strings, numbers, lists and objects only.";
    throw invalid(field, `\`${field}\` cannot be written as JSON.`, next, error);
  }
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_JSON_BYTES) {
    throw invalid(field, `\`${field}\` has ${bytes} bytes as JSON.`, `Use at most ${MAX_JSON_BYTES} bytes.`);
  }
  if (depthOf(json) > MAX_JSON_DEPTH) {
    throw invalid(field, `\`${field}\` is nested too deeply.`, `Use at most ${MAX_JSON_DEPTH} levels.`);
  }
}

/** Returns the maximum nesting depth. */
function depthOf(json: string): number {
  let open = 0;
  let deepest = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[{\]}]/g)) {
    if (token === "[" || token === "{") deepest = Math.max(deepest, ++open);
    else if (token === "]" || token === "}") open--;
  }
  return deepest;
}

/** Returns the text as JSON, cut to fit a message. */
function shown(text: string): string {
  return JSON.stringify(shortened(text, 100));
}
