import { setImmediate } from "node:timers/promises";
import { isAbsent, reasonOf } from "../places/reasons.ts";
import { agentAt } from "../agents/registry.ts";
import type { SessionContent, Format, InputUnit } from "../parse/message-draft.ts";
import { messageUnit, sessionUnit } from "../agents/opencode/opencode-units.ts";
import { refusingContent, type RefusalOptions } from "./refuse-content.ts";
import { nodeSessionFiles, type SessionFiles } from "../places/session-files.ts";
import type { SessionRef } from "../places/session-ref.ts";
import { openSqlite } from "../places/sqlite-reader.ts";
import { opencodeSession } from "../agents/opencode/store-export.ts";
import { isSessionError, TranscriptsError } from "../transcripts-error.ts";

export interface OpenOptions {
  /** Standard input. Needed only for a ref of `stdin`. */
  stdin?: AsyncIterable<Uint8Array> | undefined;
  /** Number of bytes read from a file at once. Default: 512 KiB. */
  chunkBytes?: number;
  /** Default: the real file system. */
  files?: SessionFiles;
}

const CHUNK_BYTES = 512 * 1024;
/** Time after which the event loop gets a turn, because reading a database blocks the thread. */
const TURN_MS = 10;

/**
 * Yields the bytes of a session's file or of standard input. Each chunk has its own memory, so the caller may keep it. A
 * growing file is read up to its end at that time. Throws a `TranscriptsError` (`gone`, `unreadable`) at any chunk.
 */
export async function* sessionBytes(ref: SessionRef, options: OpenOptions = {}): AsyncGenerator<Uint8Array> {
  try {
    yield* bytesOf(ref, options);
  } catch (error) {
    throw isSessionError(error) ? error : cannotOpen(ref, error);
  }
}

function bytesOf(ref: SessionRef, options: OpenOptions): AsyncIterable<Uint8Array> {
  const { stdin, chunkBytes = CHUNK_BYTES, files = nodeSessionFiles } = options;
  if (ref.source === "stdin" && stdin !== undefined) return stdin;
  if (ref.path === null) throw new Error("no standard input was given");
  // Without a size, there are no positions to read from.
  return ref.bytes === null ? files.openStream(ref.path) : fileBytes(ref.path, chunkBytes, files);
}

/**
 * Opens a session, for a parser: its bytes as `readableBytes` has them, a source for one in opencode's database, or for an
 * archived one from the store.
 */
export function openReadable(ref: SessionRef, options?: OpenOptions, name?: string): SessionContent {
  if (ref.archived !== null) return ref.archived.source;
  return ref.database === null ? readableBytes(ref, options, name) : new StoreFormat(ref, ref.database);
}

/**
 * Like `sessionBytes`, but throws a `TranscriptsError` (`unsupported`, `not_a_session`, and `empty` for a stream) in place of
 * the first chunk if the content is not a readable session. `name`: the content in the error's message.
 */
export function readableBytes(
  ref: SessionRef,
  options?: OpenOptions,
  name = ref.path ?? "Standard input",
): AsyncGenerator<Uint8Array> {
  return refusingContent(sessionBytes(ref, options), name, refusalOptions(ref));
}

export function refusalOptions(ref: SessionRef): RefusalOptions {
  // An empty file named by the user was refused earlier; any other may be a session that just began.
  return { mayBeEmpty: ref.bytes !== null, mayBeUnknown: agentAt(ref) !== undefined };
}

/** Reads one chunk ahead, so that reading and processing overlap. */
async function* fileBytes(path: string, chunkBytes: number, files: SessionFiles): AsyncGenerator<Uint8Array> {
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

/** Reads a session in opencode's database message by message, so that memory does not grow with the session. */
export class StoreFormat implements Format {
  readonly name = "opencode-export";
  readonly lines = "none";
  readonly hasStableIds = true;
  readonly #ref: SessionRef;
  readonly #path: string;

  constructor(ref: SessionRef, path: string) {
    this.#ref = ref;
    this.#path = path;
  }

  detect(): boolean {
    return false;
  }

  async *read(): AsyncGenerator<InputUnit[]> {
    try {
      yield* this.#units();
    } catch (error) {
      throw isSessionError(error) ? error : cannotOpen(this.#ref, error);
    }
  }

  async *#units(): AsyncGenerator<InputUnit[]> {
    const database = await openSqlite(this.#path);
    try {
      const session = opencodeSession(database, this.#ref.id);
      if (session === undefined) throw gone(this.#ref, this.#path);
      yield [sessionUnit(session.info)];
      let turn = performance.now();
      let number = 0;
      for (const message of session.messages) {
        number += 1;
        yield [messageUnit(message, number, session.info)];
        if (performance.now() - turn < TURN_MS) continue;
        await setImmediate();
        turn = performance.now();
      }
    } finally {
      database.close();
    }
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

function gone(ref: SessionRef, path: string, cause?: unknown): TranscriptsError {
  const problem = `Session ${ref.id} is no longer in ${path}.`;
  return new TranscriptsError("gone", problem, "Run `transcripts list` to see what is there now.", { path, cause });
}
