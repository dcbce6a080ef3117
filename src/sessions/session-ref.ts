/** What finding sessions gives: where each one is, without having read it. */

/**
 * Where a session comes from. `claude-code` and `transcript` (one of ours) are files in known places,
 * `opencode-store` is opencode's own database, `file` any other file that was named, `stdin` standard input.
 */
export type SessionSource = "claude-code" | "transcript" | "opencode-store" | "file" | "stdin";

export interface SessionRef {
  /** As its program names it: a UUID, `ses_…`; of a Claude Code subagent the name of its file, `agent-…`. */
  id: string;
  source: SessionSource;
  /** The file to read; null of `opencode-store` and `stdin`. */
  path: string | null;
  /** The database that holds it, of `opencode-store`. */
  database: string | null;
  /** Folder of the project, absolute; null if only the file's content would tell: see `readHead`. */
  project: string | null;
  /** The project for people: its folder, or Claude Code's encoded form of it, which cannot be decoded for certain. */
  projectLabel: string;
  /** The session that started it. Null if there is none, or if only the file's content would tell: see `readHead`. */
  parentId: string | null;
  /** Set if it is a subagent of Claude Code: the id by which the result of the call that started it names it. */
  agentId: string | null;
  /** Title, where it is known without reading the session. */
  title: string | null;
  /** When it began, in milliseconds since 1970, where that is known without reading it. */
  startedMs: number | null;
  /**
   * When something was last said in it, in milliseconds since 1970; null if nothing has a time or it was not looked at
   * (see `byEntryTime`), Infinity if it cannot be read.
   */
  lastMs: number | null;
  /**
   * The time of its file, or of its row in opencode's store; 0 of standard input. It tells whether something changed,
   * not when something was said: a copy of a file has another time.
   */
  modifiedMs: number;
  /** Size of the file; null if there is none, or none that can be told (a pipe, a database). */
  bytes: number | null;
  /** A transcript that was not recorded on this machine, as far as that can be told: see `markForeign`. */
  isForeign: boolean;
  /** The same session elsewhere: in the other format, in opencode's store. In the order of preference. */
  alternatives: readonly SessionRef[];
}

/** Mark of a session with `isForeign`. */
export const FOREIGN = "not recorded on this machine";

/** A place that could not be read. The others are read all the same. */
export interface Unreadable {
  path: string;
  /** A clause for people, without a full stop: `permission denied`. */
  reason: string;
}

/** Where to look. The context of a command is one. */
export interface Where {
  env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder, absolute. */
  home: string;
  /** The folder that relative paths and the current project start from, absolute. */
  cwd: string;
  /** Looks in these places only, instead of those that `sessionRoots` finds. */
  roots?: readonly SessionRoot[];
}

export interface SessionRoot {
  source: "claude-code" | "transcript" | "opencode-store";
  /** A `projects` folder, a `transcripts` folder, or a database. */
  path: string;
  /** Folder that no symbolic link may lead out of. Default: links are followed. */
  within?: string;
}

/** Whether another session started this one. */
export function isSubagent(ref: SessionRef): boolean {
  return ref.parentId !== null || ref.agentId !== null;
}

/** Whether its path is a pipe or a device: it may have no end, and opening it may wait for ever. */
export function isStream({ path, bytes }: SessionRef): boolean {
  return path !== null && bytes === null;
}

/** A ref with all that is not given left open. */
export function sessionRef({
  id,
  source,
  ...known
}: Partial<SessionRef> & Pick<SessionRef, "id" | "source">): SessionRef {
  return {
    id,
    source,
    path: null,
    database: null,
    project: null,
    projectLabel: known.project ?? "",
    parentId: null,
    agentId: null,
    title: null,
    startedMs: null,
    lastMs: null,
    modifiedMs: 0,
    bytes: null,
    isForeign: false,
    alternatives: [],
    ...known,
  };
}
