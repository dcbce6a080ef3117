/** Which row of the store a session on this machine is. */
import { createHash } from "node:crypto";
import type { SessionRef } from "../sessions/session-ref.ts";
import type { StoredSession } from "../store/model.ts";
import type { Store } from "../store/store.ts";
import { placeOf, thisHost } from "./session-row.ts";

/** A session and its name in the store. */
export interface KeyedSession {
  ref: SessionRef;
  sessionId: string;
  /** Its row, without memory; undefined if it is new. */
  stored: StoredSession | undefined;
}

export interface StoredSessions {
  sessions: readonly StoredSession[];
  /** Those of this machine. */
  own: readonly StoredSession[];
  /** Whether the source of a row is still there. Asked only of rows that no session on the machine has. */
  isThere(session: StoredSession): boolean;
}

/** The rows of this machine. A SQLite file is one machine's, and the name of a machine may change. */
export function ownSessions(sessions: readonly StoredSession[], { backend }: Pick<Store, "backend">): StoredSession[] {
  return sessions.filter(({ host }) => backend === "sqlite" || host === thisHost());
}

const SUFFIX = /@[0-9a-f]{8}$/;

function baseId(id: string): string {
  return id.includes("@") ? id.replace(SUFFIX, "") : id;
}

/**
 * The first session with an id has the id as its name, the others have `@` and a hash of their place behind. Who has a
 * name keeps it, a session that moved too: one whose place is empty, when its id comes up somewhere else.
 */
export function keyedSessions(refs: readonly SessionRef[], stored: StoredSessions): KeyedSession[] {
  const { own } = stored;
  const byPlace = new Map(own.map((session) => [placeKey(session.path, baseId(session.session_id)), session]));
  const byId = new Map(stored.sessions.map((session) => [session.session_id, session]));
  const taken = new Set<string>();
  const found = new Map<SessionRef, StoredSession>();
  for (const ref of refs) {
    const session = placed(ref, byPlace, taken);
    if (session === undefined) continue;
    taken.add(session.session_id);
    found.set(ref, session);
  }
  const ownRows = new Set(own);
  const isFree = (id: string): boolean => {
    const session = byId.get(id);
    if (taken.has(id)) return false;
    return session === undefined || (ownRows.has(session) && !stored.isThere(session));
  };
  const ids = new Map<SessionRef, string>();
  for (const ref of refs.filter((each) => !found.has(each)).toSorted(byPlaceAndId)) {
    const id = isFree(ref.id) ? ref.id : `${ref.id}@${placeHash(ref)}`;
    taken.add(id);
    ids.set(ref, id);
  }
  return refs.map((ref) => {
    const session = found.get(ref);
    const sessionId = session?.session_id ?? ids.get(ref) ?? ref.id;
    return { ref, sessionId, stored: session ?? byId.get(sessionId) };
  });
}

/** The row at the session's place, or at that of another form of it. */
function placed(ref: SessionRef, byPlace: Map<string, StoredSession>, taken: Set<string>): StoredSession | undefined {
  for (const form of [ref, ...ref.alternatives]) {
    const session = byPlace.get(placeKey(placeOf(form), form.id));
    if (session !== undefined && !taken.has(session.session_id)) return session;
  }
  return undefined;
}

function placeKey(place: string, id: string): string {
  return `${place}\n${id}`;
}

function placeHash(ref: SessionRef): string {
  return createHash("sha256")
    .update(`${thisHost()}\n${placeKey(placeOf(ref), ref.id)}`)
    .digest("hex")
    .slice(0, 8);
}

function byPlaceAndId(a: SessionRef, b: SessionRef): number {
  const [first, second] = [a, b].map((ref) => placeKey(placeOf(ref), ref.id));
  return first === second ? 0 : (first ?? "") < (second ?? "") ? -1 : 1;
}
