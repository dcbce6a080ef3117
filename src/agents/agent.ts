/**
 * Everything that is special about one agent. No other code names an agent or switches on one: it asks the registry
 * (`registry.ts`).
 */
import type { ToolTable } from "../calls/tools.ts";
import type { SessionFiles } from "../places/session-files.ts";
import type { Place, SessionRef, Unreadable, Where } from "../places/session-ref.ts";

export interface Agent {
  /** Name in `--agent`, in output and in the store. */
  readonly name: string;
  /** Name as its makers write it, for sentences; `foreignAgent` recognizes its database by it. */
  readonly displayName: string;
  /** False for our transcripts, which are sessions of other agents. */
  readonly hasSessions: boolean;
  /** Its places are databases, and its sessions rows of them. Otherwise each is a file. */
  readonly isInDatabase: boolean;
  /**
   * Its sessions can be in places of several agents, with one id: in a database and in our transcripts. False if a session is
   * one file, of which there may be copies.
   */
  readonly hasForms: boolean;

  /** Says what its tools do: which read, write or run what. */
  readonly tools: ToolTable;

  /** Returns the places where its sessions may be, even if they do not exist, from its environment variables and defaults. */
  places(where: Where, files: SessionFiles): Promise<Place[]>;

  /**
   * Finds the sessions in one of its places by names, sizes and times, without reading them. Never rejects because of
   * files: see `unreadable`.
   */
  scan(place: Place, files: SessionFiles, options: ScanOptions): Promise<ScannedSessions>;

  /**
   * Returns places beside its own that have sessions in a form that is not read. `known`: ids of the sessions that were
   * found, which may be copies of those.
   */
  unread?(
    places: readonly Place[],
    known: ReadonlySet<string>,
    files: Pick<SessionFiles, "list">,
  ): Promise<Unreadable[]>;

  /**
   * Returns how a session in one of its places is resumed; undefined if it is not in one. `cwd`: the working directory that
   * the session names, if that is known.
   */
  resume?(ref: SessionRef, cwd: string | null): Resume | undefined;

  /** Returns the place of a session's file, with those of its subagents. Default: the agent has no files. */
  placeOf?(path: string, ref: SessionRef): Place;

  /** Returns the folders, which may not exist, that have only files of this session: its subagents', its outputs. */
  belongings?(path: string, ref: SessionRef): string[];

  /** Returns the command that deletes a session that is not a file. */
  deletion?(ref: SessionRef): string;

  /** Returns which of its sessions it deletes, and when: a rule for each of its places. Default: it deletes none. */
  retention?(where: Where): Promise<Retention[]>;
}

export interface ScanOptions {
  /** Finds subagents too, which can be most of the work. */
  subagents: boolean;
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
