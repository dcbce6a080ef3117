/** Converts rows of the store to sessions, and checks whether they can be read. */
import { existsSync, type Stats, statSync } from "node:fs";
import { isInDatabase } from "../agents/registry.ts";
import { baseId } from "../indexing/session-keys.ts";
import { msOf } from "../parse/times.ts";
import { sessionRef, type SessionRef, type SessionsFound } from "../places/session-ref.ts";
import { type StoredSession, titleOf } from "../store/stored-model.ts";
import type { Store } from "../store/store.ts";

export function storedRef({
  session_id,
  place,
  agent,
  path,
  project,
  parent_id,
  agent_id,
  title,
  label_title,
}: StoredSession): SessionRef {
  const isFolder = project !== null && /[\\/]/.test(project);
  return sessionRef({
    id: baseId(session_id),
    place,
    agent: agent || null,
    ...(isInDatabase({ place }) ? { database: path } : { path }),
    project: isFolder ? project : null,
    projectLabel: project ?? "",
    parentId: parent_id,
    agentId: agent_id,
    title,
    labelTitle: label_title,
  });
}

/** Returns the best name of a session: its title, its first prompt, or its id. */
export function storedTitle(session: StoredSession): string {
  return titleOf(session) ?? session.first_prompt ?? session.session_id;
}

/** Returns the machine that pushed a session to a team's database; null in the store of this machine. */
function hostIn({ backend }: Pick<Store, "backend">, { host }: Pick<StoredSession, "host">): string | null {
  return backend === "postgres" ? host : null;
}

/** Returns a session without its path on the machine that pushed it: here it means nothing, or something else. */
export function placedRef(stored: StoredSession, store: Pick<Store, "backend">): SessionRef {
  const ref = storedRef(stored);
  return hostIn(store, stored) === null ? ref : { ...ref, path: null, database: null };
}

/** Returns a stored session to be read from the store. */
export function archivedSession(store: Store, session: StoredSession): SessionRef {
  const { session_id: sessionId, counts, state, figures } = session;
  return {
    ...placedRef(session, store),
    title: session.given_title,
    startedMs: msOf(session.started_at),
    lastMs: msOf(session.ended_at),
    modifiedMs: (isInDatabase(session) ? 0 : (figures ?? state).source_modified_ms) || (msOf(session.modified_at) ?? 0),
    bytes: isInDatabase(session) ? null : (figures ?? state).source_bytes,
    archived: {
      sessionId,
      host: hostIn(store, session),
      damaged: counts.damaged,
      open: async (options) => {
        const { StoredConversation } = await import("./stored-conversation.ts");
        return new StoredConversation(store, session, options);
      },
    },
  };
}

/** Returns a stored session with its source if that exists outside of the searched places, or else as the store has it. */
export function readableSession(
  store: Store,
  session: StoredSession,
  searched: Pick<SessionsFound, "roots"> = { roots: [] },
): SessionRef {
  const here = hostIn(store, session) === null ? sourceOf(session, searched) : undefined;
  return here ?? archivedSession(store, session);
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

/** Where a session of the store can be read. */
export interface SessionOrigin {
  /** The machine that pushed it to a team's database; null in the store of this machine. */
  host: string | null;
  /** Its file or database is not here, so the store is read. */
  isGone: boolean;
}

/** Looks whether the file is there, without opening it. */
export function originOf(session: StoredSession, store: Pick<Store, "backend">): SessionOrigin {
  const host = hostIn(store, session);
  return { host, isGone: host === null && !existsSync(session.path) };
}
