/**
 * The few calls on the file system that recording needs, so that tests can make each of them fail.
 * Semantics and error codes are those of `node:fs/promises`.
 */
export interface FileHandle {
  /** Appends at the end of the file; may write fewer bytes than asked (a short write). */
  write(data: Uint8Array): Promise<{ bytesWritten: number }>;
  /** Reads up to `length` bytes from `position`; fewer at the end of the file. */
  read(position: number, length: number): Promise<Uint8Array>;
  /** `ino` tells one file from another that took its name. */
  stat(): Promise<{ size: number; ino: number; mtimeMs: number }>;
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

export interface FileSystem {
  /** Opens for reading and appending; creates the file with mode 0600 where it is missing. `ENOENT` if its folder is. */
  openAppend(path: string): Promise<FileHandle>;
  /** Opens for reading only. `ENOTREG` for a pipe or a device, without waiting for it. */
  openRead(path: string): Promise<FileHandle>;
  /** Creates the folder and those above it with mode 0700. An existing folder is no error. */
  mkdir(path: string): Promise<void>;
  /** Writes a whole new file with mode 0600. `EEXIST` if there is one. A failure may leave part of it. */
  writeNew(path: string, data: Uint8Array): Promise<void>;
  /** Names in a folder. */
  readdir(path: string): Promise<string[]>;
  stat(path: string): Promise<{ size: number; mtimeMs: number; isDirectory: boolean }>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Gives a file a second name. `EEXIST` if that name is taken. */
  link(from: string, to: string): Promise<void>;
  /**
   * Creates a name that carries a short text, and `EEXIST` if the name is taken: what a lock is made of.
   * Name and text appear in one step where symbolic links can be made; elsewhere the text follows a moment later.
   */
  createMarker(path: string, text: string): Promise<void>;
  /** The text of a marker. */
  readMarker(path: string): Promise<string>;
}
