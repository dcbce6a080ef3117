/** Distinguishes a file that grew from one that was replaced, without reading all of it. */
import { readSync } from "node:fs";
import { crc32 } from "node:zlib";

/** Bytes compared at the start and at the end of what was read. */
const EDGE_BYTES = 64 * 1024;
/** Files up to this size are compared completely, which takes a millisecond. */
const WHOLE_BYTES = 4 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/** Checksums of the bytes before a place, and what was learned from them. */
export interface SourceCheck {
  /** Name of the source. */
  kind: string;
  /** See `SourceOptions.agentProgress`. */
  agentProgress: boolean;
  /** CRC-32 of the first bytes; `last` is that of the last ones and `all` that of all. */
  head: number;
  last: number;
  all: number;
  /** CRC-32 of the bytes from the place to the end of the source at that read. */
  tail: number;
  /**
   * Packed facts from the bytes before the place. The session's row may have more, from bytes after it or from an
   * earlier form. Empty if the next run must read the source from its start.
   */
  facts: string;
}

/**
 * Maximum characters of `SourceCheck.facts`. If there are more, they are dropped and the next run reads the source from
 * its start.
 */
const MAX_FACTS_CHARS = 3_500;

export function packCheck({ kind, agentProgress, head, last, all, tail, facts }: SourceCheck): string {
  const crcs = [head, last, all, tail].map((crc) => crc.toString(16));
  return [kind, agentProgress ? "+" : "-", ...crcs, facts.length > MAX_FACTS_CHARS ? "" : facts].join(" ");
}

export function unpackCheck(text: string): SourceCheck | undefined {
  const [kind, progress, ...words] = text.split(" ");
  const [head, last, all, tail] = words.slice(0, 4).map((crc) => Number.parseInt(crc, 16));
  const facts = words.slice(4).join(" ");
  if (kind === undefined || head === undefined || last === undefined || all === undefined || tail === undefined)
    return undefined;
  return { kind, agentProgress: progress === "+", head, last, all, tail, facts };
}

/**
 * Returns true if the first `size` bytes of an open file match the check. `thorough` compares all of them at any size.
 */
export function isSameStart(file: number, size: number, check: SourceCheck, thorough: boolean): boolean {
  if (thorough || size <= WHOLE_BYTES) return crcBetween(file, 0, size) === check.all;
  const edge = Math.min(EDGE_BYTES, size);
  return crcBetween(file, 0, edge) === check.head && crcBetween(file, size - edge, size) === check.last;
}

/** Returns the edge checksums of an open file's first `size` bytes. */
export function edgesOf(file: number, size: number): Pick<SourceCheck, "head" | "last"> {
  const edge = Math.min(EDGE_BYTES, size);
  return { head: crcBetween(file, 0, edge), last: crcBetween(file, size - edge, size) };
}

/** Returns the CRC-32 of a byte range, continuing from `crc`; -1 if the file ends before `to`. */
export function crcBetween(file: number, from: number, to: number, crc = 0): number {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(1, to - from)));
  let sum = crc;
  for (let at = from; at < to;) {
    const size = readSync(file, buffer, 0, Math.min(buffer.length, to - at), at);
    if (size === 0) return -1;
    sum = crc32(buffer.subarray(0, size), sum);
    at += size;
  }
  return sum;
}
