import type { ScannedSessions, ScanOptions } from "../agents/agent.ts";
import { agentAt, agentNamed } from "../agents/registry.ts";
import { byEntryTime } from "./entry-times.ts";
import { readHead } from "./file-ref.ts";
import { filterByProject } from "./project-filter.ts";
import { isAbsent } from "../places/reasons.ts";
import { mapFiles, nodeSessionFiles, type SessionFiles } from "../places/session-files.ts";
import { joinForms } from "./session-forms.ts";
import { isSubagent, type Place, type SessionRef, type Unreadable, type Where } from "../places/session-ref.ts";
import { sessionRoots } from "./session-roots.ts";

export interface FindOptions {
  /**
   * Orders by the last entry's time, with `lastMs`, which reads the end of each file, except with `archived` of those
   * that the store has as they are. Default: by file times.
   */
  byEntryTime?: boolean;
  /** Only sessions with an entry at this time or later. Implies `byEntryTime`. */
  since?: Date;
  /** Only sessions of this project: its folder, or the folder's name. See `filterByProject`. */
  project?: string;
  /** Only sessions of this agent. */
  agent?: string;
  /** Includes subagents. Default: false. */
  all?: boolean;
  /** Includes sessions that only the store has: see `Where.archive`. Default: false. */
  archived?: boolean;
  /** Default: the real file system. */
  files?: SessionFiles;
}

/** Place that was searched. */
export interface SearchedRoot extends Place {
  isThere: boolean;
  /** Number of sessions in it, before the filters by time and project. */
  sessions: number;
}

export interface FoundSessions {
  /** Newest first. */
  sessions: SessionRef[];
  /** Ids of all sessions that were found, before the filters: a shortened id must be unique among them. */
  ids: string[];
  unreadable: Unreadable[];
  roots: SearchedRoot[];
}

/**
 * Finds the sessions on this machine by names, sizes and times, without reading files (except the heads of those
 * whose names lack the id, and for `byEntryTime`). Never rejects because of files: see `unreadable`.
 *
 * A session in several forms is listed once: see `joinForms`.
 */
export async function findSessions(where: Where, options: FindOptions = {}): Promise<FoundSessions> {
  const { since, project, agent, all = false, archived = false, files = nodeSessionFiles } = options;
  const { byEntryTime: isByEntry = since !== undefined } = options;
  const roots = await sessionRoots(where, files);
  const seen = new Set<string>();
  const scanned: ScannedSessions[] = [];
  const searched: SearchedRoot[] = [];
  // One after the other: a file below two roots belongs to the first.
  for (const root of roots) {
    const result = await scan(root, files, { subagents: all, seen });
    scanned.push(result);
    searched.push({ ...root, isThere: isThere(root.path, files), sessions: 0 });
  }

  const unreadable = scanned.flatMap((each) => each.unreadable);
  const listed = scanned.flatMap((each) => each.sessions);
  let sessions = joinForms(listed);
  const completed = archived
    ? await where.archive?.completed({ sessions, unreadable, roots: searched, all })
    : undefined;
  if (completed !== undefined) {
    ({ sessions } = completed);
    unreadable.push(...completed.unreadable);
  }
  const ids = sessions.map(({ id }) => id);
  // Not earlier: if a session is in two places, perhaps only one has its parent.
  if (!all) sessions = await withParents(sessions, files);
  const started = new Set(sessions.filter(isSubagent).flatMap(({ path }) => path ?? []));
  for (const [at, root] of searched.entries()) {
    const here = joinForms(scanned[at]?.sessions ?? []);
    root.sessions = all ? here.length : here.filter((ref) => !isSubagent(ref) && !started.has(ref.path ?? "")).length;
  }
  if (!all) sessions = sessions.filter((ref) => !isSubagent(ref));
  if (agent !== undefined) sessions = sessions.filter((ref) => ref.agent === agent);
  if (project !== undefined) sessions = await filterByProject(sessions, project, where, files);
  sessions = isByEntry ? await byEntryTime(sessions, files) : byFileTime(sessions);
  if (since !== undefined) sessions = sessions.filter(({ lastMs }) => (lastMs ?? 0) >= since.getTime());
  return { sessions, ids, unreadable, roots: searched };
}

/** Adds the session that started each, where only the content says it and the store does not have it yet. */
function withParents(sessions: readonly SessionRef[], files: SessionFiles): Promise<SessionRef[]> {
  return mapFiles(sessions, async (ref) => {
    if (isSubagent(ref) || ref.startedMs !== null || agentAt(ref)?.isParentInContent?.(ref) !== true) return ref;
    try {
      return await readHead(ref, files);
    } catch {
      // Reading the session says why.
      return ref;
    }
  });
}

async function scan(place: Place, files: SessionFiles, options: ScanOptions): Promise<ScannedSessions> {
  const agent = agentNamed(place.agent);
  if (agent === undefined) throw new Error(`${place.path} is a place of ${place.agent}, which is not an agent`);
  return agent.scan(place, files, options);
}

function isThere(path: string, files: SessionFiles): boolean {
  try {
    files.stat(path);
    return true;
  } catch (error) {
    // A place that cannot be examined exists, and is listed as unreadable.
    return !isAbsent(error);
  }
}

function byFileTime(refs: readonly SessionRef[]): SessionRef[] {
  return refs.toSorted((a, b) => b.modifiedMs - a.modifiedMs || (a.id < b.id ? -1 : 1));
}
