/** References to sessions that were found but not read. */
import type { ConversationReader } from "../parse/conversation.ts";
import type { ParseOptions } from "../parse/parse-options.ts";

export interface SessionRef {
  /** The agent's own id: a UUID, `ses_…`; or the name of its file. */
  id: string;
  /**
   * Name of the agent in whose place it is (`transcript` for one of ours); `file` for any other file, which the user named;
   * `stdin` for standard input.
   */
  place: string;
  /** Name of the agent whose session it is; null if only the file's content may have it. */
  agent: string | null;
  /** File to read; null for a session in a database, and for `stdin`. */
  path: string | null;
  /** Database that has it. */
  database: string | null;
  /** Absolute folder of the project; null if only the file's content has it: see `readHead`. */
  project: string | null;
  /** Project to display: its folder, or its agent's encoded form of it, which cannot be decoded reliably: see `Agent.labels`. */
  projectLabel: string;
  /** Session that started it. Null if there is none, or if only the file's content has it: see `readHead`. */
  parentId: string | null;
  /** For a subagent of Claude Code: its id in the result of the call that started it. */
  agentId: string | null;
  /** Its own title, if known without reading the session. */
  title: string | null;
  /** Title that the user gave it with `tag`, shown instead of its own. */
  labelTitle: string | null;
  /** Start in milliseconds since 1970, if known without reading the session. */
  startedMs: number | null;
  /** Time of the last entry, in milliseconds since 1970; null if no entry has a time or the session was not read. */
  lastMs: number | null;
  /**
   * Time of its file, or of its row in opencode's store; 0 for standard input. Shows whether the session changed, but not
   * when: a copy of a file has another time.
   */
  modifiedMs: number;
  /** Size of the file in bytes; null for a database, and for `stdin`. */
  bytes: number | null;
  /** Other forms of the session, in order of preference: see `joinForms`. */
  alternatives: readonly SessionRef[];
  /** Set if only our store has the session, so that it is read from there. `path` or `database` is where it was. */
  archived: ArchivedSession | null;
}

export interface ArchivedSession {
  /** Unique in the store. */
  sessionId: string;
  /** Name of the machine that pushed it to a team's database; null in the store of this machine. Its path would mean nothing here. */
  host: string | null;
  /** Returns a reader of its rows in the store. */
  open(options: Pick<ParseOptions, "between" | "pricing" | "signal">): Promise<ConversationReader>;
  /** Number of damaged places, of which the store has no rows. */
  damaged: number;
}

/** Sessions that our store has. */
export interface Archive {
  /**
   * Returns the found sessions, with what the store knows of them: other forms, and the sessions that started them. After
   * them, those that were not found and whose ids in the store `isWanted` accepts: as archived, or with their file if it is
   * in a place that was not searched. A store that cannot be read is in `unreadable`.
   */
  completed(
    found: SessionsFound,
    isWanted: (session: ArchivedIds) => boolean,
  ): Promise<{ sessions: SessionRef[]; unreadable: Unreadable[] }>;
  /**
   * Returns the session with the latest entry in which something was said, and which no other started: of the project of the
   * working directory, or of all if it has none.
   */
  latest(): Promise<SessionRef | undefined>;
  /** Returns the session with an id that the store gave to tell several with one id apart, if there is one. */
  named(storedId: string, found: SessionsFound): Promise<SessionRef | undefined>;
  /**
   * Returns a session as the store has it, including what its source has dropped. Undefined if the store does not have it.
   * Rejects with a `TranscriptsError` if the store cannot be read.
   */
  stored(ref: SessionRef): Promise<SessionRef | undefined>;
}

/** Result of a search for sessions, as far as an `Archive` needs it. */
export interface SessionsFound {
  sessions: readonly SessionRef[];
  unreadable: readonly Unreadable[];
  roots: readonly (Place & { isThere: boolean })[];
}

/** What names a session of the store. */
export interface ArchivedIds {
  session_id: string;
  path: string;
  parent_id: string | null;
}

/** Place that could not be read. */
export interface Unreadable {
  path: string;
  /** Clause without a full stop: `permission denied`. */
  reason: string;
}

/** Environment for finding sessions, such as the context of a command. */
export interface Where {
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the user's home folder. */
  home: string;
  /** Absolute path of the working directory. */
  cwd: string;
  /** Searches only these places instead of those from `sessionRoots`. */
  roots?: readonly Place[] | undefined;
  /** Sessions of the store, for callers that want them too. Default: none. */
  archive?: Archive;
}

/** Place where an agent keeps sessions. */
export interface Place {
  /** Name of the agent. */
  agent: string;
  /** Folder or database. */
  path: string;
  /** Symbolic links that lead out of this folder are not followed. Default: all are followed. */
  within?: string;
}

/** Returns the session's own id, from its content if its path does not have it. */
export function sessionIdOf({ id, place }: SessionRef, content?: { sessionId: string | null }): string {
  return place === "stdin" || place === "file" ? (content?.sessionId ?? id) : id;
}

/**
 * Returns the name by which a command or tool finds this session again. `byId`: by its id instead of its path; a file
 * outside of the known places is found only by its path.
 */
export function argumentOf({ id, place, path, archived }: SessionRef, byId = place !== "file"): string {
  if (place === "stdin") return "-";
  return archived?.sessionId ?? (byId ? id : (path ?? id));
}

/** Returns the file of a session, or the database that contains it. */
export function pathOf({ path, database }: Pick<SessionRef, "path" | "database">): string {
  return path ?? database ?? "";
}

/** Returns the name of the machine that recorded a session; null for this one. */
export function hostOf({ archived }: SessionRef): string | null {
  return archived?.host ?? null;
}

/** Returns the title that is shown, if it is known without reading the session. */
export function refTitle({ labelTitle, title }: Pick<SessionRef, "labelTitle" | "title">): string | null {
  return labelTitle ?? title;
}

/** Returns whether another session started this one. */
export function isSubagent(ref: SessionRef): boolean {
  return ref.parentId !== null || ref.agentId !== null;
}

/** Completes a ref with empty values. Each field is named, because copying the fields of objects takes ten times as long. */
export function sessionRef(known: Partial<SessionRef> & Pick<SessionRef, "id" | "place" | "agent">): SessionRef {
  return {
    id: known.id,
    place: known.place,
    agent: known.agent,
    path: known.path ?? null,
    database: known.database ?? null,
    project: known.project ?? null,
    projectLabel: known.projectLabel ?? known.project ?? "",
    parentId: known.parentId ?? null,
    agentId: known.agentId ?? null,
    title: known.title ?? null,
    labelTitle: known.labelTitle ?? null,
    startedMs: known.startedMs ?? null,
    lastMs: known.lastMs ?? null,
    modifiedMs: known.modifiedMs ?? 0,
    bytes: known.bytes ?? null,
    alternatives: known.alternatives ?? [],
    archived: known.archived ?? null,
  };
}
