import { join } from "node:path";
import { dropOldest } from "./entry-draft.ts";
import { errorCode } from "./files/fault.ts";
import type { FileSystem } from "./files/file-system.ts";
import type { Timeouts } from "./timeouts.ts";
import { transcriptPath, type TranscriptFormat } from "./transcript-paths.ts";
import type { RecorderQueries, SessionRecord } from "./records.ts";

/** Waits between attempts to get a session's parent, in milliseconds. */
const LOOKUP_DELAYS_MS = [20, 100, 400, 1_500, 3_000, 5_000];
/** Waits between attempts to find a session's file on disk, in milliseconds. */
const DISK_DELAYS_MS = [5, 50, 500];
const ABSENT: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);

/** Maximum number of sessions whose records are remembered, also to notice when one is renamed. */
const MAX_KNOWN = 10_000;

export interface SessionPlacesOptions {
  fs: FileSystem;
  root: string;
  /** Formats to look for when the parent of a session is unknown. */
  format: TranscriptFormat;
  queries: Pick<RecorderQueries, "session">;
  timeouts: Timeouts;
}

/**
 * Finds the location of each session's transcript, which depends on the session's parent. The parent comes with the
 * host's first record of the session, or is queried; a failed query is retried and never taken for "no parent".
 * An existing transcript is continued where it is, even if the parent turns out to be another: no session has two files.
 */
export class SessionPlaces {
  readonly #options: SessionPlacesOptions;
  readonly #known = new Map<string, SessionRecord>();
  readonly #places = new Map<string, Promise<string | undefined>>();
  /** Sessions being queried, each with a function that ends the query because the host sent the record. */
  readonly #asked = new Map<string, AbortController>();

  constructor(options: SessionPlacesOptions) {
    this.#options = options;
  }

  learn(record: SessionRecord): void {
    const merged = { ...this.#known.get(record.sessionID), ...record };
    this.#known.delete(record.sessionID);
    this.#known.set(record.sessionID, merged);
    dropOldest(this.#known, MAX_KNOWN);
    this.#asked.get(record.sessionID)?.abort();
  }

  /** Returns the session's record if it is known, without a query. */
  known(sessionID: string): SessionRecord | undefined {
    return this.#known.get(sessionID);
  }

  /** Forgets the location. When the session continues, an existing file decides. */
  forget(sessionID: string): void {
    this.#places.delete(sessionID);
    const record = this.#known.get(sessionID);
    if (record) this.#known.set(sessionID, { ...record, isNew: false });
  }

  /**
   * Returns the session whose folder contains the transcript; undefined: it is directly in the transcripts folder. Never
   * changes once found, and never rejects.
   */
  parentOf(sessionID: string): Promise<string | undefined> {
    const known = this.#places.get(sessionID);
    if (known) return known;
    const place = this.#find(sessionID);
    this.#places.set(sessionID, place);
    return place;
  }

  async path(sessionID: string, format: TranscriptFormat): Promise<string> {
    return transcriptPath(format, sessionID, await this.parentOf(sessionID));
  }

  /** Returns whether the session has a non-empty transcript. */
  async hasTranscript(sessionID: string, format: TranscriptFormat): Promise<boolean> {
    const path = await this.path(sessionID, format);
    return ((await this.#stat(path))?.size ?? 0) > 0;
  }

  /** Returns the path of a session's transcript if it is on disk, without a query. `parentID`: probably its parent. */
  async onDisk(sessionID: string, parentID: string): Promise<string | undefined> {
    const { format } = this.#options;
    const usual = transcriptPath(format, sessionID, this.#known.get(sessionID)?.parentID ?? parentID);
    if (await this.#exists(usual)) return usual;
    const path = transcriptPath(format, sessionID, await this.#folderOnDisk(sessionID));
    return (await this.#exists(path)) ? path : undefined;
  }

  async #find(sessionID: string): Promise<string | undefined> {
    const record = await this.#ask(sessionID);
    if (!record) return this.#folderOnDisk(sessionID);
    const { parentID, isNew } = record;
    if (parentID === undefined || isNew) return parentID;
    const isAtRoot = await this.#exists(transcriptPath(this.#options.format, sessionID));
    return isAtRoot ? undefined : parentID;
  }

  /** Queries the host until it answers. Undefined: it does not, or has no such session. */
  async #ask(sessionID: string): Promise<SessionRecord | undefined> {
    const { queries, timeouts } = this.#options;
    const told = new AbortController();
    this.#asked.set(sessionID, told);
    for (const delayMs of [...LOOKUP_DELAYS_MS, 0]) {
      if (this.#known.has(sessionID)) break;
      const answer = await timeouts.answer(() => queries.session(sessionID), told.signal);
      if (answer) this.learn(answer);
      if (this.#known.has(sessionID) || timeouts.isHurried) break;
      await timeouts.pause(delayMs, told.signal);
    }
    this.#asked.delete(sessionID);
    return this.#known.get(sessionID);
  }

  /** Finds the folder in which an earlier process put the session. */
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
    const { fs, root } = this.#options;
    return this.#onDisk(() => fs.stat(join(root, path)));
  }

  /** Runs a disk operation; undefined: the file is missing. Retries faults, since a wrong "missing" would split a session. */
  async #onDisk<T>(question: () => Promise<T>): Promise<T | undefined> {
    for (const delayMs of DISK_DELAYS_MS) {
      try {
        return await question();
      } catch (error) {
        if (ABSENT.has(errorCode(error))) return undefined;
      }
      await this.#options.timeouts.pause(delayMs);
    }
    return undefined;
  }
}
