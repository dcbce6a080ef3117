/**
 * Everything that is special about one agent. No other code names an agent or switches on one: it asks the registry
 * (`registry.ts`). An agent that keeps each session in a file gets its places, `scan`, `fileRef` and `placeOf` from the layout
 * of its folders (`file-layout.ts`).
 */
import type { FormatTraits, ReadOptions, SessionContent } from "../parse/content.ts";
import type { InputUnit, SessionDraft } from "../parse/message-draft.ts";
import type { SessionFiles } from "../places/session-files.ts";
import type { Place, SessionRef, Unreadable, Where } from "../places/session-ref.ts";

export interface Agent {
  /** Name in `--agent`, in output and in the store. */
  readonly name: string;
  /** Name as its makers write it, for sentences; `foreignAgent` recognizes its database by it. */
  readonly displayName: string;
  /** Its sessions are those of other agents: our transcripts. */
  readonly isRecorder?: boolean;
  /** Its places are databases, and its sessions rows of them. Default: each session is a file. */
  readonly isInDatabase?: boolean;
  /**
   * Its sessions can be in places of several agents, with one id: in a database and in our transcripts. Default: a session is
   * one file, of which there may be copies.
   */
  readonly hasForms?: boolean;
  /** Forks copy earlier answers under new ids, so only their time, model and tokens show that they are copies. */
  readonly forksChangeIds?: boolean;

  /** Formats of its content: of the files that it keeps, and of what it prints or exports. */
  readonly formats: readonly Format[];

  /** Returns the places where its sessions may be, even if they do not exist, from its environment variables and defaults. */
  places(where: Where, files: SessionFiles): Promise<Place[]>;

  /**
   * Finds the sessions in one of its places by names, sizes and times, without reading them; only of a file whose name lacks
   * the id of its session, the beginning is read. Never rejects because of files: see `unreadable`.
   */
  scan(place: Place, files: SessionFiles, options: ScanOptions): Promise<ScannedSessions>;

  /** Opens a session that is not a file, but rows of a database. Default: returns `content`, the bytes of its file. */
  open?(ref: SessionRef, files: SessionFiles, content: SessionContent): SessionContent;

  /** Returns what other files say of a session in one of its places, such as a list of titles. It takes precedence. */
  beside?(ref: SessionRef, files: SessionFiles): Promise<Pick<SessionDraft, "cwd" | "title">>;

  /**
   * Returns the session in a file that is in one of the agent's formats, wherever it is. `head`: of the file. Default: its id is
   * that in its head, or else its name.
   */
  fileRef?(file: NamedFile, head: SessionHead): SessionRef;

  /** For sessions whose place names their project in a form that cannot be decoded: their `projectLabel`. */
  labels?: ProjectLabels;

  /**
   * Returns how a session in one of its places is resumed; undefined if it is not in one. `cwd`: the working directory that
   * the session names, if that is known.
   */
  resume?(ref: SessionRef, cwd: string | null): Resume | undefined;

  /**
   * Returns whether only the content of a session says that another one started it, so that its head is read for that. Default:
   * no, its path says it, or its row in a database.
   */
  isParentInContent?(ref: SessionRef): boolean;

  /**
   * Returns the sessions of subagents that are in the file of a session, which only reading it shows: see
   * `ReadOptions.part`. Default: none.
   */
  parts?(ref: SessionRef, files: SessionFiles): Promise<SessionRef[]>;

  /** Returns a reader of attachments, up to `maxBytes`, by the path in a block's metadata; it returns undefined for others. */
  attachments?(ref: SessionRef, maxBytes: number): ((path: string) => Promise<Uint8Array | undefined>) | undefined;

  /** Returns the place of a session's file, with those of its subagents. Default: the agent has no files. */
  placeOf?(path: string, ref: SessionRef): Place;

  /** Returns the folders, which may not exist, that have only files of this session: its subagents', its outputs. */
  belongings?(path: string, ref: SessionRef): string[];

  /** Returns the command that deletes a session that is not a file. */
  deletion?(ref: SessionRef): string;

  /** Returns which of its sessions it deletes, and when: a rule for each of its places. Default: it deletes none. */
  retention?(where: Where): Promise<Retention[]>;
}

/** Layout of a session's bytes, and its reader. */
export interface Format extends FormatTraits {
  /** Detects the format from the first bytes of an input (64 KiB, or all of a shorter input) as text. Never true for two formats. */
  detect(head: string): boolean;
  /** Others' lines may pass for its, so it is asked after all others. */
  readonly isFallback?: boolean;
  /**
   * Texts that its reader adds to those of a file, such as notes about images. Only for a format whose files have all other
   * texts in them as JSON has them: a search then passes over files whose bytes lack a word.
   */
  readonly addedTexts?: string;
  /** The agent prints or exports it, and keeps its sessions in another form. */
  readonly isExport?: boolean;
  /** Reads the chunks of an input, which may end anywhere, into batches of units in input order. No content makes it throw. */
  read(chunks: AsyncIterable<Uint8Array>, options: ReadOptions): AsyncGenerator<InputUnit[]>;
}

/** Session fields from the beginning of its content. */
export interface SessionHead {
  sessionId: string | null;
  parentId: string | null;
  /** Folder of the project. */
  cwd: string | null;
  /** Set only from a header that has the id, too, since a later line may change it. */
  title: string | null;
  startedMs: number | null;
}

export interface NamedFile {
  path: string;
  bytes: number;
  modifiedMs: number;
}

/** Compares labels with projects, without reading sessions. Several projects can share a label. */
export interface ProjectLabels {
  /** Returns whether a session with the label may be of a folder: `yes` if it is the folder's own label, `maybe` if it may be of a folder inside. */
  ofFolder(label: string, folder: string): "yes" | "maybe" | "no";
  /** The same for a folder of which only the last part of the path is known. */
  ofName(label: string, name: string): "yes" | "maybe" | "no";
}

export interface ScanOptions {
  /** Real paths that were found in other places; skipped, and extended. */
  seen: Set<string>;
}

export interface ScannedSessions {
  sessions: SessionRef[];
  unreadable: Unreadable[];
}

export type Resume =
  | {
      /** Shell command. */
      command: string;
      /** Folder to run it in; null if it does not matter, or is unknown. */
      folder: string | null;
    }
  /** Why there is none, as a clause. */
  | { reason: string };

export interface Retention {
  /** Sessions below this folder are deleted. */
  folder: string;
  /** Days after the last change of the session's file. */
  days: number;
  /** Name of the setting that has the days. */
  setting: string;
  /** File that has the setting, or where it could be set. */
  file: string;
  /** The days are the agent's default. */
  isDefault: boolean;
}
