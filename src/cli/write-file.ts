/** Writes files completely or not at all. */
import { lstat, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { reasonOf } from "../sessions/reasons.ts";
import { errorCode } from "../transcript/files/fault.ts";
import { TranscriptsError } from "../transcripts-error.ts";

/** File being written under a temporary name beside its own. */
export interface WholeFile {
  write(text: string): Promise<void>;
  /** Gives it its name, replacing an existing file. */
  finish(): Promise<void>;
  /** Removes the temporary file. Does nothing after `finish`. */
  discard(): Promise<void>;
}

/**
 * Readers never see half of the file. An existing file keeps its mode, and a symbolic link is followed; a new file gets
 * `mode`. Rejects with a `TranscriptsError` if the file cannot be created or is not a regular file, such as a device, a
 * pipe or a folder; later calls reject with the file system's error.
 */
export async function createWholeFile(path: string, mode = 0o644): Promise<WholeFile> {
  try {
    return await openWholeFile(path, mode);
  } catch (error) {
    if (error instanceof TranscriptsError) throw error;
    const reason = errorCode(error) === "ENOENT" ? "its folder does not exist" : reasonOf(error);
    throw new TranscriptsError(
      "bad_file",
      `${path} cannot be written: ${reason}.`,
      "Create the folder, allow writing to it, or name another file.",
      {
        cause: error,
      },
    );
  }
}

async function openWholeFile(path: string, mode: number): Promise<WholeFile> {
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
    // A dangling link would be replaced, not followed.
    if (await lstat(path).catch(() => undefined)) throw notRegular(path, error);
    return path;
  }
}

/** Returns the permissions of an existing file. */
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

function notRegular(path: string, cause?: unknown): TranscriptsError {
  return new TranscriptsError("bad_file", `${path} is not a regular file and was not changed.`, "Name another file.", {
    cause,
  });
}
