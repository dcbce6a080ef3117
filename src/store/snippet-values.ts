/** Snippets and questions about them, checked before a database sees them: the same answers from both backends. */
import { MAX_CONTENT_BYTES, MAX_TITLE_CHARS, MIN_CONTENT_BYTES, SNIPPET_TYPES, type SnippetType } from "./model.ts";
import { isId } from "./stored-values.ts";
import { storableJson, storableText, storableTextOrNull, storableTime } from "./storable.ts";
import { StoreError } from "./store-error.ts";
import type { NewSnippet, SnippetQuery } from "./store.ts";

const MAX_LINE = 2_147_483_647;
/** Of tags and of metadata as JSON, in bytes; far more than a snippet itself has. */
const MAX_JSON_BYTES = 65_536;
const MAX_JSON_DEPTH = 100;

/** A snippet as its columns have it. */
export interface SnippetValues {
  session_id: string;
  event_id: string | null;
  snippet_type: SnippetType;
  title: string;
  content: string;
  source_file: string | null;
  source_line_start: number | null;
  source_line_end: number | null;
  /** JSON. */
  tags: string;
  /** JSON. */
  metadata: string;
  /** Null: now. */
  created_at: string | null;
}

/** Throws `invalid` with the field for what the tables would refuse, `unknown_…` for ids that none can have. */
export function snippetValues(snippet: NewSnippet): SnippetValues {
  if (!isId(snippet.session_id)) throw unknownSession(snippet.session_id);
  if (snippet.event_id !== null && !isId(snippet.event_id)) throw unknownEvent(snippet.event_id);
  return {
    session_id: storableText(snippet.session_id),
    event_id: storableTextOrNull(snippet.event_id),
    snippet_type: checkedType(snippet.snippet_type),
    title: checkedTitle(storableText(snippet.title)),
    content: checkedContent(storableText(snippet.content)),
    source_file: storableTextOrNull(snippet.source_file),
    ...checkedLines(snippet.source_line_start, snippet.source_line_end),
    tags: checkedTags(snippet.tags),
    metadata: checkedMetadata(snippet.metadata),
    created_at: snippet.created_at === undefined ? null : checkedTime(snippet.created_at, "created_at"),
  };
}

/** Lines of a session that a program suggests to keep. */
export interface Passage {
  session_id: string;
  snippet_type: SnippetType;
  line_start: number;
  line_end: number;
}

/** Throws `invalid` for a snippet that does not say which lines it is of. */
export function passageOf(values: SnippetValues): Passage {
  const { session_id, snippet_type, source_line_start: line_start, source_line_end: line_end } = values;
  for (const [field, line] of Object.entries({ source_line_start: line_start, source_line_end: line_end })) {
    if (line === null) throw invalid(field, `\`${field}\` is missing.`, "Give the lines that are suggested.");
  }
  return { session_id, snippet_type, line_start: line_start ?? 1, line_end: line_end ?? 1 };
}

/** A question with everything in the form in which the tables have it. */
export interface SnippetConditions {
  session_id?: string;
  snippet_type?: SnippetType;
  project?: string;
  tags: readonly string[];
  /** As given but storable. */
  keyword?: string;
  start?: string;
  end?: string;
  limit: number;
  offset: number;
}

/** Throws `invalid` with the field. */
export function snippetConditions(query: SnippetQuery): SnippetConditions {
  const { session_id, snippet_type, project, tags = [], keyword, start, end } = query;
  return {
    ...(session_id === undefined ? {} : { session_id: storableText(session_id) }),
    ...(snippet_type === undefined ? {} : { snippet_type: checkedType(snippet_type) }),
    ...(project === undefined ? {} : { project: storableText(project) }),
    tags: [...new Set(tags.map((tag) => storableText(tag)))],
    ...(keyword === undefined || keyword === "" ? {} : { keyword: storableText(keyword) }),
    ...(start === undefined ? {} : { start: checkedTime(start, "start") }),
    ...(end === undefined ? {} : { end: checkedTime(end, "end") }),
    limit: checkedNumber(query.limit, "limit"),
    offset: checkedNumber(query.offset, "offset"),
  };
}

export function unknownSession(sessionId: string): StoreError {
  return new StoreError(
    "unknown_session",
    `There is no session ${shown(sessionId)} in the store.`,
    "Give the id of one that `transcripts list` shows, or run `transcripts index` first.",
    { field: "session_id" },
  );
}

export function unknownEvent(eventId: string): StoreError {
  return new StoreError(
    "unknown_event",
    `There is no event ${shown(eventId)} in the store.`,
    "Give the id of an event that is indexed, or leave `event_id` out.",
    { field: "event_id" },
  );
}

function invalid(field: string, problem: string, next: string, cause?: unknown): StoreError {
  return new StoreError("invalid", problem, next, cause === undefined ? { field } : { field, cause });
}

/** Whether a keyword has more characters than a content has bytes, and so stands nowhere. */
export function isTooLong(keyword: string): boolean {
  return keyword.length > MAX_CONTENT_BYTES;
}

/** The time as the tables have it. Throws `invalid`. */
export function checkedTime(time: string | Date, field: string): string {
  const stored = storableTime(time);
  if (stored !== null) return stored;
  throw invalid(
    field,
    `\`${field}\` is no time: ${typeof time === "string" ? shown(time) : "an invalid Date"}.`,
    "Give one in ISO 8601, such as 2026-01-31 or 2026-01-31T12:00:00Z.",
  );
}

function checkedType(type: string): SnippetType {
  const known = SNIPPET_TYPES.find((one) => one === type);
  if (known !== undefined) return known;
  throw invalid("snippet_type", `\`snippet_type\` is ${shown(type)}.`, `Give one of ${SNIPPET_TYPES.join(", ")}.`);
}

function checkedTitle(title: string): string {
  // As databases count them: code points.
  const { length } = title.length > MAX_TITLE_CHARS ? [...title] : title;
  if (length <= MAX_TITLE_CHARS) return title;
  throw invalid("title", `\`title\` has ${length} characters.`, `Give one of at most ${MAX_TITLE_CHARS}.`);
}

function checkedContent(content: string): string {
  const bytes = Buffer.byteLength(content);
  if (bytes >= MIN_CONTENT_BYTES && bytes <= MAX_CONTENT_BYTES) return content;
  throw invalid(
    "content",
    `\`content\` has ${bytes} bytes in UTF-8.`,
    bytes < MIN_CONTENT_BYTES
      ? `Give at least ${MIN_CONTENT_BYTES} bytes.`
      : `Give at most ${MAX_CONTENT_BYTES} bytes: the part that matters.`,
  );
}

function checkedLines(
  start: number | null,
  end: number | null,
): Pick<SnippetValues, "source_line_start" | "source_line_end"> {
  for (const [field, line] of [["source_line_start", start] as const, ["source_line_end", end] as const]) {
    if (line === null || (Number.isInteger(line) && line >= 1 && line <= MAX_LINE)) continue;
    throw invalid(field, `\`${field}\` is ${line}.`, "Give a line number: a whole number from 1.");
  }
  if (start !== null && end !== null && end < start) {
    throw invalid(
      "source_line_end",
      `\`source_line_end\` (${end}) is before \`source_line_start\` (${start}).`,
      "Give the first line and the last one.",
    );
  }
  return { source_line_start: start, source_line_end: end };
}

function checkedTags(tags: readonly unknown[]): string {
  if (!Array.isArray(tags) || tags.some((tag) => typeof tag !== "string")) {
    throw invalid("tags", "`tags` is no list of texts.", "Give a list of texts, which may be empty.");
  }
  return checkedJson(tags, "tags");
}

function checkedMetadata(metadata: unknown): string {
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) {
    throw invalid("metadata", "`metadata` is no object.", "Give an object, which may be empty.");
  }
  return checkedJson(metadata, "metadata");
}

function checkedJson(value: object, field: string): string {
  let json: string;
  try {
    json = storableJson(value);
  } catch (error) {
    throw invalid(field, `\`${field}\` cannot be written as JSON.`, "Give texts, numbers, lists and objects.", error);
  }
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_JSON_BYTES) {
    throw invalid(field, `\`${field}\` has ${bytes} bytes as JSON.`, `Give at most ${MAX_JSON_BYTES} bytes.`);
  }
  if (depthOf(json) > MAX_JSON_DEPTH) {
    throw invalid(field, `\`${field}\` is nested too deeply.`, `Give at most ${MAX_JSON_DEPTH} levels.`);
  }
  return json;
}

/** How many brackets are open at once. */
function depthOf(json: string): number {
  let open = 0;
  let deepest = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[{\]}]/g)) {
    if (token === "[" || token === "{") deepest = Math.max(deepest, ++open);
    else if (token === "]" || token === "}") open--;
  }
  return deepest;
}

function checkedNumber(number: number, field: "limit" | "offset"): number {
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw invalid(field, `\`${field}\` is ${number}.`, "Give a whole number from 0.");
}

/** Short enough for a message. */
function shown(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
