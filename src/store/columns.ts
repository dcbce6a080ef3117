/** Columns of the tables: how each value is stored and read. Both backends have the same ones. */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { CallUsage } from "../parse/message-draft.ts";
import type { BlockType, MessageType, ToolStatus } from "../parse/model.ts";
import { isFields } from "../parse/json-fields.ts";
import { isConversation } from "../parse/statistics.ts";
import { errorSignature } from "../fixes/signature.ts";
import { figuresOfText, figuresText } from "./figures-text.ts";
import { searchedContent, type Searched } from "./index-texts.ts";
import { storableJson, storableKey, storableText, storableTime } from "./storable.ts";
import {
  MAX_CONTENT_BYTES,
  MAX_TITLE_CHARS,
  MIN_CONTENT_BYTES,
  SNIPPET_TYPES,
  type EventRole,
  type FiguresMark,
  type IndexState,
  type Kept,
  type SessionLabels,
  type SessionMark,
  type SourceCounts,
  type StoredBlock,
  type StoredEvent,
  type StoredFigures,
  type StoredMessage,
  type StoredSession,
  type StoredSnippet,
} from "./stored-model.ts";
import type { ColumnType, SqlValue, Types } from "./column-types.ts";
import type {
  BlockState,
  Candidate,
  FailureCount,
  SessionWithFigures,
  OutlinedFields,
  RowState,
  StoredTitle,
  Tombstone,
} from "./store.ts";
import { TranscriptsError } from "../transcripts-error.ts";

export type Row = Readonly<Record<string, unknown>>;

/** Internal: each backend reports it as damage to its own database (`asStoreError`). */
export class UnexpectedValue extends Error {
  override readonly name = "UnexpectedValue";

  constructor(column: string) {
    super(`a value in the column ${column} that this program did not write`);
  }
}

interface Column<T> {
  /** Type in the database, where the two differ by `Types`. */
  type: ColumnType | "TEXT";
  isNullable?: boolean;
  /** Default and checks. */
  rule?: (types: Types) => string;
  /** The column has the number of a row of another table, of which this is the id. */
  of?: Reference;
  /** Throws `UnexpectedValue` for a value of another type: the database is damaged. */
  read(row: Row, name: string): T;
  /** Returns the storable value. */
  write(value: T, name: string): SqlValue;
}

interface Reference {
  column: string;
  table: "sessions" | "messages";
  /** Condition besides that of the number: a number of a message is looked up within its session. */
  on?: string;
  rule: string;
}

/** Numbers of the rows that rows of a session refer to. */
export interface RowNumbers {
  session: number;
  messages: ReadonlyMap<string, number>;
}

export type Columns<T> = { readonly [K in keyof T]-?: Column<T[K]> };

export function textIn(row: Row, name: string): string {
  const value = row[name];
  if (typeof value === "string") return value;
  throw new UnexpectedValue(name);
}

/** Maximum bytes of a text that was packed; a longer one is damage. */
const MAX_UNPACKED_BYTES = 1024 * 1024 * 1024;

/** Reads a text that `packedText` may have packed. */
function packedTextIn(row: Row, name: string): string {
  const value = row[name];
  if (!(value instanceof Uint8Array)) return textIn(row, name);
  try {
    return inflateRawSync(value, { maxOutputLength: MAX_UNPACKED_BYTES }).toString();
  } catch {
    throw new UnexpectedValue(name);
  }
}

/** Shorter texts save little and take as long. */
const MIN_PACKED_BYTES = 1_024;
/** Higher levels take longer and save a thirtieth more. */
const DEFLATE_LEVEL = 1;

/** Returns the text deflated, for a database that does not do that itself; undefined if that would save nothing. */
export function packedText(text: string): Uint8Array | undefined {
  if (text.length < MIN_PACKED_BYTES) return undefined;
  const packed = deflateRawSync(text, { level: DEFLATE_LEVEL });
  return packed.length < Buffer.byteLength(text) ? packed : undefined;
}

export function numberIn(row: Row, name: string): number {
  const value = row[name];
  if (typeof value === "number") return value;
  throw new UnexpectedValue(name);
}

const text: Column<string> = { type: "TEXT", read: textIn, write: storableText };
const packable: Column<string> = { type: "packable", read: packedTextIn, write: storableText };
const time: Column<string> = { type: "time", read: textIn, write: storableTime };
/** Id that may be of any length. */
const key: Column<string> = { type: "TEXT", read: textIn, write: storableKey };
const id: Column<string> = { type: "key", read: textIn, write: storableId };
const number: Column<number> = { type: "integer", read: numberIn, write: (value) => value };
const real: Column<number> = { ...number, type: "real" };
const ofSession: Column<string> = {
  ...id,
  of: {
    column: "session",
    table: "sessions",
    rule: "REFERENCES sessions (number) ON DELETE CASCADE",
  },
};

/** SQLite stores booleans as 0 and 1. */
const boolean: Column<boolean> = {
  type: "boolean",
  read: (row, name) => {
    const value = row[name];
    if (value === true || value === 1) return true;
    if (value === false || value === 0) return false;
    throw new UnexpectedValue(name);
  },
  write: (value) => value,
};

/** One of a closed set of words. */
function word<const Word extends string>(words: readonly Word[]): Column<Word> {
  return {
    type: "TEXT",
    read: (row, name) => {
      const known = words.find((one) => one === row[name]);
      if (known === undefined) throw new UnexpectedValue(name);
      return known;
    },
    write: (value) => value,
  };
}

function json<T>(read: (value: unknown) => T): Column<T> {
  return { type: "TEXT", read: (row, name) => read(JSON.parse(textIn(row, name))), write: storableJson };
}

const figures: Column<StoredFigures> = {
  type: "TEXT",
  read: (row, name) => figuresOfText(textIn(row, name)),
  write: figuresText,
};

function orNull<T>(column: Column<T>): Column<T | null> {
  return {
    ...column,
    isNullable: true,
    read: (row, name) => (row[name] === null ? null : column.read(row, name)),
    write: (value, name) => (value === null ? null : column.write(value, name)),
  };
}

/** Columns of a table, or some of them. */
export interface TableColumns {
  table: string;
  /** Column names of a row as it is read. */
  names: readonly string[];
  /** The same for a `SELECT` from `from`. */
  list: string;
  from: string;
  /** Columns of the table, and their definitions. */
  columns: readonly string[];
  definitions: (types: Types) => string[];
  /** Types of the columns. */
  types: (types: Types) => string[];
}

export interface Rows<T> extends TableColumns {
  read: (row: Row) => T;
  /**
   * Returns storable values in the order of `columns`. Throws `invalid` for ids too long for an index. `numbers`: for
   * columns that refer to another row.
   */
  write: (value: T, numbers?: RowNumbers) => SqlValue[];
}

function rowsOf<T extends object>(table: string, columns: Columns<T>): Rows<T> {
  const all = Object.entries<Column<unknown>>(columns);
  const names = Object.keys(columns);
  const joined = all.flatMap(([, { of }]) => of ?? []);
  return {
    table,
    names,
    list: all.map(([name, { of }]) => `${of?.table ?? table}.${name}`).join(", "),
    from: [
      table,
      ...joined.map(
        ({ table: other, column, on = "" }) => `JOIN ${other} ON ${other}.number = ${table}.${column}${on}`,
      ),
    ].join(" "),
    columns: all.map(([name, { of }]) => of?.column ?? name),
    definitions: (types) => all.map(([name, column]) => definitionOf(name, column, types)),
    types: (types) => all.map(([, column]) => typeOf(column, types)),
    read: readerOf(columns),
    write: (value, numbers) =>
      all.map(([name, column]) => {
        const field: unknown = Reflect.get(value, name);
        return column.of === undefined ? column.write(field, name) : numberOfRow(column.of, field, numbers);
      }),
  };
}

/** Returns null for a row that does not exist, which the table refuses. */
function numberOfRow({ table }: Reference, id: unknown, numbers: RowNumbers | undefined): number | null {
  if (table === "sessions") return numbers?.session ?? null;
  return numbers?.messages.get(storableText(String(id))) ?? null;
}

function typeOf({ type, of }: Column<unknown>, types: Types): string {
  if (of !== undefined) return types.integer;
  return type === "TEXT" ? type : types[type];
}

function definitionOf(name: string, column: Column<unknown>, types: Types): string {
  const { isNullable, rule, of } = column;
  const words = [of?.column ?? name, typeOf(column, types), isNullable === true ? "" : "NOT NULL"];
  return [...words, of?.rule ?? rule?.(types) ?? ""].filter((part) => part !== "").join(" ");
}

/** Returns a function that reads a row with these columns. */
function readerOf<T extends object>(columns: Columns<T>): (row: Row) => T {
  const all = Object.entries<Column<unknown>>(columns);
  /** Copied for each row, since adding the fields one by one takes twice as long. */
  const empty: Record<string, unknown> = Object.fromEntries(all.map(([name]) => [name, null]));
  return (row) => {
    const values = { ...empty };
    for (const [name, column] of all) values[name] = column.read(row, name);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each column has read its own field
    return values as T;
  };
}

const messageType = word(["assistant", "user", "system", "summary"] as const satisfies MessageType[]);
const status = orNull(
  word(["completed", "error", "interrupted", "rejected", "pending"] as const satisfies ToolStatus[]),
);
const blockType = word([
  ...(["tool_result", "tool_use", "text", "thinking"] as const),
  ...(["redacted_thinking", "image", "document", "unknown"] as const),
] satisfies BlockType[]);
const kept = word(["all", "none"] as const satisfies Kept[]);
const userKind = orNull(word(["human", "tool_result", "meta"] as const));
const metadata = json((value): Record<string, unknown> =>
  typeof value === "object" && value !== null ? { ...value } : {},
);

const SESSION: Columns<Omit<StoredSession, "label_title" | "counts" | "state" | "figures">> = {
  session_id: { ...id, rule: () => "UNIQUE" },
  place: text,
  agent: text,
  machine_id: orNull(text),
  host: text,
  path: text,
  project: orNull(text),
  parent_id: orNull(text),
  agent_id: orNull(text),
  title: orNull(text),
  given_title: orNull(text),
  title_is_message: boolean,
  title_line: number,
  title_offset: number,
  first_prompt: orNull(text),
  cwd: orNull(text),
  git_branch: orNull(text),
  agent_version: orNull(text),
  started_at: orNull(time),
  ended_at: orNull(time),
  active_ms: number,
  modified_at: orNull(time),
};

const COUNTS: Columns<SourceCounts> = { damaged: number, unknown_lines: number, redactions: json(redactionsIn) };

const STATE: Columns<Omit<IndexState, "events"> & { event_count: number }> = {
  revision: number,
  rules: number,
  source_bytes: number,
  source_modified_ms: real,
  lines: number,
  event_count: number,
  format: text,
  copied_revision: number,
};

/**
 * `project_name` is derived from the project, `is_conversation` and `failed_calls` from the figures; they are only compared.
 */
const SESSION_ROW = rowsOf<object>("sessions", {
  ...SESSION,
  ...COUNTS,
  ...STATE,
  figures_rules: orNull(number),
  figures_bytes: orNull(number),
  figures_modified_ms: orNull(real),
  project_name: orNull(text),
  is_conversation: orNull(boolean),
  failed_calls: orNull(number),
  figures: orNull(figures),
});
const NOT_READ: ReadonlySet<string> = new Set(["figures", "project_name", "is_conversation", "failed_calls"]);
const SESSION_LIST = SESSION_ROW.names.filter((name) => !NOT_READ.has(name));
const [readSession, readCounts, readState] = [readerOf(SESSION), readerOf(COUNTS), readerOf(STATE)];

/** Title that the user gave a session. */
export const LABEL_TITLE =
  "(SELECT label_title FROM session_labels WHERE session_labels.session_id = sessions.session_id)";

export const SESSIONS = {
  ...SESSION_ROW,
  list: [...SESSION_LIST, `${LABEL_TITLE} AS label_title`].join(", "),
  read: (row: Row): StoredSession => {
    const { event_count: events, ...state } = readState(row);
    return {
      ...readSession(row),
      label_title: orNull(text).read(row, "label_title"),
      counts: readCounts(row),
      state: { ...state, events },
      figures: figuresMarkIn(row),
    };
  },
};

/** Returns the values of a session's row. Without `figures`, those are null, which keeps the old ones. */
export function sessionValues(session: StoredSession, figures: StoredFigures | undefined): SqlValue[] {
  const {
    state: { events: event_count, ...state },
    counts,
    figures: mark,
    label_title: _label,
    ...row
  } = session;
  return SESSION_ROW.write({
    ...row,
    ...counts,
    ...state,
    event_count,
    figures_rules: mark?.rules ?? null,
    figures_bytes: mark?.source_bytes ?? null,
    figures_modified_ms: mark?.source_modified_ms ?? null,
    project_name: projectName(row.project),
    is_conversation:
      figures === undefined ? null : isConversation({ ...figures.counts, initial_prompt: row.first_prompt }),
    failed_calls: figures?.counts.tool_error_count ?? null,
    figures: figures ?? null,
  });
}

/** Condition on events that count as failures. */
export const IS_FAILURE = "signature IS NOT NULL AND NOT superseded AND NOT is_own";

/** Condition on sessions with a title that is not also a message. */
export const HAS_TITLE = "given_title IS NOT NULL AND NOT title_is_message";

export const TITLES = rowsOf<StoredTitle>("sessions", {
  session_id: text,
  given_title: text,
  title_line: number,
  title_offset: number,
  started_at: orNull(time),
});

const MARKED = "session_id, place, path, parent_id, agent_id, started_at, revision";
const FIGURES_MARK = "figures_rules, figures_bytes, figures_modified_ms";

export const SESSION_MARKS = {
  /** Columns that marks are read from. */
  columns: `${MARKED}, ${FIGURES_MARK}, rules, source_bytes, source_modified_ms`,
  list: `${MARKED}, ${FIGURES_MARK}, coalesce(rules = figures_rules AND source_bytes = figures_bytes
    AND source_modified_ms = figures_modified_ms, false) AS has_content`,
  read: (row: Row): SessionMark => ({
    session_id: textIn(row, "session_id"),
    place: textIn(row, "place"),
    path: textIn(row, "path"),
    parent_id: SESSION.parent_id.read(row, "parent_id"),
    agent_id: SESSION.agent_id.read(row, "agent_id"),
    started_at: SESSION.started_at.read(row, "started_at"),
    revision: numberIn(row, "revision"),
    figures: figuresMarkIn(row),
    has_content: boolean.read(row, "has_content"),
  }),
};

function figuresMarkIn(row: Row): FiguresMark | null {
  if (row["figures_rules"] === null) return null;
  return {
    rules: numberIn(row, "figures_rules"),
    source_bytes: numberIn(row, "figures_bytes"),
    source_modified_ms: numberIn(row, "figures_modified_ms"),
  };
}

/** Reads the column `content` of `events`. */
export function contentIn(row: Row): string {
  return packedTextIn(row, "content");
}

const MESSAGE: Columns<StoredMessage> = {
  session_id: ofSession,
  source_id: orNull(key),
  request_id: orNull(text),
  model: orNull(text),
  provider: orNull(text),
  occurred_at: orNull(time),
  is_sidechain: boolean,
  metadata,
  tokens_in: orNull(number),
  tokens_out: orNull(number),
  cache_read: orNull(number),
  cache_write: orNull(number),
  recorded_cost_usd: orNull(real),
  usage_calls: orNull(json((calls) => (Array.isArray(calls) ? calls.filter(isFields).map(callIn) : null))),
  superseded: boolean,
  message_id: id,
  ordinal: number,
  line_number: number,
  byte_offset: number,
  message_type: messageType,
  role: orNull(word(["user", "assistant"] as const)),
  user_kind: userKind,
  uuid: orNull(key),
  parent_uuid: orNull(text),
  cwd: orNull(text),
  has_text: boolean,
  has_thinking: boolean,
  has_tool_use: boolean,
  has_tool_result: boolean,
  agent_id: orNull(text),
  raw_hash: number,
};

export const MESSAGES = rowsOf("messages", MESSAGE);

export const OUTLINED = rowsOf<OutlinedFields>("messages", {
  ordinal: MESSAGE.ordinal,
  user_kind: MESSAGE.user_kind,
  is_sidechain: MESSAGE.is_sidechain,
  metadata: MESSAGE.metadata,
  occurred_at: MESSAGE.occurred_at,
  model: MESSAGE.model,
  provider: MESSAGE.provider,
  tokens_in: MESSAGE.tokens_in,
  tokens_out: MESSAGE.tokens_out,
  cache_read: MESSAGE.cache_read,
  cache_write: MESSAGE.cache_write,
  recorded_cost_usd: MESSAGE.recorded_cost_usd,
  usage_calls: MESSAGE.usage_calls,
});

/** Events are deleted with their session, as their messages are. */
const ofMessage: Column<string> = {
  ...id,
  of: { column: "message", table: "messages", on: " AND messages.session = events.session", rule: "" },
};

const BLOCK: Columns<StoredBlock> = {
  event_id: id,
  message_id: ofMessage,
  session_id: ofSession,
  ordinal: number,
  block_order: number,
  line_number: number,
  byte_offset: number,
  occurred_at: orNull(time),
  message_type: messageType,
  role: word(["tool", "assistant", "user", "system"] as const satisfies EventRole[]),
  block_type: blockType,
  source_uuid: orNull(key),
  tool_name: orNull(text),
  tool_use_id: orNull(key),
  answers_uuid: orNull(key),
  is_error: orNull(boolean),
  exit_code: orNull(number),
  status,
  is_sidechain: boolean,
  is_own: boolean,
  kept,
  metadata,
  raw_hash: number,
  superseded: boolean,
  // The last column, so that the others can be read without it.
  content: packable,
};

/** Blocks, without `position` and what is derived. */
export const BLOCKS = rowsOf("events", BLOCK);

const SNIPPET_TYPE_LIST = SNIPPET_TYPES.map((type) => `'${type}'`).join(", ");

export const MESSAGE_STATES = rowsOf<RowState & { message_id: string }>("messages", {
  message_id: text,
  raw_hash: number,
  superseded: boolean,
});
export const BLOCK_STATES = rowsOf<BlockState & { event_id: string }>("events", {
  event_id: text,
  block_type: blockType,
  tool_name: orNull(text),
  status,
  is_own: boolean,
  raw_hash: number,
  superseded: boolean,
});

export const SNIPPETS = rowsOf<StoredSnippet>("conversation_snippets", {
  snippet_id: { ...text, type: "uuid", rule: ({ newUuid }) => `DEFAULT ${newUuid}` },
  session_id: { ...id, rule: () => "REFERENCES sessions (session_id) ON DELETE CASCADE" },
  event_id: orNull(id),
  snippet_type: { ...word(SNIPPET_TYPES), rule: () => `CHECK (snippet_type IN (${SNIPPET_TYPE_LIST}))` },
  title: { ...text, rule: () => `CHECK (length(title) <= ${MAX_TITLE_CHARS})` },
  content: {
    ...text,
    rule: () => `CHECK (octet_length(content) BETWEEN ${MIN_CONTENT_BYTES} AND ${MAX_CONTENT_BYTES})`,
  },
  source_file: orNull(text),
  source_line_start: orNull(number),
  source_line_end: orNull(number),
  tags: { ...json(tagsIn), type: "json", rule: ({ isJson }) => `DEFAULT '[]' ${isJson("tags", "array")}` },
  metadata: { ...metadata, type: "json", rule: ({ isJson }) => `DEFAULT '{}' ${isJson("metadata", "object")}` },
  created_at: { ...time, rule: ({ now }) => `DEFAULT ${now}` },
  updated_at: { ...time, rule: ({ now }) => `DEFAULT ${now}` },
});

export const readFailure = readerOf<FailureCount>({
  session_id: text,
  signature: text,
  count: number,
  latest: orNull(time),
});

export const TOMBSTONES = rowsOf<Tombstone>("forgotten_sessions", { session_id: id, place: id });

/** Fields that decide what a search finds in a block. */
export const SEARCHED = rowsOf<Searched & { is_own: boolean }>("events", {
  is_own: boolean,
  block_type: blockType,
  tool_name: orNull(text),
  kept,
  content: packable,
  metadata,
});

/** Blocks as a search sees them. */
export const EVENTS = { ...BLOCKS, read: (row: Row): StoredEvent => eventOfBlock(BLOCKS.read(row)) };

/** A file that a call read or changed. Where the folder of the call is unknown, its path is relative. */
export interface TouchedFile {
  session_id: string;
  event_id: string;
  path: string;
  /** Last part of the path. */
  name: string;
  is_written: boolean;
}

export const TOUCHED_FILES = rowsOf<TouchedFile>("touched_files", {
  session_id: ofSession,
  event_id: id,
  path: key,
  name: key,
  is_written: boolean,
});

export const LABELS = rowsOf<SessionLabels>("session_labels", {
  session_id: { ...id, rule: () => "UNIQUE REFERENCES sessions (session_id) ON DELETE CASCADE" },
  tags: { ...json(tagsIn), type: "json" },
  is_pinned: boolean,
  label_title: orNull(text),
});

/** Sessions with their figures and labels. */
export const LISTED = {
  list: `${SESSIONS.list}, figures, labelled, tags, is_pinned`,
  from: `sessions LEFT JOIN (
    SELECT session_id AS labelled, tags, is_pinned FROM session_labels
  ) AS labels ON labelled = session_id`,
  read: (row: Row): SessionWithFigures => ({
    session: SESSIONS.read(row),
    figures: figures.read(row, "figures"),
    labels: row["labelled"] === null ? undefined : LABELS.read({ ...row, session_id: row["labelled"] }),
  }),
};

export const CANDIDATE_COLUMNS = `events.position, ${BLOCKS.list}`;

/** Reads a row of `CANDIDATE_COLUMNS`; with a file also `changes_file`. */
export function candidateIn(row: Row): Candidate {
  const candidate = { ...EVENTS.read(row), position: numberIn(row, "position") };
  if (!("changes_file" in row)) return candidate;
  return { ...candidate, changes_file: boolean.read(row, "changes_file") };
}

/** Returns a block as a search sees it. The output of this program has no searchable text. */
function eventOfBlock(block: StoredBlock): StoredEvent {
  const { message_id: _m, block_order: _o, source_uuid: _u, is_error: _e, exit_code: _x, ...event } = block;
  const { kept: _k, metadata: _d, raw_hash: _h, answers_uuid: _a, ...shown } = event;
  return { ...shown, content: block.is_own ? "" : searchedContent(block) };
}

function redactionsIn(value: unknown): Record<string, number> {
  const counts = isFields(value) ? Object.entries(value) : [];
  return Object.fromEntries(counts.filter((entry): entry is [string, number] => typeof entry[1] === "number"));
}

function callIn(call: Readonly<Record<string, unknown>>): CallUsage {
  return {
    model: typeof call["model"] === "string" ? call["model"] : undefined,
    tokensIn: numberOf(call, "tokensIn"),
    tokensOut: numberOf(call, "tokensOut"),
    cacheRead: numberOf(call, "cacheRead"),
    cacheWrite: numberOf(call, "cacheWrite"),
    cacheWrite1h: numberOf(call, "cacheWrite1h"),
  };
}

function numberOf(fields: Readonly<Record<string, unknown>>, name: string): number {
  const value = fields[name];
  return typeof value === "number" ? value : 0;
}

/** Other programs may have stored tags that are not strings: those are returned as JSON. */
function tagsIn(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.map((tag: unknown) => (typeof tag === "string" ? tag : JSON.stringify(tag)));
}

/** A block that is written, with one column derived from others. */
export const WRITTEN_BLOCKS: Rows<StoredBlock> = (() => {
  const written = rowsOf<object>("events", { signature: orNull(text), ...BLOCK });
  return {
    ...written,
    read: BLOCKS.read,
    write: (block, numbers) => written.write({ ...block, signature: signatureOf(block) }, numbers),
  };
})();

function signatureOf({ block_type, status: ending, content }: StoredBlock): string | null {
  if (block_type !== "tool_result" || ending !== "error") return null;
  return errorSignature(content) || null;
}

/** Returns the last component of the project's folder in lower case: what people call the project. */
function projectName(project: string | null): string | null {
  if (project === null) return null;
  const names = project.split(/[\\/]/).filter((name) => name !== "");
  return (names.at(-1) ?? project).toLowerCase();
}

/** Maximum UTF-8 bytes of an indexed name: PostgreSQL allows about 2,700 in one index entry. */
const MAX_ID_BYTES = 1_000;

/** Returns true if the text can be the id of a session or an event. */
export function isId(given: string): boolean {
  return Buffer.byteLength(given) <= MAX_ID_BYTES;
}

function storableId(given: string, field: string): string {
  const stored = storableText(given);
  if (isId(stored)) return stored;
  throw new TranscriptsError(
    "invalid",
    `\`${field}\` has ${Buffer.byteLength(stored)} bytes.`,
    `Use at most ${MAX_ID_BYTES} bytes.`,
    { field },
  );
}
