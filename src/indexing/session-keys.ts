/** Matches sessions on this machine with rows of the store. */
import { isInDatabase } from "../agents/registry.ts";
import { createHash } from "node:crypto";
import { mayHaveForms } from "../sessions/session-forms.ts";
import { placeOf, type SessionRef } from "../places/session-ref.ts";
import type { StoredSession } from "../store/stored-model.ts";
import type { Machine } from "../store/store-place.ts";
import type { Store, Tombstone } from "../store/store.ts";

/** A session and its id in the store. */
export interface KeyedSession {
  ref: SessionRef;
  sessionId: string;
  /** Its row, or undefined if it is new. */
  stored: StoredSession | undefined;
}

export interface StoredSessions {
  sessions: readonly StoredSession[];
  /** Sessions of this machine. */
  own: readonly StoredSession[];
  machine: Machine;
  /** Whether the source of a row still exists. Called only for rows that no session on the machine matches. */
  isThere(session: StoredSession): boolean;
}

/**
 * Returns true if the session's file is on this machine. A row written where no machine's id could be stored is known by
 * its host name, or by being in a SQLite file, which hardly ever has rows of two machines.
 */
export function isOwnSession(
  { machine_id: id, host }: Pick<StoredSession, "machine_id" | "host">,
  { backend, machine }: Pick<Store, "backend" | "machine">,
): boolean {
  if (id !== null && id === machine.id) return true;
  return backend === "sqlite" ? id === null || host === machine.host : id === null && host === machine.host;
}

export function ownSessions(
  sessions: readonly StoredSession[],
  store: Pick<Store, "backend" | "machine">,
): StoredSession[] {
  return sessions.filter((session) => isOwnSession(session, store));
}

const SUFFIX = /@[0-9a-f]{8}$/;
const SUFFIX_CHARS = 8;

/** Returns the agent's id of a stored session. */
export function baseId(id: string): string {
  return id.includes("@") ? id.replace(SUFFIX, "") : id;
}

/**
 * Assigns ids: the first session with an id gets that id, the others get `@` and a hash of their place appended. A
 * session keeps its id, also after it moved, that is if its old place is empty and its id appears somewhere else. A
 * session with several forms has one row, whichever of them was indexed: see `joinForms`.
 */
export function keyedSessions(refs: readonly SessionRef[], stored: StoredSessions): KeyedSession[] {
  const { own } = stored;
  const byPlace = new Map(own.map((session) => [placeKey(session.path, baseId(session.session_id)), session]));
  const byForm = new Map(own.filter(mayHaveForms).map((session) => [baseId(session.session_id), session]));
  const byId = new Map(stored.sessions.map((session) => [session.session_id, session]));
  const taken = new Set<string>();
  const found = new Map<SessionRef, StoredSession>();
  for (const ref of refs) {
    const session = placed(ref, byPlace, taken) ?? (mayHaveForms(ref) ? byForm.get(ref.id) : undefined);
    if (session === undefined || taken.has(session.session_id)) continue;
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
    const id = isFree(ref.id) ? ref.id : suffixedId(ref, stored.machine);
    taken.add(id);
    ids.set(ref, id);
  }
  return refs.map((ref) => {
    const session = found.get(ref);
    const sessionId = session?.session_id ?? ids.get(ref) ?? ref.id;
    return { ref, sessionId, stored: session ?? byId.get(sessionId) };
  });
}

/** Returns the row at the place of the session or of one of its other forms. */
function placed(ref: SessionRef, byPlace: Map<string, StoredSession>, taken: Set<string>): StoredSession | undefined {
  for (const form of formsOf(ref)) {
    const session = byPlace.get(placeKey(placeOf(form), form.id));
    if (session !== undefined && !taken.has(session.session_id)) return session;
  }
  return undefined;
}

function formsOf(ref: SessionRef): readonly SessionRef[] {
  return [ref, ...ref.alternatives];
}

function placeKey(place: string, id: string): string {
  return `${place}\n${id}`;
}

function placeHash(id: string, place: string, machine: Pick<Machine, "id" | "host">): string {
  return createHash("sha256")
    .update(`${machine.id ?? machine.host}\n${placeKey(place, id)}`)
    .digest("hex");
}

/** Returns the id of a session whose own id belongs to another one. */
export function suffixedId(ref: SessionRef, machine: Machine): string {
  return `${ref.id}@${placeHash(ref.id, placeOf(ref), machine).slice(0, SUFFIX_CHARS)}`;
}

/** Returns an id that no session on any machine has but this one. */
export function exactId({ session_id: id, machine_id, host, path }: StoredSession): string {
  if (SUFFIX.test(id)) return id;
  return `${id}@${placeHash(id, path, { id: machine_id, host }).slice(0, SUFFIX_CHARS)}`;
}

/**
 * Returns the sessions of other machines that are copies of one on this machine, or of one another, as after a home folder
 * was moved: they have the same id and size.
 */
export function copiesElsewhere(
  sessions: readonly StoredSession[],
  { own, refs }: { own: readonly StoredSession[]; refs: readonly SessionRef[] },
): Set<StoredSession> {
  if (own.length === sessions.length) return new Set();
  const contentOf = ({ session_id, place, state }: StoredSession): string =>
    `${baseId(session_id)}\n${isInDatabase({ place }) ? `at ${state.source_modified_ms}` : state.source_bytes}`;
  const met = new Set(refs.map(({ id, bytes, modifiedMs }) => `${id}\n${bytes ?? `at ${modifiedMs}`}`));
  for (const session of own) met.add(contentOf(session));
  const ownRows = new Set(own);
  const copies = new Set<StoredSession>();
  for (const session of sessions) {
    if (ownRows.has(session)) continue;
    const content = contentOf(session);
    if (met.has(content)) copies.add(session);
    met.add(content);
  }
  return copies;
}

/** Returns the tombstones of a session: one for each of its forms, all under its id in the store. */
export function tombstonesOf(ref: SessionRef, sessionId: string, machine: Machine): Tombstone[] {
  return formsOf(ref).map((form) => ({
    session_id: sessionId,
    place: placeHash(form.id, placeOf(form), machine),
  }));
}

/** Returns the sessions that were forgotten and not revived since, and those that they started. */
export function forgottenSessions(
  sessions: readonly KeyedSession[],
  tombstones: readonly Tombstone[],
  machine: Machine,
): Set<KeyedSession> {
  const found = new Set<KeyedSession>();
  if (tombstones.length === 0) return found;
  const ids = new Set(tombstones.map(({ session_id: id }) => id));
  const places = new Set(tombstones.map(({ place }) => place));
  const isNamed = ({ ref, sessionId }: KeyedSession): boolean =>
    ids.has(sessionId) || tombstonesOf(ref, sessionId, machine).some(({ place }) => places.has(place));
  const open = sessions.filter(({ stored }) => stored === undefined);
  for (const session of open) if (isNamed(session)) found.add(session);
  const parents = new Set([...ids].map(baseId));
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const session of open) {
      if (!parents.has(session.ref.parentId ?? "")) continue;
      found.add(session);
      parents.add(session.ref.id);
    }
  }
  return found;
}

function byPlaceAndId(a: SessionRef, b: SessionRef): number {
  const [first, second] = [a, b].map((ref) => placeKey(placeOf(ref), ref.id));
  return first === second ? 0 : (first ?? "") < (second ?? "") ? -1 : 1;
}
