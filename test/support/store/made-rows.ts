/** Rows for tests: whole, with as little as a test has to say about them. */
import type {
  IndexState,
  StoredBlock,
  StoredEvent,
  StoredFigures,
  StoredMessage,
  StoredSession,
} from "../../../src/store/stored-model.ts";
import type { Machine } from "../../../src/store/store-place.ts";
import type { NewSnippet, SessionChange, Store } from "../../../src/store/store.ts";

export function madeMachine(): Machine {
  return { id: null, host: "machine", hashKey: "key" };
}

export function madeState(changed: Partial<IndexState> = {}): IndexState {
  return {
    revision: 1,
    rules: 1,
    source_bytes: 1_000,
    source_modified_ms: 1_767_225_600_000.25,
    lines: 9,
    events: 1,
    format: "claude-code",
    copied_revision: 0,
    ...changed,
  };
}

export function madeSession(session_id = "s1", changed: Partial<StoredSession> = {}): StoredSession {
  return {
    session_id,
    place: "claude-code",
    agent: "claude-code",
    machine_id: null,
    host: "machine",
    path: `/sessions/${session_id}.jsonl`,
    project: "/work/app",
    parent_id: null,
    agent_id: null,
    title: null,
    label_title: null,
    given_title: null,
    title_is_message: false,
    title_line: 0,
    title_offset: 0,
    first_prompt: null,
    cwd: null,
    git_branch: null,
    agent_version: null,
    started_at: "2026-01-01T00:00:00.000Z",
    ended_at: null,
    active_ms: 0,
    modified_at: null,
    counts: { damaged: 2, unknown_lines: 1, redactions: { token: 2 } },
    state: madeState(),
    figures: null,
    ...changed,
  };
}

/** With one answer. */
export function madeFigures(counts: Partial<StoredFigures["counts"]> = {}): StoredFigures {
  const tokens = { tokens_in: 3, tokens_out: 4, cache_read: 5, cache_write: 6 };
  const answer = {
    key: "msg_1\nreq_1",
    model: "m",
    provider: null,
    occurred_at: "2026-01-01T00:00:00.000Z",
    is_sidechain: false,
    metadata: { cache_write_1h: 2 },
    ...tokens,
    recorded_cost_usd: 0.25,
    usage_calls: null,
  };
  return {
    counts: {
      total_messages: 2,
      user_messages: 1,
      human_messages: 1,
      assistant_messages: 1,
      tool_use_count: 0,
      tool_error_count: 0,
      tool_rejected_count: 0,
      tool_interrupted_count: 0,
      tool_pending_count: 0,
      thinking_blocks: 0,
      withheld_thinking_blocks: 0,
      subagent_count: 0,
      tools: {},
      ...counts,
    },
    answers: [answer],
    prompts: ["2026-01-01T00:00:00.000Z"],
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
    superseded: false,
    content: `Entry number ${ordinal}.`,
    ...changed,
  };
}

/** Blocks that a search sees as these events, each in a message of its own. */
export function rowsOfEvents(events: readonly StoredEvent[]): { messages: StoredMessage[]; blocks: StoredBlock[] } {
  return { messages: events.map(messageOf), blocks: events.map(blockOf) };
}

function blockOf(event: StoredEvent): StoredBlock {
  return {
    ...event,
    message_id: `${event.session_id}/m${event.ordinal}`,
    block_order: 0,
    source_uuid: null,
    is_error: null,
    exit_code: null,
    kept: "all",
    metadata: {},
    // The input of a call is JSON.
    content: event.block_type === "tool_use" ? JSON.stringify(event.content) : event.content,
    raw_hash: 1,
    answers_uuid: null,
  };
}

function messageOf({ session_id, ordinal, line_number, byte_offset, ...event }: StoredEvent): StoredMessage {
  const none = { source_id: null, uuid: null, parent_uuid: null, request_id: null, model: null, provider: null };
  const unused = { tokens_in: null, tokens_out: null, cache_read: null, cache_write: null };
  return {
    message_id: `${session_id}/m${ordinal}`,
    session_id,
    ordinal,
    line_number,
    byte_offset,
    ...none,
    ...unused,
    message_type: event.message_type,
    role: null,
    user_kind: null,
    occurred_at: event.occurred_at,
    cwd: null,
    recorded_cost_usd: null,
    usage_calls: null,
    raw_hash: 1,
    has_text: event.block_type === "text",
    has_thinking: event.block_type === "thinking",
    has_tool_use: event.block_type === "tool_use",
    has_tool_result: event.block_type === "tool_result",
    is_sidechain: event.is_sidechain,
    agent_id: null,
    metadata: {},
    superseded: false,
  };
}

/** A first write of a session, which other values may turn into a later one. */
export function madeChange(events: readonly StoredEvent[], changed: Partial<SessionChange> = {}): SessionChange {
  const session_id = changed.session?.session_id ?? events[0]?.session_id ?? "s1";
  return { session: madeSession(session_id), expected: 0, ...rowsOfEvents(events), ...changed };
}

/** The change that follows the one that made the session's revision `expected`. */
export function laterChange(
  expected: number,
  events: readonly StoredEvent[],
  changed: Partial<SessionChange> = {},
): SessionChange {
  const session = madeSession("s1", { state: madeState({ revision: expected + 1 }) });
  return { session, expected, ...rowsOfEvents(events), ...changed };
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
  await store.writeSession({ session: madeSession(session_id, { state }), expected: 0, ...rowsOfEvents(made) });
}
