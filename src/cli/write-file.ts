/** Files that are written whole or not at all. */
import { lstat, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { CliError } from "./command.ts";
import { errorCode } from "../files/fault.ts";

/** A file in the making, under a temporary name beside its own. */
export interface WholeFile {
  write(text: string): Promise<void>;
  /** Gives it its name, in place of a file that has it. */
  finish(): Promise<void>;
  /** Removes what is there of it. Does nothing after `finish`. */
  discard(): Promise<void>;
}

/**
 * Nobody ever reads half of the file. One that is there keeps its mode, and a symbolic link stays one; a new one gets
 * `mode`. Rejects with a `CliError` for anything but a regular file, such as a device, a pipe or a folder, and otherwise,
 * like all calls, with the file system's error.
 */
export async function createWholeFile(path: string, mode = 0o644): Promise<WholeFile> {
  const target = await realTarget(path);
  const serial = Math.random().toString(36).slice(2, 8);
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}-${serial}.tmp`);
  const handle = await open(temporary, "wx", (await modeOf(target)) ?? mode);
  let isOpen = true;
  let isThere = true;
  const close = async (): Promise<void> => {
    if (isOpen) await handle.close();
    isOpen = false;
  };
  return {
    write: async (text) => {
      await handle.writeFile(text);
    },
    finish: async () => {
      await close();
      await rename(temporary, target);
      isThere = false;
    },
    discard: async () => {
      await close();
      if (isThere) await rm(temporary, { force: true });
      isThere = false;
    },
  };
}

export async function writeWhole(path: string, text: string): Promise<void> {
  const file = await createWholeFile(path);
  try {
    await file.write(text);
    await file.finish();
  } finally {
    await file.discard();
  }
}

async function realTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    // A link to nowhere would be replaced, not followed.
    if (await lstat(path).catch(() => undefined)) throw notRegular(path, error);
    return path;
  }
}

/** The permissions of a file that is there already. */
async function modeOf(path: string): Promise<number | undefined> {
  try {
    const facts = await stat(path);
    if (!facts.isFile()) throw notRegular(path);
    return facts.mode & 0o777;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function notRegular(path: string, cause?: unknown): CliError {
  return new CliError(`${path} is not a regular file, so it is left as it is.`, "Name another file.", { cause });
}
