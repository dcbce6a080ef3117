import { errorCode } from "../files/fault.ts";
import type { FileSystem } from "../files/file-system.ts";
import type { Patience } from "./patience.ts";
import { transcriptPath, type TranscriptFormat } from "./paths.ts";
import type { SessionRecord } from "./records.ts";

/** What the recorder asks a host for; all of it may fail, and is asked for outside of the host's hooks. */
export interface HostQueries {
  /** What the host knows of a session. Undefined: there is no such session. Rejects if it cannot say. */
  session(sessionID: string): Promise<SessionRecord | undefined>;
}

/** Waits between attempts to learn a session's parent, in milliseconds. */
const LOOKUP_DELAYS_MS = [20, 100, 400, 1_500, 3_000, 5_000];
/** Waits between attempts to learn from the disk where a session's file is, in milliseconds. */
const DISK_DELAYS_MS = [5, 50, 500];
/** What a disk says of a file that is not there. */
const ABSENT: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);

export interface SessionPlacesOptions {
  fs: FileSystem;
  /** The transcripts folder. */
  root: string;
  /** Decides which file is looked for when a session's parent cannot be learned. */
  format: TranscriptFormat;
  queries: HostQueries;
  join: (...segments: string[]) => string;
  patience: Patience;
}

/** Where a session's transcript is. */
export interface SessionPlace {
  /** The session in whose folder it is; undefined: at the top of the transcripts folder. */
  parentID: string | undefined;
}

/**
 * Finds the one place of each session's transcript. The parent decides it. It comes with the host's first word
 * on the session, or is asked for; a failed question is asked again and never taken for "no parent".
 * A transcript that exists is continued where it is, whatever is learned later: no session has two files.
 */
export class SessionPlaces {
  readonly #options: SessionPlacesOptions;
  readonly #known = new Map<string, SessionRecord>();
  readonly #places = new Map<string, Promise<SessionPlace>>();
  /** Sessions that the host is asked about, and how to tell that it spoke by itself. */
  readonly #asked = new Map<string, AbortController>();

  constructor(options: SessionPlacesOptions) {
    this.#options = options;
  }

  /** Takes in what the host said by itself. */
  learn(record: SessionRecord): void {
    const { isNew, ...known } = record;
    this.#known.set(record.sessionID, { ...this.#known.get(record.sessionID), ...known, isNew });
    this.#asked.get(record.sessionID)?.abort();
  }

  /** What is known of a session, without asking. */
  known(sessionID: string): SessionRecord | undefined {
    return this.#known.get(sessionID);
  }

  forget(sessionID: string): void {
    this.#known.delete(sessionID);
    this.#places.delete(sessionID);
  }

  /** The session's place. Resolves once and for all; never rejects. */
  place(sessionID: string): Promise<SessionPlace> {
    let place = this.#places.get(sessionID);
    if (!place) {
      place = this.#find(sessionID);
      this.#places.set(sessionID, place);
    }
    return place;
  }

  /** Path of the session's transcript, relative to the transcripts folder. */
  async path(sessionID: string, format: TranscriptFormat): Promise<string> {
    const { parentID } = await this.place(sessionID);
    return transcriptPath(format, sessionID, parentID);
  }

  /** Whether there is a transcript of the session that holds anything. */
  async hasTranscript(sessionID: string, format: TranscriptFormat): Promise<boolean> {
    const path = await this.path(sessionID, format);
    return ((await this.#stat(path))?.size ?? 0) > 0;
  }

  async #find(sessionID: string): Promise<SessionPlace> {
    const record = await this.#ask(sessionID);
    if (record) {
      const { parentID } = record;
      if (parentID === undefined || record.isNew) return { parentID };
      const atRoot = await this.#exists(transcriptPath(this.#options.format, sessionID));
      return { parentID: atRoot ? undefined : parentID };
    }
    return { parentID: await this.#folderOnDisk(sessionID) };
  }

  /** Asks the host until it answers. Undefined: it does not, or has no such session. */
  async #ask(sessionID: string): Promise<SessionRecord | undefined> {
    const { queries, patience } = this.#options;
    const told = new AbortController();
    this.#asked.set(sessionID, told);
    for (const delayMs of [...LOOKUP_DELAYS_MS, 0]) {
      if (this.#known.has(sessionID)) break;
      const answer = await patience.answer(() => queries.session(sessionID), told.signal);
      if (answer) this.learn(answer);
      if (this.#known.has(sessionID) || patience.isHurried) break;
      await patience.pause(delayMs, told.signal);
    }
    this.#asked.delete(sessionID);
    return this.#known.get(sessionID);
  }

  /** The folder in which an earlier process put the session. */
  async #folderOnDisk(sessionID: string): Promise<string | undefined> {
    const { fs, root, format } = this.#options;
    if (await this.#exists(transcriptPath(format, sessionID))) return undefined;
    const names = (await this.#onDisk(() => fs.readdir(root))) ?? [];
    for (const name of names) {
      if (await this.#exists(transcriptPath(format, sessionID, name))) return name;
    }
    return undefined;
  }

  async #exists(path: string): Promise<boolean> {
    return (await this.#stat(path)) !== undefined;
  }

  async #stat(path: string): Promise<{ size: number } | undefined> {
    const { fs, root, join } = this.#options;
    return this.#onDisk(() => fs.stat(join(root, path)));
  }

  /** Asks the disk; undefined: there is no such thing. Asks again if it fails: a wrong no would split a session. */
  async #onDisk<T>(question: () => Promise<T>): Promise<T | undefined> {
    for (const delayMs of DISK_DELAYS_MS) {
      try {
        return await question();
      } catch (error) {
        if (ABSENT.has(errorCode(error))) return undefined;
      }
      await this.#options.patience.pause(delayMs);
    }
    return undefined;
  }
}
