import { hostname } from "node:os";
import { errorCode } from "./fault.ts";
import type { FileSystem } from "./file-system.ts";

/**
 * One writer at a time on a file, across processes: a marker at `path` that names its owner.
 *
 * Node has no `flock`, so a lock can outlive its owner. A waiter takes it away if the owner's process is gone
 * (same machine), or if it has seen the very same lock for `staleAfterMs`. That time runs on the waiter's own
 * monotonic clock: a clock that is set, or a machine that slept, makes no lock look old.
 */
export interface LockOptions {
  /** How long the same lock must stand before it is taken from a process that seems alive. Default 5,000 ms. */
  staleAfterMs?: number;
  /** Whether a process of this machine runs. Default: signal 0. */
  isAlive?: (pid: number) => boolean;
  /** Milliseconds, monotonic. Default `performance.now`. */
  now?: () => number;
}

// No two locks ever carry the same text: worker threads of one process share its pid, but not this.
const INSTANCE = Math.random().toString(36).slice(2, 12);
const HOST = hostname();
let serial = 0;

/** The text of a new lock: `pid.instance.serial.host`. Unique for each lock that is taken. */
export function newLockOwner(): string {
  serial += 1;
  return `${process.pid}.${INSTANCE}.${serial}.${HOST}`;
}

function signalZero(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== "ESRCH"; // EPERM: it runs, as another user
  }
}

/** Whether the process that took a lock is known to be gone. Of another machine's process nothing is known. */
export function ownerIsGone(owner: string, isAlive: (pid: number) => boolean = signalZero): boolean {
  const [pid = "", , , ...host] = owner.split(".");
  return host.join(".") === HOST && /^[1-9]\d*$/.test(pid) && !isAlive(Number(pid));
}

const DEFAULTS: Required<LockOptions> = {
  staleAfterMs: 5_000,
  isAlive: signalZero,
  now: () => performance.now(),
};

export class FileLock {
  readonly #fs: FileSystem;
  /** Path of the marker. */
  readonly path: string;
  readonly #options: Required<LockOptions>;
  /** Renewed only after a clean release: until then the lock may still stand. */
  #owner = newLockOwner();
  #acquiredAt = 0;
  #seen: { owner: string; since: number } | undefined;
  /** The lock that must be had to remove a stale one. */
  #permit: FileLock | undefined;

  constructor(fs: FileSystem, path: string, options: LockOptions = {}) {
    this.#fs = fs;
    this.path = path;
    this.#options = { ...DEFAULTS, ...options };
  }

  /**
   * One attempt; never waits for another owner. False if the lock is taken.
   * Rejects with the file system's error where no lock can be made at all (`ENOENT`: the folder is missing).
   */
  async tryAcquire(): Promise<boolean> {
    if (await this.#create()) return true;
    const owner = await this.#currentOwner();
    if (owner === undefined) return this.#create();
    // Ours already: it was made but the answer was an error, or its removal failed.
    if (owner === this.#owner) return this.#acquired();
    return this.#isStale(owner) && (await this.#remove(owner)) && (await this.#create());
  }

  /** The text of this object's lock. */
  get owner(): string {
    return this.#owner;
  }

  /** Taken so lately that nobody can have judged it stale. */
  get isFresh(): boolean {
    return this.#options.now() - this.#acquiredAt < this.#options.staleAfterMs / 2;
  }

  /** Whether the lock still stands in this object's name. */
  async isHeld(): Promise<boolean> {
    return (await this.#currentOwner()) === this.#owner;
  }

  /** Gives the lock back; never rejects. False if it still stands: then the next attempt finds it to be its own. */
  async release(): Promise<boolean> {
    try {
      if (this.isFresh || (await this.isHeld())) await this.#fs.unlink(this.path);
    } catch (error) {
      if (errorCode(error) !== "ENOENT") return false;
    }
    this.#owner = newLockOwner();
    return true;
  }

  async #create(): Promise<boolean> {
    try {
      await this.#fs.createMarker(this.path, this.#owner);
    } catch (error) {
      if (errorCode(error) === "EEXIST") return false;
      throw error;
    }
    return this.#acquired();
  }

  #acquired(): true {
    this.#acquiredAt = this.#options.now();
    this.#seen = undefined;
    return true;
  }

  async #currentOwner(): Promise<string | undefined> {
    try {
      return await this.#fs.readMarker(this.path);
    } catch (error) {
      if (errorCode(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  /** How long this object has seen the same lock, in ms. */
  #age(owner: string): number {
    if (this.#seen?.owner !== owner) this.#seen = { owner, since: this.#options.now() };
    return this.#options.now() - this.#seen.since;
  }

  #isStale(owner: string): boolean {
    return this.#age(owner) >= this.#options.staleAfterMs || ownerIsGone(owner, this.#options.isAlive);
  }

  /**
   * Removes a stale lock. Who wants to do so first takes a lock that is named after that very lock, and only then
   * looks whether it still stands: so one of several waiters removes it, and none removes a lock taken since.
   */
  async #remove(owner: string): Promise<boolean> {
    const name = owner
      .split(".")
      .slice(0, 3)
      .join("-")
      .replaceAll(/[^\w-]/g, "_")
      .slice(0, 40);
    const path = `${this.path}.${name || "unnamed"}`;
    if (this.#permit?.path !== path) this.#permit = new FileLock(this.#fs, path, this.#options);
    if (!(await this.#permit.tryAcquire())) return false;
    try {
      if ((await this.#currentOwner()) === owner) await this.#fs.unlink(this.path);
    } finally {
      await this.#permit.release();
    }
    return true;
  }
}
