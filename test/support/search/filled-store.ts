/** Sessions in a store as they are, nothing redacted: what is searched is then what a scan would see. */
import { noProgress, SessionEvents } from "../../../src/indexing/session-events.ts";
import { claudeCode } from "../../../src/parse/sources/claude-code.ts";
import { detectSource } from "../../../src/parse/sources/index.ts";
import { searchedTexts } from "../../../src/scan/find-text.ts";
import { sourceOptions } from "../../../src/scan/find-units.ts";
import { TEXT_SEPARATOR, type StoredEvent, type StoredSession } from "../../../src/store/model.ts";
import type { Store } from "../../../src/store/store.ts";

/** Enters a session, or what it has from an event on, in place of what there was from there. */
export async function enter(store: Store, sessionId: string, text: string | Uint8Array, from = 0): Promise<void> {
  const events = await eventsOf(sessionId, typeof text === "string" ? Buffer.from(text) : text);
  const expected = (await store.session(sessionId))?.state.revision ?? 0;
  const session = sessionRow(sessionId, expected + 1);
  const change = { session, expected, removeFrom: from, events: events.filter(({ ordinal }) => ordinal >= from) };
  if (!(await store.writeSession(change))) throw new Error(`Somebody else wrote ${sessionId}.`);
}

export async function eventsOf(sessionId: string, bytes: Uint8Array): Promise<StoredEvent[]> {
  const source = detectSource(Buffer.from(bytes.subarray(0, 65_536)).toString("utf8")) ?? claudeCode;
  const made = new SessionEvents({ sessionId, repeats: source.repeats ?? false, idsBy: "place" }, noProgress());
  for await (const units of source.read(once(bytes), sourceOptions({}))) for (const unit of units) made.add(unit);
  const { events, late } = made.take();
  const names = new Map(late.map((each) => [each.event_id, each]));
  return events.map(({ event, block }) => {
    const texts = searchedTexts(block).map((each) => each.replaceAll(TEXT_SEPARATOR, " "));
    const { tool_name, is_own } = names.get(event.event_id) ?? event;
    return { ...event, tool_name, is_own, content: texts.join(TEXT_SEPARATOR) };
  });
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function sessionRow(sessionId: string, revision: number): StoredSession {
  const none = { project: null, parent_id: null, agent_id: null, title: null, started_at: null, modified_at: null };
  return {
    session_id: sessionId,
    source: "claude-code",
    host: "here",
    path: `/sessions/${sessionId}.jsonl`,
    ...none,
    state: {
      revision,
      rules: 1,
      source_bytes: 0,
      source_modified_ms: 0,
      done_bytes: 0,
      done_lines: 0,
      events: 0,
      check: "",
      memory: null,
    },
  };
}
