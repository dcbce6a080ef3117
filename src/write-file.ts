/** Writes files completely or not at all. */
import { lstat, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { reasonOf } from "./places/reasons.ts";
import { errorCode } from "./transcript/files/fault.ts";
import { TranscriptsError } from "./transcripts-error.ts";

export type Write = (text: string) => Promise<void>;

/**
 * Writes a file under a temporary name beside its own, so that readers never see half of it. An existing file keeps its
 * mode, and a symbolic link is followed; a new file gets `mode`. Rejects with a `TranscriptsError` if the file cannot be
 * created or written, or is not a regular file, such as a device, a pipe or a folder; otherwise with the error of `content`.
 */
export async function writeWhole(path: string, content: (write: Write) => Promise<void>, mode = 0o644): Promise<void> {
  const { handle, temporary, target } = await createTemporary(path, mode).catch((error: unknown) => {
    if (error instanceof TranscriptsError) throw error;
    const reason = errorCode(error) === "ENOENT" ? "its folder does not exist" : reasonOf(error);
    const next = "Create the folder, allow writing to it, or name another file.";
    throw new TranscriptsError("bad_file", `${path} cannot be written: ${reason}.`, next, { cause: error });
  });
  const failed = (cause: unknown): never => {
    const problem = `${path} cannot be written: ${reasonOf(cause)}.`;
    throw new TranscriptsError("bad_file", problem, "Free some space, or name another file.", { cause });
  };
  try {
    try {
      await content((text) => handle.writeFile(text).catch(failed));
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function createTemporary(path: string, mode: number) {
  const target = await realTarget(path);
  const serial = Math.random().toString(36).slice(2, 8);
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}-${serial}.tmp`);
  return { target, temporary, handle: await open(temporary, "wx", (await modeOf(target)) ?? mode) };
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
