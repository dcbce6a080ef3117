import type { ScannedSessions, ScanOptions } from "../agents/agent.ts";
import { agentNamed, AGENTS } from "../agents/registry.ts";
import { isAbsent } from "../places/reasons.ts";
import { nodeSessionFiles, type SessionFiles } from "../places/session-files.ts";
import { joinForms } from "./session-forms.ts";
import type { ArchivedIds, Place, SessionRef, Unreadable, Where } from "../places/session-ref.ts";

/** Place that was searched. */
export interface SearchedRoot extends Place {
  isThere: boolean;
  /** Number of sessions in it. */
  sessions: number;
}

export interface FoundSessions {
  /** Those written last first, subagents included. */
  sessions: SessionRef[];
  unreadable: Unreadable[];
  roots: SearchedRoot[];
}

/**
 * Finds the sessions on this machine by names, sizes and times, without reading files, except the heads of those whose
 * names lack the id. Never rejects because of files: see `unreadable`. `files`: default, the real file system.
 *
 * A session in several forms is listed once: see `joinForms`.
 */
export async function findSessions(
  where: Where,
  { files = nodeSessionFiles }: { files?: SessionFiles } = {},
): Promise<FoundSessions> {
  const roots = await sessionRoots(where, files);
  const seen = new Set<string>();
  const listed: SessionRef[] = [];
  const unreadable: Unreadable[] = [];
  const searched: SearchedRoot[] = [];
  // One after the other: a file below two roots belongs to the first.
  for (const root of roots) {
    const found = await scan(root, files, { seen });
    for (const ref of found.sessions) listed.push(ref);
    unreadable.push(...found.unreadable);
    searched.push({ ...root, isThere: isThere(root.path, files), sessions: joinForms(found.sessions).length });
  }
  return { sessions: byFileTime(joinForms(listed)), unreadable, roots: searched };
}

/** Returns the places where sessions may be, even if they do not exist, the current project first; or `where.roots`. */
export async function sessionRoots(where: Where, files: SessionFiles = nodeSessionFiles): Promise<Place[]> {
  if (where.roots !== undefined) return [...where.roots];
  return (await Promise.all(AGENTS.map((agent) => agent.places(where, files)))).flat();
}

/** Adds what the store knows of the sessions that were found, and those that only it has. See `Archive.completed`. */
export async function completedBy(
  { archive }: Pick<Where, "archive">,
  found: FoundSessions,
  isWanted: (session: ArchivedIds) => boolean,
): Promise<FoundSessions> {
  if (archive === undefined) return found;
  const { sessions, unreadable } = await archive.completed(found, isWanted);
  return { ...found, sessions, unreadable: [...found.unreadable, ...unreadable] };
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
