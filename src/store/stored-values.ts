/**
 * Converts sessions and events to column values: storable texts, normalised times, and the columns that both backends
 * derive.
 */
import { errorSignature } from "../fixes/signature.ts";
import { MESSAGE_FIELDS, WRITTEN_BLOCK_FIELDS } from "./model-rows.ts";
import type { StoredBlock, StoredMessage, StoredSession } from "./stored-model.ts";
import type { SqlValue } from "./sql-database.ts";
import { storableJson, storableKey, storableText, storableTextOrNull, storableTime } from "./storable.ts";
import { TranscriptsError } from "../transcripts-error.ts";

/** Maximum UTF-8 bytes of an indexed name: PostgreSQL allows about 2,700 in one index entry. */
const MAX_ID_BYTES = 1_000;

/** Returns the session as it will be read back. Throws `invalid` for names too long for an index. */
function storableSession(session: StoredSession): StoredSession {
  return {
    session_id: storableId(session.session_id, "session_id"),
    source: session.source,
    agent: storableText(session.agent),
    machine_id: storableTextOrNull(session.machine_id),
    host: storableText(session.host),
    path: storableText(session.path),
    project: storableTextOrNull(session.project),
    parent_id: storableTextOrNull(session.parent_id),
    agent_id: storableTextOrNull(session.agent_id),
    title: storableTextOrNull(session.title),
    given_title: storableTextOrNull(session.given_title),
    title_is_message: session.title_is_message,
    title_line: session.title_line,
    title_offset: session.title_offset,
    first_prompt: storableTextOrNull(session.first_prompt),
    cwd: storableTextOrNull(session.cwd),
    git_branch: storableTextOrNull(session.git_branch),
    agent_version: storableTextOrNull(session.agent_version),
    started_at: storableTime(session.started_at),
    ended_at: storableTime(session.ended_at),
    modified_at: storableTime(session.modified_at),
    counts: session.counts,
    state: { ...session.state, check: storableText(session.state.check) },
    figures: session.figures,
  };
}

/** Returns all values of a session by column name. */
export function sessionValues(given: StoredSession): Record<string, string | number | boolean | null> {
  const { state, counts, figures, ...session } = storableSession(given);
  const { events, check, ...place } = state;
  const project_name = projectName(session.project);
  const redactions = storableJson(counts.redactions);
  const figures_mark = figures === null ? "" : JSON.stringify(figures);
  const derived = { redactions, event_count: events, source_check: check, figures_mark, project_name };
  return { ...session, ...counts, ...place, ...derived };
}

/** Returns values in the order of `MESSAGE_FIELDS`. Throws `invalid` for names too long for an index. */
export function messageValues(message: StoredMessage): SqlValue[] {
  const ids = { message_id: storableId(message.message_id, "message_id") };
  const calls = message.usage_calls === null ? null : storableJson(message.usage_calls);
  const json = {
    metadata: storableJson(message.metadata),
    usage_calls: calls,
    block_counts: storableJson(message.block_counts),
  };
  const values = { ...message, ...ids, ...json, occurred_at: storableTime(message.occurred_at) };
  return MESSAGE_FIELDS.map((field) => storable(field, values[field]));
}

/** Returns values in the order of `WRITTEN_BLOCK_FIELDS`. Throws `invalid` for names too long for an index. */
export function blockValues(block: StoredBlock): SqlValue[] {
  const ids = { event_id: storableId(block.event_id, "event_id") };
  const values = {
    ...block,
    ...ids,
    metadata: storableJson(block.metadata),
    occurred_at: storableTime(block.occurred_at),
    signature: signatureOf(block),
  };
  return WRITTEN_BLOCK_FIELDS.map((field) => storable(field, values[field]));
}

function signatureOf({ block_type, status, content }: StoredBlock): string | null {
  if (block_type !== "tool_result" || status !== "error") return null;
  return errorSignature(content) || null;
}

/** Columns by which `Store.known` finds rows. */
const KEYS: ReadonlySet<string> = new Set(["uuid", "source_id", "source_uuid", "tool_use_id", "answers_uuid"]);

function storable(field: string, value: string | number | boolean | null): string | number | boolean | null {
  if (typeof value !== "string") return value;
  return KEYS.has(field) ? storableKey(value) : storableText(value);
}

/** Returns the last component of the project's folder in lower case: what people call the project. */
function projectName(project: string | null): string | null {
  if (project === null) return null;
  const names = project.split(/[\\/]/).filter((name) => name !== "");
  return (names.at(-1) ?? project).toLowerCase();
}

/** Returns true if the text can be the id of a session or an event. */
export function isId(id: string): boolean {
  return Buffer.byteLength(id) <= MAX_ID_BYTES;
}

function storableId(id: string, field: string): string {
  const text = storableText(id);
  if (isId(text)) return text;
  throw new TranscriptsError(
    "invalid",
    `\`${field}\` has ${Buffer.byteLength(text)} bytes.`,
    `Use at most ${MAX_ID_BYTES} bytes.`,
    { field },
  );
}

/** Returns a session that is registered but not indexed. */
export function newSession(session: Omit<StoredSession, "state" | "figures">): StoredSession {
  const nothing = { source_bytes: 0, source_modified_ms: 0, done_bytes: 0, done_lines: 0, events: 0 };
  return { ...session, state: { revision: 0, rules: 0, ...nothing, check: "" }, figures: null };
}
