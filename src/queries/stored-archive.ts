/** Finds sessions that only the store has, because their source is gone, or in a team's database. */
import { agentAt, isInDatabase } from "../agents/registry.ts";
import { existsSync, type Stats, statSync } from "node:fs";
import { hasContent, isCurrent } from "../indexing/is-current.ts";
import { isElsewhere, isSourceThere, withKnownForms, withParts } from "../indexing/machine-sessions.ts";
import { baseId, keyedSessions } from "../indexing/session-keys.ts";
import { msOf } from "../parse/times.ts";
import { type Archive, pathOf, type SessionRef, type SessionsFound } from "../places/session-ref.ts";
import type { StoredSession } from "../store/stored-model.ts";
import type { Store } from "../store/store.ts";
import { storePlace, type StoreWhere } from "../store/store-place.ts";
import { isStoreError } from "../transcripts-error.ts";
import { archivedSession, hostIn, storedRef } from "./stored-session.ts";

/** `open` returns the store, which must stay open as long as its sessions are read. It is not called if there is none. */
export function storeArchive(where: StoreWhere, open: () => Promise<Store>): Archive {
  const opened = async (): Promise<Store | undefined> => (storePlace(where).exists ? open() : undefined);
  return {
    completed: async (found) => {
      const sessions = [...found.sessions];
      try {
        const store = await opened();
        if (store === undefined) return { sessions: await withWantedParts(sessions, [], found), unreadable: [] };
        return { sessions: await completedSessions(store, found), unreadable: [] };
      } catch (error) {
        if (!isStoreError(error)) throw error;
        const reason = error.message.replace(/\.$/, "");
        return { sessions, unreadable: [{ path: storePlace(where).place, reason }] };
      }
    },
    named: async (storedId, found) => {
      const store = await opened();
      return store && sessionNamed(store, storedId, found);
    },
    stored: async (ref) => {
      if (ref.archived !== null) return ref;
      const store = await opened();
      if (store === undefined) return undefined;
      const [keyed] = keyedSessions([ref], { sessions: await store.sessions(), isThere: () => true });
      const stored = keyed?.stored;
      return stored && hasContent(stored) ? archivedSession(store, stored) : undefined;
    },
  };
}

async function sessionNamed(store: Store, storedId: string, found: SessionsFound): Promise<SessionRef | undefined> {
  const session = await store.session(storedId);
  if (session === undefined) return undefined;
  const isAtPlace = (ref: SessionRef): boolean => ref.id === baseId(session.session_id) && pathOf(ref) === session.path;
  return found.sessions.find(isAtPlace) ?? readableSession(store, session, found);
}

/** Returns a stored session with its source if that exists outside of the searched places, or else as the store has it. */
export function readableSession(
  store: Store,
  session: StoredSession,
  searched: Pick<SessionsFound, "roots"> = { roots: [] },
): SessionRef | undefined {
  const here = hostIn(store, session) === null ? sourceOf(session, searched) : undefined;
  return here ?? archivedSession(store, session);
}

async function completedSessions(store: Store, found: SessionsFound): Promise<SessionRef[]> {
  const sessions = await store.sessions();
  if (store.backend === "postgres") return sessions.flatMap((session) => archivedSession(store, session) ?? []);
  const isThere = (session: StoredSession): boolean => isSourceThere(session, found);
  const refs = await withWantedParts(withKnownForms(found.sessions, sessions, found), sessions, found);
  const keyed = keyedSessions(refs, { sessions, isThere });
  const met = new Set(keyed.map(({ sessionId }) => sessionId));
  const completed = keyed.map(({ ref, stored }) => {
    const ended = stored !== undefined && isCurrent(ref, stored, "figures") ? msOf(stored.ended_at) : null;
    const known = { ...ref, lastMs: ref.lastMs ?? ended };
    const agent = agentAt(ref);
    if (agent === undefined || agent.hasForms || stored === undefined) return known;
    // Otherwise the head of a file would be read for these.
    known.project ??= stored.cwd;
    if (agent.isParentInContent?.(ref) !== true) return known;
    return {
      ...known,
      parentId: ref.parentId ?? stored.parent_id,
      startedMs: ref.startedMs ?? msOf(stored.started_at),
    };
  });
  for (const session of sessions) {
    if (met.has(session.session_id) || isElsewhere(session, found.roots)) continue;
    const ref = sourceOf(session, found) ?? archivedSession(store, session);
    if (ref !== undefined) completed.push(ref);
  }
  return completed;
}

/** A list without subagents needs none of those in the files of others. */
async function withWantedParts(
  refs: readonly SessionRef[],
  stored: readonly StoredSession[],
  { all }: SessionsFound,
): Promise<SessionRef[]> {
  return all === true ? withParts(refs, stored) : [...refs];
}

/** Returns the session with its file or database, if that is in a place that was not searched. */
function sourceOf(session: StoredSession, { roots }: Pick<SessionsFound, "roots">): SessionRef | undefined {
  if (isInDatabase(session)) {
    const { title, path, started_at, ended_at, modified_at } = session;
    if (roots.some((root) => root.path === path) || !existsSync(path)) return undefined;
    const times = { startedMs: msOf(started_at), lastMs: msOf(ended_at), modifiedMs: msOf(modified_at) ?? 0 };
    return { ...storedRef(session), title, ...times };
  }
  const facts = fileFacts(session.path);
  if (facts?.isFile() !== true) return undefined;
  return { ...storedRef(session), title: null, bytes: facts.size, modifiedMs: facts.mtimeMs };
}

/** Also returns undefined for a file in a folder that this user may not enter. */
function fileFacts(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
