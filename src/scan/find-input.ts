/** What is scanned, as chunks that can be had more than once. */
import { closeSync, readSync } from "node:fs";
import { openReadSync } from "../files/node-file-system.ts";
import { chunksOf, type TranscriptInput } from "../format/input.ts";

/** The content, or a place from which it can be had again and again, which is what the quick ways need. */
export type ScanInput = TranscriptInput | Reopenable;

export interface Reopenable {
  /** The bytes from the start. If `transient`, a chunk holds them only until the next one is asked for. */
  fromStart(transient: boolean): Chunks;
}

export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

const CHUNK_BYTES = 1024 * 1024;
/** What a source is told by. */
const HEAD_BYTES = 64 * 1024;

/** Memory that the system has to give anew costs as much as reading into it. */
let spare: Buffer | undefined;

/**
 * A file. Reading it blocks for one chunk at a time (a megabyte, well under a millisecond if the system has the file
 * in memory): many small files are read three times as quickly as through promises. Throws what `node:fs` throws.
 */
export function fileInput(path: string): Reopenable {
  return { fromStart: (transient) => (transient ? transientChunks(path) : lastingChunks(path)) };
}

function* transientChunks(path: string): Generator<Uint8Array> {
  const buffer = spare ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
  spare = undefined;
  try {
    yield* fileChunks(path, () => buffer);
  } finally {
    spare = buffer;
  }
}

function lastingChunks(path: string): Generator<Uint8Array> {
  return fileChunks(path, () => Buffer.allocUnsafeSlow(CHUNK_BYTES));
}

function* fileChunks(path: string, nextBuffer: () => Buffer): Generator<Uint8Array> {
  const file = openReadSync(path);
  try {
    for (;;) {
      const buffer = nextBuffer();
      const size = readSync(file, buffer, 0, buffer.length, null);
      if (size === 0) return;
      yield buffer.subarray(0, size);
    }
  } finally {
    closeSync(file);
  }
}

/** The input if it can be read again; undefined of a stream, which gives its bytes once. */
export function reopenable(input: ScanInput): Reopenable | undefined {
  if (typeof input === "string") return reopenable(Buffer.from(input));
  if (input instanceof Uint8Array) return { fromStart: () => [input] };
  return "fromStart" in input ? input : undefined;
}

/** The input for what reads it once. */
export async function* onceThrough(input: ScanInput): AsyncGenerator<Uint8Array> {
  yield* typeof input === "object" && "fromStart" in input ? input.fromStart(false) : chunksOf(input);
}

/** An input that was begun, to tell what it is. Iterate over all of it, or close it. */
export interface Begun {
  /** The first bytes as text. */
  head: string;
  /** All chunks, from the start. */
  chunks: AsyncGenerator<Uint8Array>;
}

export async function begin(input: Chunks): Promise<Begun> {
  const rest = onward(input);
  const first: Uint8Array[] = [];
  let size = 0;
  while (size < HEAD_BYTES) {
    const { done, value } = await rest.next();
    if (done === true) break;
    size += value.length;
    // The chunk may change with the next one.
    first.push(size < HEAD_BYTES ? Buffer.from(value) : value);
  }
  const head = Buffer.concat(first, Math.min(size, HEAD_BYTES)).toString("utf8");
  const chunks = again(first, rest);
  return { head, chunks };
}

async function* onward(chunks: Chunks): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function* again(first: Uint8Array[], rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let chunk = first.shift(); chunk; chunk = first.shift()) yield chunk;
  yield* rest;
}

/** Closes an input that was begun and not read. */
export async function close({ chunks }: Begun): Promise<void> {
  // Only a generator that has begun runs what comes last in it.
  await chunks.next();
  await chunks.return(undefined);
}
