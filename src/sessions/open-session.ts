import { setImmediate } from "node:timers/promises";
import { openStore } from "./opencode-store.ts";
import { isAbsent, reasonOf } from "./reasons.ts";
import { refusingContent } from "./refuse-content.ts";
import { SessionError } from "./session-error.ts";
import { nodeSessionFiles, type SessionFiles } from "./session-files.ts";
import type { SessionRef } from "./session-ref.ts";
import { exportedSession } from "./store-export.ts";

export interface OpenOptions {
  /** What `-` reads. Needed for a ref of `stdin` only. */
  stdin?: AsyncIterable<Uint8Array>;
  /** Bytes read from a file at once. Default: 512 KiB. */
  chunkBytes?: number;
  /** Default: the real file system. */
  files?: SessionFiles;
}

const CHUNK_BYTES = 512 * 1024;
/** A database is read without letting go of the thread: others get a turn after so many characters. */
const TURN_CHARS = 256 * 1024;

/**
 * The bytes of a session: the file as it is, or for `opencode-store` the JSON that `opencode export` prints. Each chunk
 * has memory of its own, so its reader may keep it. A file that grows is read to the end that it has when that is
 * reached. Throws a `SessionError` (`gone`, `unreadable`), at the first chunk or at a later one.
 */
export async function* openSession(ref: SessionRef, options: OpenOptions = {}): AsyncGenerator<Uint8Array> {
  try {
    yield* bytesOf(ref, options);
  } catch (error) {
    throw error instanceof SessionError ? error : cannotOpen(ref, error);
  }
}

function bytesOf(ref: SessionRef, options: OpenOptions): AsyncIterable<Uint8Array> {
  const { stdin, chunkBytes = CHUNK_BYTES, files = nodeSessionFiles } = options;
  if (ref.source === "stdin" && stdin !== undefined) return stdin;
  if (ref.database !== null) return storeBytes(ref, ref.database);
  if (ref.path === null) throw new Error("there is nothing to read it from");
  // What has no size has no positions to read from either.
  return ref.bytes === null ? files.openStream(ref.path) : fileBytes(ref.path, chunkBytes, files);
}

/**
 * The same, refused with a `SessionError` (`unsupported`, `not_a_session`, and `empty` of what can be read only once)
 * in place of the first chunk if it is no session that can be read.
 */
export function openReadable(ref: SessionRef, options: OpenOptions = {}): AsyncGenerator<Uint8Array> {
  const chunks = openSession(ref, options);
  if (ref.database !== null) return chunks;
  // A file that was named and is empty was refused before; another one may have just begun.
  const isInItsPlace = ref.source === "claude-code" || ref.source === "transcript";
  return refusingContent(chunks, ref.path ?? "Standard input", {
    mayBeEmpty: ref.bytes !== null,
    mayBeUnknown: isInItsPlace,
  });
}

/** Reads one chunk ahead, so that the disk works while the chunk before is used. */
async function* fileBytes(path: string, chunkBytes: number, files: SessionFiles): AsyncGenerator<Uint8Array> {
  const handle = await files.openRead(path);
  const readAt = (at: number): Promise<Uint8Array> => {
    const read = handle.read(at, chunkBytes);
    // It may fail before anybody waits for it, or when nobody will any more.
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

async function* storeBytes(ref: SessionRef, path: string): AsyncGenerator<Uint8Array> {
  const database = await openStore(path);
  try {
    let chars = 0;
    let isEmpty = true;
    for (const piece of exportedSession(database, ref.id)) {
      isEmpty = false;
      yield Buffer.from(piece);
      chars += piece.length;
      if (chars < TURN_CHARS) continue;
      chars = 0;
      await setImmediate();
    }
    if (isEmpty) throw gone(ref, path);
  } finally {
    database.close();
  }
}

/** An error of the file system or of the database, for the user. */
export function cannotOpen(ref: SessionRef, cause: unknown): SessionError {
  const place = ref.path ?? ref.database ?? "standard input";
  if (isAbsent(cause)) return gone(ref, place, cause);
  const problem = `Session ${ref.id} cannot be read: ${place}: ${reasonOf(cause)}.`;
  return new SessionError("unreadable", problem, "Run `transcripts doctor` to see what can be read.", {
    path: place,
    cause,
  });
}

function gone(ref: SessionRef, path: string, cause?: unknown): SessionError {
  const problem = `Session ${ref.id} is not in ${path} any more.`;
  return new SessionError("gone", problem, "Run `transcripts list` to see what is there now.", { path, cause });
}
