import { join } from "node:path";
import { newLockOwner, ownerIsGone } from "./files/file-lock.ts";
import { createIn, type FileSystem } from "./files/file-system.ts";
import { safeSegment } from "./transcript-paths.ts";

/** Folder for the marks, in the transcripts folder. */
const FOLDER = ".recording";
const SUFFIX = ".lock";

/**
 * Marks the sessions that this recorder has open, so that other processes know that unfinished calls in them may still
 * end. A mark is a file whose name contains its process id; marks of processes that no longer run are ignored.
 *
 * Nothing here rejects. Without a mark, another process may record a running call as interrupted; its result is still
 * recorded later.
 */
export class Presence {
  readonly #fs: FileSystem;
  readonly #root: string;
  readonly #owner = newLockOwner();
  readonly #marked = new Set<string>();

  /** `root`: the transcripts folder. */
  constructor(fs: FileSystem, root: string) {
    this.#fs = fs;
    this.#root = root;
  }

  /** Marks the session unless it is marked already. */
  async enter(sessionID: string): Promise<void> {
    if (this.#marked.has(sessionID)) return;
    this.#marked.add(sessionID);
    const path = this.#path(this.#nameOf(sessionID));
    await createIn(this.#fs, path, () => this.#fs.createMarker(path, this.#owner)).catch(() => undefined);
  }

  async leave(sessionID: string): Promise<void> {
    if (this.#marked.delete(sessionID)) await this.#remove(this.#nameOf(sessionID));
  }

  /** Returns whether another running process has the session open. Removes marks of processes that no longer run. */
  async isShared(sessionID: string): Promise<boolean> {
    const own = this.#nameOf(sessionID);
    let isShared = false;
    for (const name of await this.#names()) {
      if (name === own) continue;
      const owner = await this.#fs.readMarker(this.#path(name)).catch(() => undefined);
      if (owner === undefined) continue;
      if (ownerIsGone(owner)) await this.#remove(name);
      else isShared ||= name.startsWith(`${safeSegment(sessionID)}.`);
    }
    return isShared;
  }

  async #names(): Promise<string[]> {
    try {
      return (await this.#fs.readdir(this.#path())).filter((name) => name.endsWith(SUFFIX));
    } catch {
      return [];
    }
  }

  async #remove(name: string): Promise<void> {
    await this.#fs.unlink(this.#path(name)).catch(() => undefined);
  }

  /** Two recorders of one process have different owner names. */
  #nameOf(sessionID: string): string {
    return `${safeSegment(sessionID)}.${safeSegment(this.#owner.split(".").slice(0, 3).join("-"))}${SUFFIX}`;
  }

  #path(...names: string[]): string {
    return join(this.#root, FOLDER, ...names);
  }
}
