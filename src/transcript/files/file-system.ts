import { dirname } from "node:path";
import { errorCode } from "./fault.ts";

/**
 * File system calls that recording needs, passed in so that tests can make each of them fail.
 * Semantics and error codes are those of `node:fs/promises`.
 */
export interface FileHandle {
  /** Appends at the end of the file; may write fewer bytes than given (a short write). */
  write(data: Uint8Array): Promise<{ bytesWritten: number }>;
  /** Reads up to `length` bytes from `position`; fewer at the end of the file. */
  read(position: number, length: number): Promise<Uint8Array>;
  stat(): Promise<{ size: number }>;
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

export interface FileSystem {
  /** Opens for reading and appending; creates a missing file with mode 0600. `ENOENT` if its folder is missing. */
  openAppend(path: string): Promise<FileHandle>;
  /** Opens for reading only. `ENOTREG` for a pipe or a device, without waiting. */
  openRead(path: string): Promise<FileHandle>;
  /** Creates the folder and its parents with mode 0700. An existing folder is not an error. */
  mkdir(path: string): Promise<void>;
  /** Writes a new file with mode 0600. `EEXIST` if it exists. A failure may leave part of it. */
  writeNew(path: string, data: Uint8Array): Promise<void>;
  readdir(path: string): Promise<string[]>;
  stat(path: string): Promise<{ size: number; mtimeMs: number; isDirectory: boolean }>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Creates a hard link. `EEXIST` if the name is taken. */
  link(from: string, to: string): Promise<void>;
  /**
   * Creates a marker with a short text, used for locks. `EEXIST` if the name is taken. Name and text appear in one step
   * where symbolic links are supported; elsewhere the text follows a moment later.
   */
  createMarker(path: string, text: string): Promise<void>;
  readMarker(path: string): Promise<string>;
}

/** Creates something at `path`, and its folder first if that is missing. */
export async function createIn<T>(fs: Pick<FileSystem, "mkdir">, path: string, create: () => Promise<T>): Promise<T> {
  try {
    return await create();
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    await fs.mkdir(dirname(path));
    return create();
  }
}

const CHUNK_BYTES = 1024 * 1024;

/** Yields the first `length` bytes of a file, or all of a shorter one. Rejects with the file system's error. */
export async function* readChunks(
  fs: Pick<FileSystem, "openRead">,
  path: string,
  length = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array> {
  const handle = await fs.openRead(path);
  try {
    for (let at = 0; at < length;) {
      const chunk = await handle.read(at, Math.min(CHUNK_BYTES, length - at));
      if (chunk.byteLength === 0) return;
      at += chunk.byteLength;
      yield chunk;
    }
  } finally {
    await handle.close();
  }
}
