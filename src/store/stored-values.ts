/** Sessions and events as the tables hold them: texts storable, times as one form, what both backends derive. */
import { StoreError } from "./store-error.ts";
import type { StoredEvent, StoredSession } from "./model.ts";
import { storableText, storableTextOrNull, storableTime } from "./storable.ts";

/** Names that stand in indexes, in bytes of UTF-8: PostgreSQL takes no more than some 2,700 in one entry. */
const MAX_ID_BYTES = 1_000;

/** The session as it comes back. Throws `invalid` for names that no index takes. */
function storableSession(session: StoredSession): StoredSession {
  return {
    session_id: storableId(session.session_id, "session_id"),
    source: session.source,
    host: storableText(session.host),
    path: storableText(session.path),
    project: storableTextOrNull(session.project),
    parent_id: storableTextOrNull(session.parent_id),
    agent_id: storableTextOrNull(session.agent_id),
    title: storableTextOrNull(session.title),
    started_at: storableTime(session.started_at),
    modified_at: storableTime(session.modified_at),
    state: { ...session.state, check: storableText(session.state.check) },
  };
}

/** The values of a session by the names of its columns, all of them. */
export function sessionValues(given: StoredSession): Record<string, string | number | null | Uint8Array> {
  const { state, ...session } = storableSession(given);
  const { events, check, ...figures } = state;
  const project_name = projectName(session.project);
  return { ...session, ...figures, event_count: events, source_check: check, project_name };
}

/** The event as it comes back. Throws `invalid` for names that no index takes. */
export function storableEvent(event: StoredEvent): StoredEvent {
  return {
    event_id: storableId(event.event_id, "event_id"),
    session_id: storableText(event.session_id),
    ordinal: event.ordinal,
    line_number: event.line_number,
    byte_offset: event.byte_offset,
    occurred_at: storableTime(event.occurred_at),
    message_type: event.message_type,
    role: event.role,
    block_type: event.block_type,
    tool_name: storableTextOrNull(event.tool_name),
    tool_use_id: storableTextOrNull(event.tool_use_id),
    status: event.status,
    is_sidechain: event.is_sidechain,
    is_own: event.is_own,
    content: storableText(event.content),
  };
}

/** The last name of a project's folder, in any case: what a person calls the project. */
function projectName(project: string | null): string | null {
  if (project === null) return null;
  const names = project.split(/[\\/]/).filter((name) => name !== "");
  return (names.at(-1) ?? project).toLowerCase();
}

/** Whether a session or an event may have this id. */
export function isId(id: string): boolean {
  return Buffer.byteLength(id) <= MAX_ID_BYTES;
}

function storableId(id: string, field: string): string {
  const text = storableText(id);
  if (isId(text)) return text;
  throw new StoreError(
    "invalid",
    `\`${field}\` has ${Buffer.byteLength(text)} bytes.`,
    `Give one of at most ${MAX_ID_BYTES} bytes.`,
    { field },
  );
}

/** A session that is only to be there, with nothing indexed. */
export function newSession(session: Omit<StoredSession, "state">): StoredSession {
  const nothing = { source_bytes: 0, source_modified_ms: 0, done_bytes: 0, done_lines: 0, events: 0 };
  return { ...session, state: { revision: 0, rules: 0, ...nothing, check: "", memory: null } };
}
