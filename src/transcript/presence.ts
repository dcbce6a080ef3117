import { errorCode } from "../files/fault.ts";
import { newLockOwner, ownerIsGone } from "../files/file-lock.ts";
import type { FileSystem } from "../files/file-system.ts";
import { safeSegment } from "./paths.ts";

/** Folder of the marks, in the transcripts folder. */
const FOLDER = ".recording";
const SUFFIX = ".lock";

export interface PresenceOptions {
  fs: FileSystem;
  /** The transcripts folder. */
  root: string;
  join: (...segments: string[]) => string;
}

/**
 * Marks the sessions that this recorder has open, so that other processes know that what is open in them may still
 * end. A mark is a name that carries its owner's process; the mark of a process that is gone counts for nothing.
 *
 * Nothing here rejects. Without a mark, another process may call a running tool interrupted; its result is recorded
 * all the same.
 */
export class Presence {
  readonly #options: PresenceOptions;
  readonly #owner = newLockOwner();
  readonly #marked = new Set<string>();

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  /** Marks the session, if that is not done yet. */
  async enter(sessionID: string): Promise<void> {
    if (this.#marked.has(sessionID)) return;
    this.#marked.add(sessionID);
    const { fs } = this.#options;
    try {
      await fs.createMarker(this.#path(this.#nameOf(sessionID)), this.#owner);
    } catch (error) {
      if (errorCode(error) !== "ENOENT") return;
      await fs
        .mkdir(this.#path())
        .then(() => fs.createMarker(this.#path(this.#nameOf(sessionID)), this.#owner))
        .catch(() => undefined);
    }
  }

  /** Takes the mark away. */
  async leave(sessionID: string): Promise<void> {
    if (this.#marked.delete(sessionID)) await this.#remove(this.#nameOf(sessionID));
  }

  /** Whether another process that runs has the session open. Takes away the marks of those that do not run any more. */
  async isShared(sessionID: string): Promise<boolean> {
    const own = this.#nameOf(sessionID);
    let isShared = false;
    for (const name of await this.#names()) {
      if (name === own) continue;
      const owner = await this.#options.fs.readMarker(this.#path(name)).catch(() => undefined);
      if (owner === undefined) continue;
      if (ownerIsGone(owner)) await this.#remove(name);
      else isShared ||= name.startsWith(`${safeSegment(sessionID)}.`);
    }
    return isShared;
  }

  async #names(): Promise<string[]> {
    try {
      return (await this.#options.fs.readdir(this.#path())).filter((name) => name.endsWith(SUFFIX));
    } catch {
      return [];
    }
  }

  async #remove(name: string): Promise<void> {
    await this.#options.fs.unlink(this.#path(name)).catch(() => undefined);
  }

  /** Two recorders of one process have different owners. */
  #nameOf(sessionID: string): string {
    return `${safeSegment(sessionID)}.${safeSegment(this.#owner.split(".").slice(0, 3).join("-"))}${SUFFIX}`;
  }

  #path(...names: string[]): string {
    const { root, join } = this.#options;
    return join(root, FOLDER, ...names);
  }
}
