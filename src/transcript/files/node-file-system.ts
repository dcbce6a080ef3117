import * as fs from "node:fs";
import * as promises from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { errorCode } from "./fault.ts";
import type { FileHandle, FileSystem } from "./file-system.ts";

// Numeric descriptors with promisified callbacks: a turn of the append writer costs about half the
// main-thread time of the same calls on the FileHandle class of node:fs/promises.
const call = {
  open: promisify(fs.open),
  close: promisify(fs.close),
  fstat: promisify(fs.fstat),
  ftruncate: promisify(fs.ftruncate),
  read: promisify(fs.read),
  write: promisify(fs.write),
};

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Error codes where symbolic links are not supported: on Windows they need a privilege, and some file systems lack them. */
const NO_SYMLINKS: ReadonlySet<string | undefined> = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

/** Non-blocking, because opening a pipe without a writer would block a thread for ever. */
const READ_FLAGS = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0);

/**
 * Opens a file for reading. Throws the file system's error, and `ENOTREG` for a pipe or a device. Opens a folder too;
 * reading that fails with `EISDIR`.
 */
export function openReadSync(path: string): number {
  const fd = fs.openSync(path, READ_FLAGS);
  try {
    checkKind(fs.fstatSync(fd), path);
    return fd;
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

/** Asynchronous version of `openReadSync`. */
async function openRead(path: string): Promise<number> {
  const fd = await call.open(path, READ_FLAGS);
  try {
    checkKind(await call.fstat(fd), path);
    return fd;
  } catch (error) {
    await call.close(fd);
    throw error;
  }
}

function checkKind(facts: fs.Stats, path: string): void {
  if (facts.isFile() || facts.isDirectory()) return;
  throw Object.assign(new Error(`${path} is not a regular file`), { code: "ENOTREG", syscall: "open", path });
}

class Descriptor implements FileHandle {
  readonly #fd: number;
  readonly #path: string;

  constructor(fd: number, path: string) {
    this.#fd = fd;
    this.#path = path;
  }

  async write(data: Uint8Array): Promise<{ bytesWritten: number }> {
    return call.write(this.#fd, data);
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    const buffer = Buffer.allocUnsafeSlow(length);
    const { bytesRead } = await call.read(this.#fd, buffer, 0, length, position);
    return buffer.subarray(0, bytesRead);
  }

  async stat(): Promise<{ size: number }> {
    return call.fstat(this.#fd);
  }

  async truncate(size: number): Promise<void> {
    try {
      await call.ftruncate(this.#fd, size);
    } catch (error) {
      // On Windows a descriptor opened for appending cannot truncate.
      if (errorCode(error) !== "EPERM") throw error;
      await promises.truncate(this.#path, size);
    }
  }

  async close(): Promise<void> {
    await call.close(this.#fd);
  }
}

async function createMarker(path: string, text: string): Promise<void> {
  if (process.platform !== "win32") {
    try {
      await promises.symlink(text, path);
      return;
    } catch (error) {
      if (!NO_SYMLINKS.has(errorCode(error))) throw error;
    }
  }
  await promises.writeFile(path, text, { flag: "wx", mode: FILE_MODE });
}

async function readMarker(path: string): Promise<string> {
  try {
    return await promises.readlink(path);
  } catch (error) {
    // EINVAL (POSIX) and UNKNOWN (Windows): not a symbolic link, so the marker is a file.
    if (errorCode(error) === "ENOENT") throw error;
    return promises.readFile(path, "utf8");
  }
}

/**
 * Creates a folder and those above it. Does not use Node's `recursive`, which never ends where the file system refuses a
 * folder with ENOENT, as /proc does.
 */
async function createFolder(path: string): Promise<void> {
  const make = (): Promise<unknown> => promises.mkdir(path, { mode: FOLDER_MODE });
  try {
    await make();
    return;
  } catch (error) {
    if (errorCode(error) !== "ENOENT") return unlessThere(error);
  }
  // Another process may create the folder above meanwhile.
  if (dirname(path) !== path && !fs.existsSync(dirname(path))) await createFolder(dirname(path));
  await make().catch(unlessThere);
}

function unlessThere(error: unknown): void {
  if (errorCode(error) !== "EEXIST") throw error;
}

/** The real file system. Files get mode 0600 and folders 0700, if the platform has modes. */
export const nodeFileSystem: FileSystem = {
  openAppend: async (path) => new Descriptor(await call.open(path, "a+", FILE_MODE), path),
  openRead: async (path) => new Descriptor(await openRead(path), path),
  mkdir: createFolder,
  writeNew: (path, data) => promises.writeFile(path, data, { flag: "wx", mode: FILE_MODE }),
  readdir: (path) => promises.readdir(path),
  stat: async (path) => {
    const stats = await promises.stat(path);
    return { size: stats.size, mtimeMs: stats.mtimeMs, isDirectory: stats.isDirectory() };
  },
  rename: (from, to) => promises.rename(from, to),
  unlink: (path) => promises.unlink(path),
  link: (from, to) => promises.link(from, to),
  createMarker,
  readMarker,
};
