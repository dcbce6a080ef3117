import { type ClaudeScanOptions, scanClaudeCode, type ScannedSessions } from "./claude-code.ts";
import { byEntryTime } from "./entry-times.ts";
import { scanOpencodeStore } from "./opencode-store.ts";
import { filterByProject } from "./project-filter.ts";
import { isAbsent } from "./reasons.ts";
import { markForeign } from "./recorded-here.ts";
import { nodeSessionFiles, type SessionFiles } from "./session-files.ts";
import { isSubagent, type SessionRef, type SessionRoot, type Unreadable, type Where } from "./session-ref.ts";
import { sessionRoots } from "./session-roots.ts";
import { scanTranscripts } from "./transcripts.ts";

export interface FindOptions {
  /** In the order of what was said last in them, with `lastMs`: the end of each file is read. Default: of file times. */
  byEntryTime?: boolean;
  /** Only sessions in which something was said at this time or later. Implies `byEntryTime`. */
  since?: Date;
  /** Only sessions of this project: its folder, or the last name of it. See `filterByProject`. */
  project?: string;
  /** Subagents too. Default: false. */
  all?: boolean;
  /** Default: the real file system. */
  files?: SessionFiles;
}

/** A place that was looked at. */
export interface SearchedRoot extends SessionRoot {
  isThere: boolean;
  /** Sessions in it, before the filters by time and project. */
  sessions: number;
}

export interface FoundSessions {
  /** Newest first. */
  sessions: SessionRef[];
  unreadable: Unreadable[];
  roots: SearchedRoot[];
}

/**
 * The sessions on this machine. Names, sizes and times are looked at, files are not read (but for the heads of
 * transcripts whose names are not opencode's, and for `byEntryTime`). Never rejects for what it finds: see `unreadable`.
 *
 * A session that we recorded and that opencode still has is listed once, as our transcript, which outlives a deletion
 * in opencode, with the other one in `alternatives`.
 */
export async function findSessions(where: Where, options: FindOptions = {}): Promise<FoundSessions> {
  const { since, project, all = false, files = nodeSessionFiles } = options;
  const { byEntryTime: isByEntry = since !== undefined } = options;
  const roots = await sessionRoots(where, files);
  const seen = new Set<string>();
  const scanned: ScannedSessions[] = [];
  const searched: SearchedRoot[] = [];
  // One after the other: a file that two roots lead to is the first one's.
  for (const root of roots) {
    const result = await scan(root, files, { subagents: all, seen });
    const count = result.sessions.filter((ref) => all || !isSubagent(ref)).length;
    scanned.push(result);
    searched.push({ ...root, isThere: await isThere(root.path, files), sessions: count });
  }

  let sessions = joinSources(scanned.flatMap((each) => each.sessions));
  const stored = where.roots === undefined ? { stored: storedIn(scanned) } : {};
  sessions = await markForeign(sessions, where, { files, ...stored });
  // Not earlier: of a session in two places only one may know its parent.
  if (!all) sessions = sessions.filter((ref) => !isSubagent(ref));
  if (project !== undefined) sessions = await filterByProject(sessions, project, where, files);
  sessions = isByEntry ? await byEntryTime(sessions, files) : byFileTime(sessions);
  if (since !== undefined) sessions = sessions.filter(({ lastMs }) => (lastMs ?? 0) >= since.getTime());
  return {
    sessions,
    unreadable: scanned.flatMap((each) => each.unreadable),
    roots: searched,
  };
}

function storedIn(scanned: readonly ScannedSessions[]): Set<string> {
  const refs = scanned.flatMap(({ sessions }) => sessions);
  return new Set(refs.flatMap(({ id, source }) => (source === "opencode-store" ? [id] : [])));
}

function scan(root: SessionRoot, files: SessionFiles, options: ClaudeScanOptions): Promise<ScannedSessions> {
  switch (root.source) {
    case "claude-code":
      return scanClaudeCode(root.path, files, options);
    case "transcript":
      return scanTranscripts(root, files);
    case "opencode-store":
      return scanOpencodeStore(root.path, files);
  }
}

async function isThere(path: string, files: SessionFiles): Promise<boolean> {
  try {
    await files.stat(path);
    return true;
  } catch (error) {
    // What cannot be looked at is there, and listed as unreadable.
    return !isAbsent(error);
  }
}

/** Makes the transcript and the stored session with one id one session. */
function joinSources(refs: readonly SessionRef[]): SessionRef[] {
  const isOpencode = ({ source }: SessionRef): boolean => source !== "claude-code";
  const rank = ({ source }: SessionRef): number => (source === "transcript" ? 0 : 1);
  const joined = [...Map.groupBy(refs.filter(isOpencode), ({ id }) => id).values()].flatMap((same) => {
    const [first, ...others] = same.toSorted((a, b) => rank(a) - rank(b));
    return first === undefined ? [] : [others.reduce(completedBy, first)];
  });
  return [...refs.filter((ref) => !isOpencode(ref)), ...joined];
}

/** A session with another form of it as an alternative, which tells what the first form does not. */
function completedBy(first: SessionRef, other: SessionRef): SessionRef {
  return {
    ...first,
    project: first.project ?? other.project,
    projectLabel: first.projectLabel || other.projectLabel,
    parentId: first.parentId ?? other.parentId,
    title: first.title ?? other.title,
    startedMs: first.startedMs ?? other.startedMs,
    alternatives: [...first.alternatives, { ...other, alternatives: [] }, ...other.alternatives],
  };
}

function byFileTime(refs: readonly SessionRef[]): SessionRef[] {
  return refs.toSorted((a, b) => b.modifiedMs - a.modifiedMs || (a.id < b.id ? -1 : 1));
}
