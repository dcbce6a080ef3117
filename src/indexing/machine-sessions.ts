/** The sessions on this machine beside those in the store. */
import { statSync, type Stats } from "node:fs";
import { sep } from "node:path";
import { errorCode } from "../files/fault.ts";
import { findSessions, type FoundSessions } from "../sessions/find-sessions.ts";
import { sessionRef, type SessionRef, type Unreadable, type Where } from "../sessions/session-ref.ts";
import type { StoredSession } from "../store/model.ts";
import type { Store } from "../store/store.ts";
import { withPartTimes } from "./part-times.ts";
import { keyedSessions, ownSessions, type KeyedSession } from "./session-keys.ts";
import { syncSessionFiles } from "../sessions/sync-session-files.ts";

export interface MachineSessions {
  /** Newest first. */
  sessions: KeyedSession[];
  /** Rows of this machine whose source is not there any more. */
  gone: StoredSession[];
  /** Of those, the ones below a place of sessions that is itself not there, such as a disk that is not mounted. */
  outOfReach: Map<string, StoredSession[]>;
  unreadable: Unreadable[];
}

/** Names, sizes and times: no session is read. `only`: these, and nothing about what is gone. */
export async function machineSessions(
  store: Store,
  where: Where,
  only?: readonly SessionRef[],
): Promise<MachineSessions> {
  const stored = await store.sessions();
  const found = only === undefined ? await findSessions(where, { all: true, files: syncSessionFiles }) : undefined;
  const own = ownSessions(stored, store);
  const refs = await withPartTimes(keptForms(found?.sessions ?? only ?? [], own));
  const isThere = (session: StoredSession): boolean => isSourceThere(session, found);
  const sessions = keyedSessions(refs, { sessions: stored, own, isThere });
  const met = new Set(sessions.map(({ sessionId }) => sessionId));
  const gone = found === undefined ? [] : own.filter((session) => !met.has(session.session_id) && !isThere(session));
  return { sessions, gone, outOfReach: byMissingRoot(gone, found), unreadable: found?.unreadable ?? [] };
}

function byMissingRoot(gone: readonly StoredSession[], found: FoundSessions | undefined): Map<string, StoredSession[]> {
  const missing = found?.roots.filter(({ isThere }) => !isThere) ?? [];
  const below = missing.map(({ path }) => {
    const folder = path.endsWith(sep) ? path : path + sep;
    return [path, gone.filter((session) => session.path === path || session.path.startsWith(folder))] as const;
  });
  return new Map(below.filter(([, sessions]) => sessions.length > 0));
}

/**
 * A session that was recorded in another project and that opencode still has is known by its transcript, as in that
 * project: the same session must not be read from two places in turn.
 */
function keptForms(refs: readonly SessionRef[], own: readonly StoredSession[]): SessionRef[] {
  const transcripts = new Map(own.filter(({ source }) => source === "transcript").map((row) => [row.session_id, row]));
  return refs.map((ref) => {
    const row = ref.source === "opencode-store" ? transcripts.get(ref.id) : undefined;
    return (row && transcriptAt(row.path, ref)) ?? ref;
  });
}

function transcriptAt(path: string, stored: SessionRef): SessionRef | undefined {
  const facts = factsOf(path);
  if (facts?.isFile() !== true) return undefined;
  const known = { path, database: null, modifiedMs: facts.mtimeMs, bytes: facts.size, alternatives: [stored] };
  return sessionRef({ ...stored, ...known, source: "transcript" });
}

/** Whether there is still something to read a row's session from. What cannot be looked at is there. */
function isSourceThere({ source, path }: StoredSession, found: FoundSessions | undefined): boolean {
  if (path === "") return true;
  const isListed =
    source === "opencode-store" &&
    found?.roots.some((root) => root.source === source && root.path === path && root.isThere) === true &&
    found.unreadable.every((place) => place.path !== path);
  return !isListed && factsOf(path) !== undefined;
}

/** Undefined if there is nothing under that name; null if that cannot be said. */
function factsOf(path: string): Stats | null | undefined {
  try {
    return statSync(path);
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : null;
  }
}
