/** Rows for tests: whole, with as little as a test has to say about them. */
import type { IndexState, StoredEvent, StoredSession } from "../../../src/store/model.ts";
import type { NewSnippet, SessionChange, Store } from "../../../src/store/store.ts";

export function madeState(changed: Partial<IndexState> = {}): IndexState {
  return {
    revision: 1,
    rules: 1,
    source_bytes: 1_000,
    source_modified_ms: 1_767_225_600_000.25,
    done_bytes: 900,
    done_lines: 9,
    events: 1,
    check: "abc",
    memory: null,
    ...changed,
  };
}

export function madeSession(session_id = "s1", changed: Partial<StoredSession> = {}): StoredSession {
  return {
    session_id,
    source: "claude-code",
    host: "machine",
    path: `/sessions/${session_id}.jsonl`,
    project: "/work/app",
    parent_id: null,
    agent_id: null,
    title: null,
    started_at: "2026-01-01T00:00:00.000Z",
    modified_at: null,
    state: madeState(),
    ...changed,
  };
}

/** Its id is of its session and ordinal. */
export function madeEvent(ordinal: number, changed: Partial<StoredEvent> = {}): StoredEvent {
  const session_id = changed.session_id ?? "s1";
  return {
    event_id: `${session_id}-${ordinal}`,
    session_id,
    ordinal,
    line_number: ordinal + 1,
    byte_offset: ordinal * 100,
    occurred_at: new Date(Date.UTC(2026, 0, 1) + ordinal * 1_000).toISOString(),
    message_type: "user",
    role: "user",
    block_type: "text",
    tool_name: null,
    tool_use_id: null,
    status: null,
    is_sidechain: false,
    is_own: false,
    content: `Entry number ${ordinal}.`,
    ...changed,
  };
}

/** A first write of a session, which other values may turn into a later one. */
export function madeChange(events: readonly StoredEvent[], changed: Partial<SessionChange> = {}): SessionChange {
  const session_id = changed.session?.session_id ?? events[0]?.session_id ?? "s1";
  return { session: madeSession(session_id), expected: 0, events, ...changed };
}

/** The change that follows the one that made the session's revision `expected`. */
export function laterChange(
  expected: number,
  events: readonly StoredEvent[],
  changed: Partial<SessionChange> = {},
): SessionChange {
  const session = madeSession("s1", { state: madeState({ revision: expected + 1 }) });
  return { session, expected, events, ...changed };
}

export function madeSnippet(changed: Partial<NewSnippet> = {}): NewSnippet {
  return {
    session_id: "s1",
    event_id: null,
    snippet_type: "decision_rationale",
    title: "Why the queue is bounded",
    content:
      "An unbounded queue hides a slow reader until memory is gone; a bounded one makes the writer wait, or say so.",
    source_file: null,
    source_line_start: null,
    source_line_end: null,
    tags: [],
    metadata: {},
    ...changed,
  };
}

/** A session with as many events as asked for, and nothing else in the store. */
export async function fillSession(store: Store, events = 3, session_id = "s1"): Promise<void> {
  const made = Array.from({ length: events }, (_, ordinal) => madeEvent(ordinal, { session_id }));
  const state = madeState({ events });
  await store.writeSession({ session: madeSession(session_id, { state }), expected: 0, events: made });
}
