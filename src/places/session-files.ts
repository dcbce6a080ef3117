import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import type { FileSystem } from "../transcript/files/file-system.ts";
import { nodeFileSystem } from "../transcript/files/node-file-system.ts";

/** One name in a folder. A symbolic link is neither a file nor a folder. */
export type FolderEntry = Pick<Dirent, "name" | "isFile" | "isDirectory" | "isSymbolicLink">;

export interface FileFacts {
  kind: "file" | "folder" | "other";
  bytes: number;
  modifiedMs: number;
}

/**
 * File system calls that finding and opening sessions need, passed in so that tests can make each of them fail.
 * Error codes are those of `node:fs`. Examining files blocks: each call takes some microseconds, and passing it to another
 * thread takes longer.
 */
export interface SessionFiles extends Pick<FileSystem, "openRead"> {
  list(folder: string): FolderEntry[];
  /** Follows symbolic links. */
  stat(path: string): FileFacts;
  /** Resolves symbolic links. */
  realpath(path: string): string;
}

/** The real file system. */
export const nodeSessionFiles: SessionFiles = {
  list: (folder) => readdirSync(folder, { withFileTypes: true }),
  stat: (path) => {
    const facts = statSync(path);
    const kind = facts.isFile() ? "file" : facts.isDirectory() ? "folder" : "other";
    return { kind, bytes: facts.size, modifiedMs: facts.mtimeMs };
  },
  realpath: (path) => realpathSync(path),
  openRead: (path) => nodeFileSystem.openRead(path),
};

/** Reads a whole file as UTF-8, keeping a byte order mark; otherwise like `bytesOfFile`. */
export async function textOfFile(
  path: string,
  files: Pick<SessionFiles, "openRead" | "stat">,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<string | undefined> {
  return (await bytesOfFile(path, files, maxBytes))?.toString("utf8");
}

/**
 * Reads a whole file; undefined if it is not a regular file or is larger than `maxBytes`. Rejects with the file system's
 * error.
 */
export async function bytesOfFile(
  path: string,
  files: Pick<SessionFiles, "openRead" | "stat">,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const { kind, bytes } = files.stat(path);
  if (kind !== "file" || bytes > maxBytes) return undefined;
  const handle = await files.openRead(path);
  try {
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < bytes;) {
      const chunk = await handle.read(at, bytes - at);
      if (chunk.byteLength === 0) break;
      at += chunk.byteLength;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    await handle.close();
  }
}

/** Maximum number of concurrent file system calls; more than there are threads would only wait. */
const AT_ONCE = 32;

/** Maps with at most `AT_ONCE` concurrent calls. Results are in the order of the items. */
export async function mapFiles<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const work = async (): Promise<void> => {
    // All workers share one iterator, so each item is processed once.
    for (const [index, item] of waiting) results[index] = await map(item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, work));
  return results;
}

/** Returns the names in a folder; none if it is missing or inaccessible. */
export function namesIn(folder: string, files: Pick<SessionFiles, "list">): string[] {
  try {
    return files.list(folder).map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Returns what is at a path; undefined if nothing is, or it is inaccessible. */
export function factsAt(path: string, files: Pick<SessionFiles, "stat">): FileFacts | undefined {
  try {
    return files.stat(path);
  } catch {
    return undefined;
  }
}
