import { dirname } from "node:path";
import { type ClaudeScanOptions, scanClaudeCode, type ScannedSessions } from "../agents/claude-code/claude-sessions.ts";
import { byEntryTime } from "./entry-times.ts";
import { olderStorage, scanOpencodeStore } from "../agents/opencode/opencode-store.ts";
import { filterByProject } from "./project-filter.ts";
import { isAbsent } from "./reasons.ts";
import { nodeSessionFiles, type SessionFiles } from "./session-files.ts";
import { joinForms } from "./session-forms.ts";
import {
  agentOf,
  type AgentName,
  isSubagent,
  type SessionRef,
  type SessionRoot,
  type Unreadable,
  type Where,
} from "./session-ref.ts";
import { sessionRoots } from "./session-roots.ts";
import { scanTranscripts } from "../agents/transcripts.ts";

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
  agent?: AgentName;
  /** Includes subagents. Default: false. */
  all?: boolean;
  /** Includes sessions that only the store has: see `Where.archive`. Default: false. */
  archived?: boolean;
  /** Default: the real file system. */
  files?: SessionFiles;
}

/** Place that was searched. */
export interface SearchedRoot extends SessionRoot {
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
 * Finds the sessions on this machine by names, sizes and times, without reading files (except the heads of transcripts
 * whose names are not opencode's, and for `byEntryTime`). Never rejects because of files: see `unreadable`.
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
    const count = result.sessions.filter((ref) => all || !isSubagent(ref)).length;
    scanned.push(result);
    searched.push({ ...root, isThere: await isThere(root.path, files), sessions: count });
  }

  const unreadable = scanned.flatMap((each) => each.unreadable);
  const listed = scanned.flatMap((each) => each.sessions);
  unreadable.push(...(await unreadStorage(roots, listed, files)));
  let sessions = joinForms(listed);
  const completed = archived ? await where.archive?.completed({ sessions, unreadable, roots: searched }) : undefined;
  if (completed !== undefined) {
    ({ sessions } = completed);
    unreadable.push(...completed.unreadable);
  }
  const ids = sessions.map(({ id }) => id);
  // Not earlier: if a session is in two places, perhaps only one has its parent.
  if (!all) sessions = sessions.filter((ref) => !isSubagent(ref));
  if (agent !== undefined) sessions = sessions.filter((ref) => agentOf(ref) === agent);
  if (project !== undefined) sessions = await filterByProject(sessions, project, where, files);
  sessions = isByEntry ? await byEntryTime(sessions, files) : byFileTime(sessions);
  if (since !== undefined) sessions = sessions.filter(({ lastMs }) => (lastMs ?? 0) >= since.getTime());
  return { sessions, ids, unreadable, roots: searched };
}

/** Returns the folders beside opencode's databases that have sessions of an older form. */
async function unreadStorage(
  roots: readonly SessionRoot[],
  listed: readonly SessionRef[],
  files: SessionFiles,
): Promise<Unreadable[]> {
  const known = new Set(listed.map(({ id }) => id));
  const databases = new Map(
    roots.flatMap(({ source, path }) => (source === "opencode-store" ? [[dirname(path), path] as const] : [])),
  );
  return (await Promise.all([...databases.values()].map((path) => olderStorage(path, known, files)))).flat();
}

function scan(root: SessionRoot, files: SessionFiles, options: ClaudeScanOptions): Promise<ScannedSessions> {
  switch (root.source) {
    case "claude-code":
      return scanClaudeCode(root.path, files, options);
    case "transcript":
      return scanTranscripts(root, files);
    case "opencode-store":
      return scanOpencodeStore(root.path, files, root.agent);
  }
}

async function isThere(path: string, files: SessionFiles): Promise<boolean> {
  try {
    await files.stat(path);
    return true;
  } catch (error) {
    // A place that cannot be examined exists, and is listed as unreadable.
    return !isAbsent(error);
  }
}

function byFileTime(refs: readonly SessionRef[]): SessionRef[] {
  return refs.toSorted((a, b) => b.modifiedMs - a.modifiedMs || (a.id < b.id ? -1 : 1));
}
