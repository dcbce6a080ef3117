/** Reads a growing file. */
import { constants, type FileHandle, open, stat } from "node:fs/promises";
import { errorCode } from "../transcript/files/fault.ts";
import { pause } from "../transcript/timeouts.ts";

export interface FollowOptions {
  signal: AbortSignal;
  /** Waits for more at the end. */
  follow: boolean;
  /** Called each time everything available was read. */
  caughtUp: () => Promise<void>;
  /** Called before the chunks end, unless because of the signal or the end of a file that is not followed. */
  ended: (restart: Restart) => void;
}

/** Reasons for reading a file from its start again. */
export type Restart = "replaced" | "cut" | "gone";

/** Interval of checks, in milliseconds. File system events would be faster but not reliable: network folders send none. */
const POLL_MS = 150;
const CHUNK_BYTES = 256 * 1024;
/** Number of bytes before the current position that are compared, to detect a rewritten file. */
const KEPT_BYTES = 256;

/**
 * Reads the file to its end, and continues as it grows. The chunks end when the file was replaced or truncated, which
 * `ended` reports; then read it again. Throws the file system's error at any chunk.
 */
export async function* followFile(
  path: string,
  { signal, follow, caughtUp, ended }: FollowOptions,
): AsyncGenerator<Uint8Array> {
  // Does not wait for a pipe that replaced the file.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  let offset = 0;
  let kept = Buffer.alloc(0);
  let seenMs = 0;
  try {
    if (!(await handle.stat()).isFile())
      throw Object.assign(new Error(`${path} is not a file any more`), { code: "ENOTREG" });
    while (!signal.aborted) {
      const { size, mtimeMs } = await handle.stat();
      const isTouched = mtimeMs !== seenMs;
      if (size < offset) return ended("cut");
      if (isTouched && !(await stillHolds(handle, offset, kept))) return ended("replaced");
      seenMs = mtimeMs;
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafeSlow(CHUNK_BYTES), 0, CHUNK_BYTES, offset);
      if (bytesRead > 0) {
        const chunk = buffer.subarray(0, bytesRead);
        offset += bytesRead;
        kept = Buffer.from(Buffer.concat([kept, chunk]).subarray(-KEPT_BYTES));
        yield chunk;
        continue;
      }
      await caughtUp();
      if (!follow) return;
      const moved = await isMoved(path, handle);
      if (moved !== undefined) return ended(moved);
      await pause(POLL_MS, signal);
    }
  } finally {
    await handle.close();
  }
}

async function stillHolds(handle: FileHandle, offset: number, kept: Buffer): Promise<boolean> {
  if (kept.length === 0) return true;
  const now = Buffer.alloc(kept.length);
  const { bytesRead } = await handle.read(now, 0, kept.length, offset - kept.length);
  return bytesRead === kept.length && now.equals(kept);
}

/** Returns whether the name now refers to another file. */
async function isMoved(path: string, handle: FileHandle): Promise<Restart | undefined> {
  try {
    const [named, opened] = await Promise.all([stat(path), handle.stat()]);
    return named.ino === opened.ino && named.dev === opened.dev ? undefined : "replaced";
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "gone";
    throw error;
  }
}
