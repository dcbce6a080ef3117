/** Matches the sessions on this machine with those in the store. */
import { statSync, type Stats } from "node:fs";
import { sep } from "node:path";
import { errorCode } from "../transcript/files/fault.ts";
import { findSessions, type FoundSessions } from "../sessions/find-sessions.ts";
import {
  sessionRef,
  type SessionRef,
  type SessionsFound,
  type Unreadable,
  type Where,
} from "../sessions/session-ref.ts";
import type { StoredSession } from "../store/stored-model.ts";
import type { Store } from "../store/store.ts";
import { withPartTimes } from "./part-times.ts";
import { forgottenSessions, keyedSessions, ownSessions, type KeyedSession } from "./session-keys.ts";

export interface MachineSessions {
  /** Newest first, without forgotten ones. */
  sessions: KeyedSession[];
  /** Sessions that were removed from the store with `forget`. */
  forgotten: KeyedSession[];
  /** Rows of this machine whose source no longer exists. */
  gone: StoredSession[];
  /**
   * Those of `gone` by missing root: their whole folder of sessions is missing, for example on a disk that is not
   * mounted.
   */
  outOfReach: Map<string, StoredSession[]>;
  unreadable: Unreadable[];
  /** All rows of the store. */
  stored: readonly StoredSession[];
}

/**
 * Lists sessions by name, size and time without reading any. `only` limits it to these and skips the search for gone
 * ones.
 */
export async function machineSessions(
  store: Store,
  where: Where,
  only?: readonly SessionRef[],
): Promise<MachineSessions> {
  const stored = await store.sessions();
  const found = only === undefined ? await findSessions(where, { all: true }) : undefined;
  const own = ownSessions(stored, store);
  const refs = await withPartTimes(keptForms(found?.sessions ?? only ?? [], own));
  const isThere = (session: StoredSession): boolean => isSourceThere(session, found);
  const { machine } = store;
  const keyed = keyedSessions(refs, { sessions: stored, own, machine, isThere });
  const forgotten = forgottenSessions(keyed, await store.forgotten(), machine);
  const sessions = keyed.filter((session) => !forgotten.has(session));
  const met = new Set(sessions.map(({ sessionId }) => sessionId));
  const gone = found === undefined ? [] : own.filter((session) => !met.has(session.session_id) && !isThere(session));
  const outOfReach = byMissingRoot(gone, found);
  const unreadable = found?.unreadable ?? [];
  return { sessions, forgotten: [...forgotten], gone, outOfReach, unreadable, stored };
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
 * Keeps the transcript as the source of a session recorded in another project, even if opencode's store has it too: one
 * session must not alternate between two sources.
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

/** Returns the bytes of an average session of each database, which does not list how large each one is. */
export function databaseShares(refs: readonly SessionRef[]): Map<string | null, number> {
  const byDatabase = Map.groupBy(refs, ({ database }) => database);
  return new Map(
    [...byDatabase].map(([path, { length }]) => {
      const size = path === null ? 0 : (factsOf(path)?.size ?? 0);
      return [path, Math.ceil(size / length)];
    }),
  );
}

/** Returns true unless the source of a row is known to be missing. */
export function isSourceThere({ source, path }: StoredSession, found: SessionsFound | undefined): boolean {
  if (path === "") return true;
  const isListed =
    source === "opencode-store" &&
    found?.roots.some((root) => root.source === source && root.path === path && root.isThere) === true &&
    found.unreadable.every((place) => place.path !== path);
  return !isListed && factsOf(path) !== undefined;
}

/** Returns undefined if the path does not exist, null if that is unknown. */
function factsOf(path: string): Stats | null | undefined {
  try {
    return statSync(path);
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : null;
  }
}
