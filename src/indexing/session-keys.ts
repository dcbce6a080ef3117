/** Matches sessions on this machine with rows of its store. */
import { createHash } from "node:crypto";
import { mayHaveForms } from "../sessions/session-forms.ts";
import { pathOf, type SessionRef } from "../places/session-ref.ts";
import type { SessionMark } from "../store/stored-model.ts";
import type { Tombstone } from "../store/store.ts";

/** A session and its id in the store. */
export interface KeyedSession<Row = SessionMark> {
  ref: SessionRef;
  sessionId: string;
  /** Its row, or undefined if it is new. */
  stored: Row | undefined;
}

export interface StoredSessions<Row> {
  sessions: readonly Row[];
  /** Whether the source of a row still exists. Called only for rows that no session on the machine matches. */
  isThere(session: Row): boolean;
}

const SUFFIX = /@[0-9a-f]{8}$/;
const SUFFIX_CHARS = 8;

/** Returns the agent's id of a stored session. */
export function baseId(id: string): string {
  return id.includes("@") ? id.replace(SUFFIX, "") : id;
}

/** Returns the agent's id of a session in any store: without the marks of its place and machine. */
export function agentsId(id: string): string {
  return id.replace(/(?:@[0-9a-f]{8,12})+$/, "");
}

/**
 * Assigns ids: the first session with an id gets that id, the others get `@` and a hash of their place appended. A
 * session keeps its id, also after it moved, that is if its old place is empty and its id appears somewhere else. A
 * session with several forms has one row, whichever of them was indexed: see `joinForms`.
 */
export function keyedSessions<Row extends Pick<SessionMark, "session_id" | "place" | "path">>(
  refs: readonly SessionRef[],
  stored: StoredSessions<Row>,
): KeyedSession<Row>[] {
  const { sessions } = stored;
  const byId = new Map<string, Row>();
  const byForm = new Map<string, Row>();
  const suffixed = new Map<string, Row[]>();
  for (const session of sessions) {
    const { session_id: id } = session;
    const base = baseId(id);
    byId.set(id, session);
    if (mayHaveForms(session)) byForm.set(base, session);
    if (base !== id) suffixed.set(base, [...(suffixed.get(base) ?? []), session]);
  }
  const taken = new Set<string>();
  /** Returns the row at the place of a form, unless it is another session's. */
  const rowAt = (form: SessionRef): Row | undefined => {
    const [own, path] = [byId.get(form.id), pathOf(form)];
    const row = own?.path === path ? own : suffixed.get(form.id)?.findLast((each) => each.path === path);
    return row === undefined || taken.has(row.session_id) ? undefined : row;
  };
  const keyed: KeyedSession<Row>[] = [];
  const open: KeyedSession<Row>[] = [];
  for (const ref of refs) {
    let row = rowAt(ref);
    for (const form of ref.alternatives) row ??= rowAt(form);
    row ??= mayHaveForms(ref) ? byForm.get(ref.id) : undefined;
    const isFound = row !== undefined && !taken.has(row.session_id);
    const session = { ref, sessionId: row?.session_id ?? ref.id, stored: row };
    if (isFound) taken.add(session.sessionId);
    else open.push(session);
    keyed.push(session);
  }
  const isFree = (id: string): boolean => {
    const session = byId.get(id);
    return !taken.has(id) && (session === undefined || !stored.isThere(session));
  };
  for (const session of open.toSorted(byPlaceAndId)) {
    const { ref } = session;
    session.sessionId = isFree(ref.id) ? ref.id : suffixedId(ref);
    session.stored = byId.get(session.sessionId);
    taken.add(session.sessionId);
  }
  return keyed;
}

function formsOf(ref: SessionRef): readonly SessionRef[] {
  return [ref, ...ref.alternatives];
}

function placeKey(place: string, id: string): string {
  return `${place}\n${id}`;
}

function placeHash(ref: SessionRef): string {
  return createHash("sha256")
    .update(placeKey(pathOf(ref), ref.id))
    .digest("hex");
}

/** Returns the id of a session whose own id belongs to another one. */
export function suffixedId(ref: SessionRef): string {
  return `${ref.id}@${placeHash(ref).slice(0, SUFFIX_CHARS)}`;
}

/** Returns the tombstones of a session: one for each of its forms, all under its id in the store. */
export function tombstonesOf(ref: SessionRef, sessionId: string): Tombstone[] {
  return formsOf(ref).map((form) => ({ session_id: sessionId, place: placeHash(form) }));
}

/** Returns the sessions that were forgotten, and those that they started. */
export function forgottenSessions(
  sessions: readonly KeyedSession[],
  tombstones: readonly Tombstone[],
): Set<KeyedSession> {
  const found = new Set<KeyedSession>();
  if (tombstones.length === 0) return found;
  const ids = new Set(tombstones.map(({ session_id: id }) => id));
  const places = new Set(tombstones.map(({ place }) => place));
  const isNamed = ({ ref, sessionId, stored }: KeyedSession): boolean =>
    (stored === undefined && ids.has(sessionId)) || tombstonesOf(ref, sessionId).some(({ place }) => places.has(place));
  // A new file may look like a missing one that was moved, because both have a session with the same id.
  const open = sessions.filter(({ ref, stored }) => stored === undefined || stored.path !== pathOf(ref));
  for (const session of open) if (isNamed(session)) found.add(session);
  const parents = new Set([...ids].map(baseId));
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const session of open) {
      if (session.stored !== undefined || !parents.has(session.ref.parentId ?? "")) continue;
      found.add(session);
      parents.add(session.ref.id);
    }
  }
  return found;
}

function byPlaceAndId(a: Pick<KeyedSession, "ref">, b: Pick<KeyedSession, "ref">): number {
  const [first, second] = [a, b].map(({ ref }) => placeKey(pathOf(ref), ref.id));
  return first === second ? 0 : (first ?? "") < (second ?? "") ? -1 : 1;
}
