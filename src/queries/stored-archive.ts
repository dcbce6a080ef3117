/** Finds sessions that only the store has, because their source is gone, or in a team's database. */
import { resolve } from "node:path";
import { agentAt } from "../agents/registry.ts";
import { hasContent } from "../indexing/is-current.ts";
import { isElsewhere, isSourceThere, withParts } from "../indexing/machine-sessions.ts";
import { baseId, keyedSessions } from "../indexing/session-keys.ts";
import { type StaleSessions, staleSessions } from "../indexing/stale-sessions.ts";
import { msOf } from "../parse/times.ts";
import { currentProject } from "../places/project-folder.ts";
import {
  type Archive,
  type ArchivedIds,
  pathOf,
  type SessionRef,
  type SessionsFound,
  type Where,
} from "../places/session-ref.ts";
import type { SessionMark } from "../store/stored-model.ts";
import type { Store } from "../store/store.ts";
import { storePlace, type StoreWhere } from "../store/store-place.ts";
import { isStoreError, TranscriptsError } from "../transcripts-error.ts";
import { currentIndex } from "./current-index.ts";
import { listedSessions, listNeeds } from "./listed-sessions.ts";
import { archivedSession, readableSession } from "./stored-session.ts";

export interface ArchiveOptions {
  /** Returns the store, which must stay open as long as its sessions are read. */
  open: () => Promise<Store>;
  signal: AbortSignal;
}

/** Sessions of the store. Only `latest` creates one, and adds what is new to it. */
export function storeArchive(where: Where & StoreWhere, { open, signal }: ArchiveOptions): Archive {
  const opened = async (): Promise<Store | undefined> => (storePlace(where).exists ? open() : undefined);
  return {
    completed: async (found, isWanted) => {
      const sessions = [...found.sessions];
      try {
        const store = await opened();
        if (store === undefined) return { sessions: await withParts(sessions, []), unreadable: [] };
        return { sessions: await completedSessions(store, found, isWanted), unreadable: [] };
      } catch (error) {
        if (!isStoreError(error)) throw error;
        const reason = error.message.replace(/\.$/, "");
        return { sessions, unreadable: [{ path: storePlace(where).place, reason }] };
      }
    },
    latest: async () => {
      try {
        const store = await open();
        let scanned: Promise<StaleSessions> | undefined;
        const scan = (): Promise<StaleSessions> => (scanned ??= staleSessions(store, where, "figures"));
        for (const asked of [{ project: resolve(currentProject(where)) }, {}]) {
          const query = { ...asked, limit: 1 };
          const index = await currentIndex(store, where, { ...listNeeds(where, query), signal }, scan);
          if (index.fault !== undefined) return undefined;
          const [latest] = (await listedSessions(index, where, query)).sessions;
          if (latest !== undefined) return latest.ref;
        }
        if (where.team !== true) return undefined;
        throw new TranscriptsError(
          "not_found",
          "The team's database has no sessions.",
          "`transcripts push` copies some there.",
        );
      } catch (error) {
        // With --team, falling back to this machine's sessions would be the wrong answer.
        if (!isStoreError(error) || where.team === true) throw error;
        return undefined;
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
      const [keyed] = keyedSessions([ref], { sessions: await store.marks(), isThere: () => true });
      const stored = keyed && (await store.session(keyed.sessionId));
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

async function completedSessions(
  store: Store,
  found: SessionsFound,
  isWanted: (session: ArchivedIds) => boolean,
): Promise<SessionRef[]> {
  const marks = await store.marks();
  const isThere = (session: SessionMark): boolean => isSourceThere(session, found);
  const refs = await withParts(found.sessions, marks);
  const keyed = keyedSessions(refs, { sessions: marks, isThere });
  const met = new Set(keyed.map(({ sessionId }) => sessionId));
  const labels = await store.labels();
  const completed = keyed.map(({ ref, sessionId, stored }) => {
    const labelTitle = labels.get(sessionId)?.label_title ?? null;
    const known = labelTitle === null ? ref : { ...ref, labelTitle };
    // Otherwise the heads of files would be read for this.
    return stored !== undefined && agentAt(ref)?.isParentInContent?.(ref) === true
      ? {
          ...known,
          parentId: ref.parentId ?? stored.parent_id,
          startedMs: ref.startedMs ?? msOf(stored.started_at),
        }
      : known;
  });
  // Paths in a team's database are those of other machines.
  const isAnother = (session: SessionMark): boolean => store.backend === "sqlite" && isElsewhere(session, found.roots);
  const others = marks.filter((session) => !met.has(session.session_id) && isWanted(session) && !isAnother(session));
  if (others.length === 0) return completed;
  const rows = await store.sessions({ ids: others.map(({ session_id: id }) => id) });
  return [...completed, ...rows.map((session) => readableSession(store, session, found))];
}
