import { setImmediate } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { openStore } from "./opencode-store.ts";
import { isAbsent, reasonOf } from "./reasons.ts";
import { isFields } from "../parse/json-fields.ts";
import type { SessionContent, Source, SourceOptions, SourcePlace, SourceUnit } from "../parse/message-draft.ts";
import type { Piece } from "../parse/sources/opencode-pieces.ts";
import { ExportReader } from "../parse/sources/opencode-export.ts";
import { refusingContent, type RefusalOptions } from "./refuse-content.ts";
import { nodeSessionFiles, type SessionFiles } from "./session-files.ts";
import type { SessionRef } from "./session-ref.ts";
import { exportedSession, type ExportPiece } from "./store-export.ts";
import { lineFeedsIn } from "../transcript/format/lines.ts";
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
/** Number of characters after which the event loop gets a turn, because reading a database blocks the thread. */
const TURN_CHARS = 256 * 1024;

/**
 * Yields the bytes of a session: its file, or for `opencode-store` the JSON that `opencode export` prints. Each chunk has
 * its own memory, so the caller may keep it. A growing file is read up to its end at that time. Throws a `TranscriptsError`
 * (`gone`, `unreadable`) at any chunk.
 */
export async function* openSession(ref: SessionRef, options: OpenOptions = {}): AsyncGenerator<Uint8Array> {
  try {
    yield* bytesOf(ref, options);
  } catch (error) {
    throw isSessionError(error) ? error : cannotOpen(ref, error);
  }
}

function bytesOf(ref: SessionRef, options: OpenOptions): AsyncIterable<Uint8Array> {
  const { stdin, chunkBytes = CHUNK_BYTES, files = nodeSessionFiles } = options;
  if (ref.source === "stdin" && stdin !== undefined) return stdin;
  if (ref.database !== null) return storeBytes(ref, ref.database);
  if (ref.path === null) throw new Error("no standard input was given");
  // Without a size, there are no positions to read from.
  return ref.bytes === null ? files.openStream(ref.path) : fileBytes(ref.path, chunkBytes, files);
}

/**
 * Opens a session: its bytes as `readableBytes` has them, a source for one in opencode's database, or for an archived one
 * from the store.
 */
export function openReadable(ref: SessionRef, options?: OpenOptions, name?: string): SessionContent {
  if (ref.archived !== null) return ref.archived.source;
  return ref.database === null ? readableBytes(ref, options, name) : new StoreSource(ref, ref.database);
}

/**
 * Like `openSession`, but throws a `TranscriptsError` (`unsupported`, `not_a_session`, and `empty` for a stream) in place of
 * the first chunk if the content is not a readable session. `name`: the content in the error's message.
 */
export function readableBytes(
  ref: SessionRef,
  options?: OpenOptions,
  name = ref.path ?? "Standard input",
): AsyncGenerator<Uint8Array> {
  return refusingContent(openSession(ref, options), name, refusalOptions(ref));
}

export function refusalOptions({ source, bytes }: SessionRef): RefusalOptions {
  // An empty file named by the user was refused earlier; any other may be a session that just began.
  return { mayBeEmpty: bytes !== null, mayBeUnknown: source === "claude-code" || source === "transcript" };
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

async function* storeBytes(ref: SessionRef, path: string): AsyncGenerator<Uint8Array> {
  for await (const { before, json } of storedPieces(ref, path)) yield Buffer.from(before + json);
}

/** Yields the pieces of a session's export. */
async function* storedPieces(ref: SessionRef, path: string): AsyncGenerator<ExportPiece> {
  const database = await openStore(path);
  try {
    let chars = 0;
    let isEmpty = true;
    for (const piece of exportedSession(database, ref.id)) {
      isEmpty = false;
      yield piece;
      chars += piece.json.length;
      if (chars < TURN_CHARS) continue;
      chars = 0;
      await setImmediate();
    }
    if (isEmpty) throw gone(ref, path);
  } finally {
    database.close();
  }
}

/**
 * Reads a session in opencode's database message by message, so that memory does not grow with the session. Yields the
 * same units as the session's export does.
 */
export class StoreSource implements Source {
  readonly name = "opencode-export";
  readonly hasStableIds = true;
  readonly #ref: SessionRef;
  readonly #path: string;
  readonly #crcs = new Map<number, number>();
  /** Number of bytes of the export read so far. */
  bytes = 0;

  constructor(ref: SessionRef, path: string) {
    this.#ref = ref;
    this.#path = path;
  }

  detect(): boolean {
    return false;
  }

  async *read(_chunks: unknown, { start }: Pick<SourceOptions, "start">): AsyncGenerator<SourceUnit[]> {
    // The ids of messages are unique in the database.
    const reader = new ExportReader({ mayRepeat: false });
    const from = start?.offset ?? 0;
    let kind: Piece["kind"] = "session";
    let lines = 0;
    for await (const { json, place } of this.#placed()) {
      lines = place.line - 1;
      if (json === "" || (kind === "message" && place.offset < from)) continue;
      const value: unknown = JSON.parse(json);
      const fields = isFields(value) ? value : undefined;
      const unit = reader.add({ kind, ...place, value: fields, problems: [], isBehindEnd: false });
      if (unit && unit.offset >= from) yield [unit];
      kind = "message";
    }
    const unit = reader.end(lines);
    if (unit && unit.offset >= from) yield [unit];
  }

  /** Returns the CRC-32 of the export up to the start of a unit that was read. */
  crcAt(offset: number): number | undefined {
    return this.#crcs.get(offset);
  }

  /** Yields the pieces with the place where the JSON of each begins. */
  async *#placed(): AsyncGenerator<{ json: string; place: SourcePlace }> {
    let place = { line: 1, offset: 0 };
    let crc = 0;
    const pass = (text: string): void => {
      const bytes = Buffer.from(text);
      crc = crc32(bytes, crc);
      place = { line: place.line + lineFeedsIn(bytes), offset: place.offset + bytes.length };
      this.bytes = place.offset;
    };
    try {
      for await (const { before, json } of storedPieces(this.#ref, this.#path)) {
        pass(before);
        this.#crcs.set(place.offset, crc);
        yield { json, place };
        pass(json);
      }
    } catch (error) {
      throw isSessionError(error) ? error : cannotOpen(this.#ref, error);
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
