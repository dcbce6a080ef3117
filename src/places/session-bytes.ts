/** Reads the bytes of a session. */
import { isSessionError, TranscriptsError } from "../transcripts-error.ts";
import { isAbsent, reasonOf } from "./reasons.ts";
import { nodeSessionFiles, type SessionFiles } from "./session-files.ts";
import type { SessionRef } from "./session-ref.ts";
import { unpacked } from "./zstd.ts";

export interface OpenOptions {
  /** Standard input. Needed only for a ref of `stdin`. */
  stdin?: AsyncIterable<Uint8Array> | undefined;
  /** Number of bytes read from a file at once. Default: 512 KiB. */
  chunkBytes?: number;
  /** Default: the real file system. */
  files?: SessionFiles;
}

const CHUNK_BYTES = 512 * 1024;

/**
 * Yields the bytes of a session's file or of standard input, decompressed. Each chunk has its own memory, so the caller may keep it. A
 * growing file is read up to its end at that time. Throws a `TranscriptsError` (`gone`, `unreadable`) at any chunk.
 */
export async function* sessionBytes(ref: SessionRef, options: OpenOptions = {}): AsyncGenerator<Uint8Array> {
  try {
    yield* unpacked(bytesOf(ref, options), ref.path ?? "Standard input");
  } catch (error) {
    throw isSessionError(error) ? error : cannotOpen(ref, error);
  }
}

function bytesOf(ref: SessionRef, options: OpenOptions): AsyncIterable<Uint8Array> {
  const { stdin, chunkBytes = CHUNK_BYTES, files = nodeSessionFiles } = options;
  if (ref.place === "stdin" && stdin !== undefined) return stdin;
  if (ref.path === null) throw new Error("no standard input was given");
  return fileBytes(ref.path, chunkBytes, files);
}

/** Yields the bytes of a file. Reads one chunk ahead, so that reading and processing overlap. */
export async function* fileBytes(
  path: string,
  chunkBytes: number,
  files: Pick<SessionFiles, "openRead">,
): AsyncGenerator<Uint8Array> {
  const handle = await files.openRead(path);
  const readAt = (at: number): Promise<Uint8Array> => {
    const read = handle.read(at, chunkBytes);
    // The promise may reject before or after it is awaited.
    read.catch(() => undefined);
    return read;
  };
  let ahead = readAt(0);
  try {
    for (let at = 0; ;) {
      const chunk = await ahead;
      if (chunk.byteLength === 0) return;
      at += chunk.byteLength;
      ahead = readAt(at);
      yield chunk;
    }
  } finally {
    await Promise.allSettled([ahead]);
    await handle.close();
  }
}

/** Converts an error of the file system or the database for the user. */
export function cannotOpen(ref: SessionRef, cause: unknown): TranscriptsError {
  const place = ref.path ?? ref.database ?? "standard input";
  if (isAbsent(cause)) return gone(ref, place, cause);
  const problem = `Session ${ref.id} cannot be read: ${place}: ${reasonOf(cause)}.`;
  return new TranscriptsError("unreadable", problem, "Run `transcripts doctor` to see what can be read.", {
    path: place,
    cause,
  });
}

/** Error for a session that is no longer in a file or database. */
export function gone(ref: SessionRef, path: string, cause?: unknown): TranscriptsError {
  const problem = `Session ${ref.id} is no longer in ${path}.`;
  return new TranscriptsError("gone", problem, "Run `transcripts list` to see what is there now.", { path, cause });
}
