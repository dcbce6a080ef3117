/** Validates snippets and snippet queries before they reach a database, so that both backends give the same answers. */
import {
  MAX_CONTENT_BYTES,
  MAX_TITLE_CHARS,
  MIN_CONTENT_BYTES,
  SNIPPET_TYPES,
  type SnippetType,
} from "./stored-model.ts";
import { isId } from "./stored-values.ts";
import { storableJson, storableText, storableTextOrNull, storableTime } from "./storable.ts";
import type { NewSnippet, SnippetQuery } from "./store.ts";
import { TranscriptsError } from "../transcripts-error.ts";
import { shortened } from "../neutral-text.ts";

const MAX_LINE = 2_147_483_647;
/** Maximum bytes of tags or metadata as JSON; far more than a snippet itself may have. */
const MAX_JSON_BYTES = 65_536;
const MAX_JSON_DEPTH = 100;

/** A snippet in the form of its columns. */
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
  /** Null means now. */
  created_at: string | null;
}

/**
 * Returns the column values of a snippet. Throws `invalid` with the field for values that the tables would refuse, and
 * `unknown_…` for ids that cannot exist.
 */
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

/** Lines of a session that a program suggests keeping. */
export interface Passage {
  session_id: string;
  snippet_type: SnippetType;
  line_start: number;
  line_end: number;
}

/** Returns the lines that a snippet covers. Throws `invalid` if it does not name them. */
export function passageOf(values: SnippetValues): Passage {
  const { session_id, snippet_type, source_line_start: line_start, source_line_end: line_end } = values;
  for (const [field, line] of Object.entries({ source_line_start: line_start, source_line_end: line_end })) {
    if (line === null) throw invalid(field, `\`${field}\` is missing.`, "Use the suggested lines.");
  }
  return { session_id, snippet_type, line_start: line_start ?? 1, line_end: line_end ?? 1 };
}

/** A snippet query with its values in the form of the tables. */
export interface SnippetConditions {
  session_id?: string;
  snippet_type?: SnippetType;
  project?: string;
  tags: readonly string[];
  /** Storable, but not folded. */
  keyword?: string;
  start?: string;
  end?: string;
  limit: number;
  offset: number;
}

/** Throws `invalid` with the name of the field. */
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
export function isTooLong(keyword: string): boolean {
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

function checkedType(type: string): SnippetType {
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

function checkedLines(
  start: number | null,
  end: number | null,
): Pick<SnippetValues, "source_line_start" | "source_line_end"> {
  for (const [field, line] of [["source_line_start", start] as const, ["source_line_end", end] as const]) {
    if (line === null || (Number.isInteger(line) && line >= 1 && line <= MAX_LINE)) continue;
    throw invalid(field, `\`${field}\` is ${line}.`, "Use a line number: a whole number from 1.");
  }
  if (start !== null && end !== null && end < start) {
    throw invalid(
      "source_line_end",
      `\`source_line_end\` (${end}) is before \`source_line_start\` (${start}).`,
      "Swap the two lines.",
    );
  }
  return { source_line_start: start, source_line_end: end };
}

function checkedTags(tags: readonly unknown[]): string {
  if (!Array.isArray(tags) || tags.some((tag) => typeof tag !== "string")) {
    throw invalid("tags", "`tags` is not a list of strings.", "Use a list of strings; it may be empty.");
  }
  return checkedJson(tags, "tags");
}

function checkedMetadata(metadata: unknown): string {
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) {
    throw invalid("metadata", "`metadata` is not an object.", "Use an object; it may be empty.");
  }
  return checkedJson(metadata, "metadata");
}

function checkedJson(value: object, field: string): string {
  let json: string;
  try {
    json = storableJson(value);
  } catch (error) {
    throw invalid(
      field,
      `\`${field}\` cannot be written as JSON.`,
      "Use strings, numbers, lists and objects only.",
      error,
    );
  }
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_JSON_BYTES) {
    throw invalid(field, `\`${field}\` has ${bytes} bytes as JSON.`, `Use at most ${MAX_JSON_BYTES} bytes.`);
  }
  if (depthOf(json) > MAX_JSON_DEPTH) {
    throw invalid(field, `\`${field}\` is nested too deeply.`, `Use at most ${MAX_JSON_DEPTH} levels.`);
  }
  return json;
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

function checkedNumber(number: number, field: "limit" | "offset"): number {
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw invalid(field, `\`${field}\` is ${number}.`, "Use a whole number from 0.");
}

/** Returns the text as JSON, cut to fit a message. */
function shown(text: string): string {
  return JSON.stringify(shortened(text, 100));
}
