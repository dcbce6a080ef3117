import type { FileSystem } from "../files/file-system.ts";
import { transcriptPath, type TranscriptFormat } from "./paths.ts";
import type { SessionRecord } from "./records.ts";

/** What the recorder asks a host for; all of it may fail, and is asked for outside of the host's hooks. */
export interface HostQueries {
  /** What the host knows of a session. Undefined: there is no such session. Rejects if it cannot say. */
  session(sessionID: string): Promise<SessionRecord | undefined>;
}

/** Waits between attempts to learn a session's parent, in milliseconds. */
const LOOKUP_DELAYS_MS = [20, 100, 400, 1_500, 3_000, 5_000];
/** Ancestors that are followed; opencode's default depth is 1. */
const MAX_DEPTH = 32;

export interface SessionPlacesOptions {
  fs: FileSystem;
  /** The transcripts folder. */
  root: string;
  /** Decides which file is looked for when a session's parent cannot be learned. */
  format: TranscriptFormat;
  queries: HostQueries;
  join: (...segments: string[]) => string;
  /** Resolves after that time, or when the signal is given. */
  delay: (ms: number, signal: AbortSignal) => Promise<void>;
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
  readonly #hurry = new AbortController();

  constructor(options: SessionPlacesOptions) {
    this.#options = options;
  }

  /** Takes in what the host said by itself. */
  learn(record: SessionRecord): void {
    const { isNew, ...known } = record;
    this.#known.set(record.sessionID, { ...this.#known.get(record.sessionID), ...known, isNew });
  }

  /** What is known of a session, without asking. */
  known(sessionID: string): SessionRecord | undefined {
    return this.#known.get(sessionID);
  }

  /** From now on no question is repeated: the process ends. */
  hurry(): void {
    this.#hurry.abort();
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
    for (const delayMs of [...LOOKUP_DELAYS_MS, 0]) {
      const known = this.#known.get(sessionID);
      if (known) return known;
      try {
        const answer = await this.#options.queries.session(sessionID);
        if (answer) this.learn(answer);
        if (answer) return answer;
      } catch {
        // Asked again below; what the caller sees at last is that nobody knows.
      }
      if (this.#hurry.signal.aborted) break;
      await this.#options.delay(delayMs, this.#hurry.signal);
    }
    return this.#known.get(sessionID);
  }

  /** The folder in which an earlier process put the session. */
  async #folderOnDisk(sessionID: string): Promise<string | undefined> {
    const { fs, root, format } = this.#options;
    if (await this.#exists(transcriptPath(format, sessionID))) return undefined;
    const names = await fs.readdir(root).catch(() => []);
    for (const name of names) {
      if (await this.#exists(transcriptPath(format, sessionID, name))) return name;
    }
    return undefined;
  }

  async #exists(path: string): Promise<boolean> {
    const { fs, root, join } = this.#options;
    return fs.stat(join(root, path)).then(
      () => true,
      () => false,
    );
  }

  /** The ids of a session and its ancestors, nearest first, as far as they are known or can be asked. */
  async lineage(sessionID: string): Promise<string[]> {
    const ids = [sessionID];
    for (let id = (await this.place(sessionID)).parentID; id !== undefined; id = (await this.place(id)).parentID) {
      if (ids.includes(id) || ids.length >= MAX_DEPTH) break;
      ids.push(id);
    }
    return ids;
  }
}
