import { hostname } from "node:os";
import { errorCode } from "./fault.ts";
import type { FileSystem } from "./file-system.ts";

/** Time after which an unchanged lock is taken from a process that seems alive, in milliseconds. */
const STALE_AFTER_MS = 5_000;

// Makes the text of each lock unique: worker threads of one process share its pid, but not this.
const INSTANCE = Math.random().toString(36).slice(2, 12);
const HOST = hostname();
let serial = 0;

/** Returns the text of a new lock, `pid.instance.serial.host`, unique for each lock taken. */
export function newLockOwner(): string {
  serial += 1;
  return `${process.pid}.${INSTANCE}.${serial}.${HOST}`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== "ESRCH"; // EPERM: it runs, as another user
  }
}

/** Returns whether the process that took a lock is known to have ended. False for processes of other machines. */
export function ownerIsGone(owner: string): boolean {
  const [pid = "", , , ...host] = owner.split(".");
  return host.join(".") === HOST && /^[1-9]\d*$/.test(pid) && !isAlive(Number(pid));
}

/**
 * Lock for one writer at a time on a file, across processes: a marker at `path` that names its owner.
 *
 * Node has no `flock`, so a lock can outlive its owner. A waiter removes it if the owner's process no longer runs
 * (on the same machine), or if it has seen the same lock for `STALE_AFTER_MS`. That time is measured on the waiter's own
 * monotonic clock, so that setting the clock or suspending the machine does not make a lock look old.
 */
export class FileLock {
  readonly #fs: FileSystem;
  readonly path: string;
  readonly #now: () => number;
  /** Text of this object's lock. Renewed only after a clean release, since the lock may still exist until then. */
  owner = newLockOwner();
  #acquiredAt = 0;
  #seen: { owner: string; since: number } | undefined;
  /** Lock required for removing a stale lock. */
  #permit: FileLock | undefined;

  constructor(fs: FileSystem, path: string, now: () => number = () => performance.now()) {
    this.#fs = fs;
    this.path = path;
    this.#now = now;
  }

  /**
   * Tries once to take the lock. False if it is taken; never waits for another owner.
   * Rejects with the file system's error if no lock can be created (`ENOENT`: the folder is missing).
   */
  async tryAcquire(): Promise<boolean> {
    if (await this.#create()) return true;
    const owner = await this.#currentOwner();
    if (owner === undefined) return this.#create();
    // This object's lock already: creating it reported an error but worked, or its removal failed.
    if (owner === this.owner) return this.#acquired();
    return this.#isStale(owner) && (await this.#remove(owner)) && (await this.#create());
  }

  /** Taken so recently that no process can consider it stale. */
  get isFresh(): boolean {
    return this.#now() - this.#acquiredAt < STALE_AFTER_MS / 2;
  }

  async isHeld(): Promise<boolean> {
    return (await this.#currentOwner()) === this.owner;
  }

  /** Releases the lock; never rejects. False if the marker still exists; the next attempt then finds it as its own. */
  async release(): Promise<boolean> {
    try {
      if (this.isFresh || (await this.isHeld())) await this.#fs.unlink(this.path);
    } catch (error) {
      if (errorCode(error) !== "ENOENT") return false;
    }
    this.owner = newLockOwner();
    return true;
  }

  async #create(): Promise<boolean> {
    try {
      await this.#fs.createMarker(this.path, this.owner);
    } catch (error) {
      if (errorCode(error) === "EEXIST") return false;
      throw error;
    }
    return this.#acquired();
  }

  #acquired(): true {
    this.#acquiredAt = this.#now();
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

  /** Returns how long this object has seen the same lock, in ms. */
  #age(owner: string): number {
    if (this.#seen?.owner !== owner) this.#seen = { owner, since: this.#now() };
    return this.#now() - this.#seen.since;
  }

  #isStale(owner: string): boolean {
    return this.#age(owner) >= STALE_AFTER_MS || ownerIsGone(owner);
  }

  /**
   * Removes a stale lock. First takes a lock named after that lock, and then checks that it still exists: so only one of
   * several waiters removes it, and none removes a lock taken since.
   */
  async #remove(owner: string): Promise<boolean> {
    const name = owner
      .split(".")
      .slice(0, 3)
      .join("-")
      .replaceAll(/[^\w-]/g, "_")
      .slice(0, 40);
    const path = `${this.path}.${name || "unnamed"}`;
    if (this.#permit?.path !== path) this.#permit = new FileLock(this.#fs, path, this.#now);
    if (!(await this.#permit.tryAcquire())) return false;
    try {
      if ((await this.#currentOwner()) === owner) await this.#fs.unlink(this.path);
    } finally {
      await this.#permit.release();
    }
    return true;
  }
}
