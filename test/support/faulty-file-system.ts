import type { FileHandle, FileSystem } from "../../src/transcript/files/file-system.ts";

/**
 * Which calls fail, and how. Calls are counted from 1 over all methods; with `only`, over those methods.
 *
 * `before`: the call is not made. `after`: the call is made and then reported as failed.
 * `short`: a write takes only half of the bytes (none of a single one) and reports no error; other calls are not touched.
 */
export interface FaultPlan {
  /** The first call that fails. */
  nth: number;
  /** How many calls fail in a row. Default 1. */
  times?: number;
  how?: "before" | "after" | "short";
  /** The error's code. Default `EIO`. */
  code?: string;
  only?: readonly CallName[];
}

export type CallName = keyof FileSystem | `handle.${keyof FileHandle}`;

/** A file system that stands before a real one and fails on demand. Tests compare the real bytes. */
export class FaultyFileSystem implements FileSystem {
  readonly #inner: FileSystem;
  #plan: FaultPlan | undefined;
  /** Names of all calls so far. */
  readonly calls: CallName[] = [];
  /** Calls that the plan could have made fail. */
  #counted = 0;
  /** Calls that failed or were short. */
  faults = 0;

  constructor(inner: FileSystem, plan?: FaultPlan) {
    this.#inner = inner;
    this.#plan = plan;
  }

  /** From now on; calls are counted anew. */
  set plan(plan: FaultPlan | undefined) {
    this.#plan = plan;
    this.#counted = 0;
  }

  openAppend(path: string): Promise<FileHandle> {
    return this.#open("openAppend", () => this.#inner.openAppend(path));
  }
  openRead(path: string): Promise<FileHandle> {
    return this.#open("openRead", () => this.#inner.openRead(path));
  }
  mkdir(path: string): Promise<void> {
    return this.#call("mkdir", () => this.#inner.mkdir(path));
  }
  writeNew(path: string, data: Uint8Array): Promise<void> {
    return this.#call("writeNew", () => this.#inner.writeNew(path, data));
  }
  readdir(path: string): Promise<string[]> {
    return this.#call("readdir", () => this.#inner.readdir(path));
  }
  stat(path: string): Promise<{ size: number; mtimeMs: number; isDirectory: boolean }> {
    return this.#call("stat", () => this.#inner.stat(path));
  }
  rename(from: string, to: string): Promise<void> {
    return this.#call("rename", () => this.#inner.rename(from, to));
  }
  unlink(path: string): Promise<void> {
    return this.#call("unlink", () => this.#inner.unlink(path));
  }
  link(from: string, to: string): Promise<void> {
    return this.#call("link", () => this.#inner.link(from, to));
  }
  createMarker(path: string, text: string): Promise<void> {
    return this.#call("createMarker", () => this.#inner.createMarker(path, text));
  }
  readMarker(path: string): Promise<string> {
    return this.#call("readMarker", () => this.#inner.readMarker(path));
  }

  async #open(name: CallName, open: () => Promise<FileHandle>): Promise<FileHandle> {
    let opened: FileHandle | undefined;
    try {
      const handle = await this.#call(name, async () => (opened = await open()));
      return this.#wrap(handle);
    } catch (error) {
      await opened?.close(); // opened, then reported as failed: nobody else can close it
      throw error;
    }
  }

  #wrap(handle: FileHandle): FileHandle {
    return {
      write: (data) =>
        this.#call(
          "handle.write",
          () => handle.write(data),
          () => handle.write(data.subarray(0, Math.floor(data.length / 2))),
        ),
      read: (position, length) => this.#call("handle.read", () => handle.read(position, length)),
      stat: () => this.#call("handle.stat", () => handle.stat()),
      truncate: (size) => this.#call("handle.truncate", () => handle.truncate(size)),
      close: async () => {
        let closed = false;
        const close = (): Promise<void> => ((closed = true), handle.close());
        try {
          await this.#call("handle.close", close);
        } catch (error) {
          if (!closed) await close(); // as in the kernel: the descriptor is gone in any case
          throw error;
        }
      },
    };
  }

  async #call<T>(name: CallName, call: () => Promise<T>, shortCall?: () => Promise<T>): Promise<T> {
    this.calls.push(name);
    const fault = this.#due(name, shortCall !== undefined);
    if (!fault) return call();
    this.faults += 1;
    if (fault.how === "short") return (shortCall ?? call)();
    if (fault.how === "after") await call();
    const code = fault.code ?? "EIO";
    throw Object.assign(new Error(`${code}: injected, ${name}`), { code });
  }

  #due(name: CallName, canBeShort: boolean): FaultPlan | undefined {
    const plan = this.#plan;
    if (!plan || (plan.only && !plan.only.includes(name)) || (plan.how === "short" && !canBeShort)) return undefined;
    this.#counted += 1;
    const past = this.#counted - plan.nth;
    return past >= 0 && past < (plan.times ?? 1) ? plan : undefined;
  }
}
