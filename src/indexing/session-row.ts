/** The row of a session: what its place, its head and its lines tell of it. */
import { hostname } from "node:os";
import type { SessionRef } from "../sessions/session-ref.ts";
import type { StoredSession } from "../store/model.ts";
import { storableTime } from "../store/storable.ts";
import type { Clean } from "./redact-events.ts";
import { shownTitle, type SessionFacts } from "./session-facts.ts";

export type SessionRow = Omit<StoredSession, "state">;

/** The name of this machine. */
export function thisHost(): string {
  return hostname();
}

/** The file of a session, or the database that holds it. */
export function placeOf(ref: SessionRef): string {
  return ref.path ?? ref.database ?? "";
}

/** What of a session's row is text from somewhere: to be redacted. `ref` knows what its head tells. */
function textsOf(ref: SessionRef, facts: SessionFacts | undefined) {
  return {
    title: ref.title ?? facts?.title ?? facts?.prompt ?? null,
    project: ref.project ?? facts?.cwd ?? (ref.projectLabel || null),
    parent: ref.parentId ?? facts?.parentId ?? null,
    agent: ref.agentId,
  };
}

/** All texts that `rowOf` asks to be redacted. */
export function textsInRow(ref: SessionRef, facts?: SessionFacts): (string | null)[] {
  return Object.values(textsOf(ref, facts));
}

export function rowOf(sessionId: string, ref: SessionRef, facts: SessionFacts | undefined, clean: Clean): SessionRow {
  const { title, project, parent, agent } = textsOf(ref, facts);
  const first = facts?.firstTime ?? null;
  return {
    session_id: sessionId,
    source: ref.source === "stdin" ? "file" : ref.source,
    host: thisHost(),
    path: placeOf(ref),
    project: clean(project),
    parent_id: clean(parent),
    agent_id: clean(agent),
    title: shownTitle(clean(title)),
    started_at: first === null ? timeOf(ref.startedMs) : storableTime(first),
    modified_at: timeOf(ref.modifiedMs || null),
  };
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : storableTime(new Date(ms));
}
