/** The list of sessions that were recorded on this machine, by which readers know planted transcripts. */
import { dirname } from "node:path";
import { errorCode } from "../files/fault.ts";
import type { FileSystem } from "../files/file-system.ts";
import { recordedLine, recordedSince } from "./paths.ts";

export interface RecordedSessionsOptions {
  fs: FileSystem;
  /** See `recordedListPath`. Undefined: nothing is listed. */
  path: string | undefined;
  nowMs: () => number;
}

/**
 * Appends each session once per process: a line that costs one small write. Never rejects: a fault costs the session its
 * line, without which it may be called not recorded on this machine.
 */
export class RecordedSessions {
  readonly #options: RecordedSessionsOptions;
  readonly #listed = new Set<string>();

  constructor(options: RecordedSessionsOptions) {
    this.#options = options;
  }

  async add(sessionID: string): Promise<void> {
    const { path } = this.#options;
    if (path === undefined || this.#listed.has(sessionID)) return;
    this.#listed.add(sessionID);
    try {
      await this.#append(path, sessionID).catch(async (error: unknown) => {
        if (errorCode(error) !== "ENOENT") throw error;
        await this.#options.fs.mkdir(dirname(path));
        await this.#append(path, sessionID);
      });
    } catch {
      // Tried again when the session is opened again.
      this.#listed.delete(sessionID);
    }
  }

  async #append(path: string, sessionID: string): Promise<void> {
    const { fs, nowMs } = this.#options;
    const file = await fs.openAppend(path);
    try {
      const isNew = (await file.stat()).size === 0;
      const head = isNew ? recordedSince(nowMs()) : "";
      // In one write, so that lines of several processes do not mix.
      await file.write(Buffer.from(`${head}${recordedLine(sessionID)}`));
    } finally {
      await file.close();
    }
  }
}
