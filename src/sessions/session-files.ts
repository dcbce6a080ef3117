import { createReadStream } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import type { FileSystem } from "../files/file-system.ts";
import { nodeFileSystem } from "../files/node-file-system.ts";

export type EntryKind = "file" | "folder" | "link" | "other";

export interface FolderEntry {
  name: string;
  kind: EntryKind;
}

export interface FileFacts {
  kind: Exclude<EntryKind, "link">;
  bytes: number;
  modifiedMs: number;
}

/**
 * The few calls on the file system that finding and opening sessions need, so that tests can make each of them fail.
 * Error codes are those of `node:fs/promises`.
 */
export interface SessionFiles extends Pick<FileSystem, "openRead"> {
  list(folder: string): Promise<FolderEntry[]>;
  /** Follows symbolic links. */
  stat(path: string): Promise<FileFacts>;
  /** The path without symbolic links. */
  realpath(path: string): Promise<string>;
  /** Reads what has no positions: a pipe, a terminal. */
  openStream(path: string): AsyncIterable<Uint8Array>;
}

interface Kinds {
  isFile(): boolean;
  isDirectory(): boolean;
}

/** Of what is no link. */
export function kindOf(entry: Kinds): Exclude<EntryKind, "link"> {
  if (entry.isFile()) return "file";
  return entry.isDirectory() ? "folder" : "other";
}

async function* openStream(path: string): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterable<Uint8Array> = createReadStream(path);
  yield* chunks;
}

/** The real file system. */
export const nodeSessionFiles: SessionFiles = {
  list: async (folder) => {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, kind: entry.isSymbolicLink() ? "link" : kindOf(entry) }));
  },
  stat: async (path) => {
    const facts = await stat(path);
    return { kind: kindOf(facts), bytes: facts.size, modifiedMs: facts.mtimeMs };
  },
  realpath: (path) => realpath(path),
  openRead: (path) => nodeFileSystem.openRead(path),
  openStream,
};
