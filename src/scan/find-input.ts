/** What is scanned, as chunks that can be had more than once. */
import { closeSync, openSync, readSync } from "node:fs";
import { chunksOf, type TranscriptInput } from "../format/index.ts";
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
  let size = 0;
  for await (const chunk of input.fromStart(false)) {
    first.push(chunk);
    size += chunk.length;
    if (size >= HEAD_BYTES) break;
  }
  return detectSource(Buffer.concat(first, Math.min(size, HEAD_BYTES)).toString("utf8"));
}
