import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode } from "./fault.ts";
import { createIn, type FileSystem } from "./file-system.ts";

const RETRY_DELAYS_MS = [5, 20];
const INSTANCE = `${process.pid}-${Math.random().toString(36).slice(2, 10)}`;
let serial = 0;

/** Error codes of file systems without hard links. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

/**
 * Writes a new file with mode 0600, and creates its folder if that is missing.
 *
 * Returns `exists` if the file exists, which is then unchanged; of several writers one gets `written`.
 * Tries three times; then the promise rejects with the file system's error. The file is never half written.
 * (Without hard links, a crash can leave an empty one.)
 */
export async function writeNewFile(fs: FileSystem, path: string, data: Uint8Array): Promise<"written" | "exists"> {
  for (const delay of RETRY_DELAYS_MS) {
    try {
      return await writeOnce(fs, path, data);
    } catch {
      await sleep(delay);
    }
  }
  return writeOnce(fs, path, data);
}

function temporaryName(path: string): string {
  serial += 1;
  return join(dirname(path), `.${basename(path)}.${INSTANCE}-${serial}.tmp`);
}

async function writeOnce(fs: FileSystem, path: string, data: Uint8Array): Promise<"written" | "exists"> {
  const temporary = temporaryName(path);
  try {
    await createIn(fs, temporary, () => fs.writeNew(temporary, data));
    await publish(fs, temporary, path);
    return "written";
  } catch (error) {
    if (errorCode(error) === "EEXIST") return "exists";
    throw error;
  } finally {
    // After a rename it no longer exists, and a left-over temporary file does no harm.
    await fs.unlink(temporary).catch(() => undefined);
  }
}

/** Gives the finished file its name. `EEXIST` if that is taken. */
async function publish(fs: FileSystem, temporary: string, path: string): Promise<void> {
  try {
    await fs.link(temporary, path);
  } catch (error) {
    if (!NO_LINKS.has(errorCode(error))) throw error;
    await fs.writeNew(path, new Uint8Array()); // takes the name
    try {
      await fs.rename(temporary, path);
    } catch (renameError) {
      await fs.unlink(path).catch(() => undefined);
      throw renameError;
    }
  }
}
