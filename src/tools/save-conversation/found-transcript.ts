import { errorCode } from "../../files/fault.ts";
import type { FileSystem } from "../../files/file-system.ts";
import { openTranscript } from "../../format/index.ts";
import { catalogPricing } from "../../parse/pricing.ts";
import type { TranscriptFormat } from "../../transcript/paths.ts";
import type { Recorder } from "../../transcript/recorder.ts";
import { digestOf, type Digest } from "./digest.ts";

const READ_CHUNK_BYTES = 256 * 1024;

export interface TranscriptSources {
  recorder: Pick<Recorder, "path">;
  fs: FileSystem;
  join: (...segments: string[]) => string;
  transcriptsFolder: string;
  /** The formats that are recorded, the one to prefer first. */
  formats: readonly TranscriptFormat[];
  /** A touched file's name for people; undefined: it is not worth a word. */
  fileName: (path: string) => string | undefined;
}

/** A transcript that was read once. */
export interface FoundTranscript {
  /** Absolute path. */
  path: string;
  format: TranscriptFormat;
  digest: Digest;
}

/** Finds the transcript of a session and reads it; undefined if there is none in any format. */
export async function findTranscript(
  sessionID: string,
  sources: TranscriptSources,
): Promise<FoundTranscript | undefined> {
  for (const format of sources.formats) {
    const path = await transcriptFile(sessionID, format, sources);
    if (!(await exists(path, sources.fs))) continue;
    const items = openTranscript(format, bytesOf(path, sources.fs));
    return { path, format, digest: await digestOf(items, sources.fileName, await catalogPricing()) };
  }
  return undefined;
}

/** Absolute path of the file in which the transcript is or would be. */
export async function transcriptFile(
  sessionID: string,
  format: TranscriptFormat,
  { recorder, join, transcriptsFolder }: TranscriptSources,
): Promise<string> {
  return join(transcriptsFolder, await recorder.path(sessionID, format));
}

/** Rejects if the file system cannot say. */
export async function exists(path: string, fs: FileSystem): Promise<boolean> {
  try {
    await fs.stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return false;
    throw error;
  }
}

async function* bytesOf(path: string, fs: FileSystem): AsyncGenerator<Uint8Array> {
  const handle = await fs.openRead(path);
  try {
    for (let at = 0; ;) {
      const chunk = await handle.read(at, READ_CHUNK_BYTES);
      if (chunk.byteLength === 0) return;
      at += chunk.byteLength;
      yield chunk;
    }
  } finally {
    await handle.close();
  }
}
