/** What is scanned, as chunks that can be had more than once. */
import { closeSync, openSync, readSync } from "node:fs";
import { chunksOf, type TranscriptInput } from "../format/input.ts";
import { detectSource } from "../parse/sources/index.ts";
import type { Source } from "../parse/draft.ts";

/** The content, or a place from which it can be had again and again, which is what the quick ways need. */
export type ScanInput = TranscriptInput | Reopenable;

export interface Reopenable {
  /** The bytes from the start. A chunk holds them only until the next one is asked for, if `transient`. */
  fromStart(transient: boolean): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

const CHUNK_BYTES = 1024 * 1024;
/** What a source is told by. */
const HEAD_BYTES = 64 * 1024;

/**
 * A file. Reading it blocks for one chunk at a time (a megabyte, well under a millisecond if the system has the file
 * in memory): many small files are read three times as quickly as through promises. Throws what `node:fs` throws.
 */
export function fileInput(path: string): Reopenable {
  return { fromStart: (transient) => fileChunks(path, transient) };
}

function* fileChunks(path: string, transient: boolean): Generator<Uint8Array> {
  const file = openSync(path, "r");
  try {
    let buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    for (;;) {
      const size = readSync(file, buffer, 0, CHUNK_BYTES, null);
      if (size === 0) return;
      yield buffer.subarray(0, size);
      if (!transient) buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
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

/** The source of an input, told by its beginning. */
export async function sourceOf(input: Reopenable): Promise<Source | undefined> {
  const first: Uint8Array[] = [];
  for await (const chunk of input.fromStart(false)) if (first.push(chunk) && isHead(first)) break;
  return detectSource(textOfHead(first));
}

/** The first bytes as text, and all chunks from the start. Chunks must not change. */
export async function headOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<{ head: string; rest: AsyncGenerator<Uint8Array> }> {
  const rest = onward(chunks);
  const first: Uint8Array[] = [];
  while (!isHead(first)) {
    const { done, value } = await rest.next();
    if (done === true) break;
    first.push(value);
  }
  return { head: textOfHead(first), rest: again(first, rest) };
}

function isHead(chunks: readonly Uint8Array[]): boolean {
  return sizeOf(chunks) >= HEAD_BYTES;
}

function textOfHead(chunks: readonly Uint8Array[]): string {
  return Buffer.concat(chunks, Math.min(sizeOf(chunks), HEAD_BYTES)).toString("utf8");
}

function sizeOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((size, chunk) => size + chunk.length, 0);
}

async function* onward<T>(chunks: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  yield* chunks;
}

async function* again(first: Uint8Array[], rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let chunk = first.shift(); chunk; chunk = first.shift()) yield chunk;
  yield* rest;
}
