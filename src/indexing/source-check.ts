/** Distinguishes a source that grew from one that was replaced, without reading all of a large one. */
import { readSync } from "node:fs";
import { crc32 } from "node:zlib";

/** Bytes compared at the start and at the end of what was read. */
const EDGE_BYTES = 64 * 1024;
/** Files up to this size are compared completely, which takes a millisecond. */
const WHOLE_BYTES = 4 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/** Checksums of the bytes that were read, and what was learned from those before the place where the next run starts. */
export interface SourceCheck {
  /** Name of the source. */
  kind: string;
  /** See `SourceOptions.agentProgress`. */
  agentProgress: boolean;
  /** CRC-32 of all bytes before the place. */
  crc: number;
  /** See `edgesOf`. */
  edges: number;
  /**
   * Packed facts from the bytes before the place. The session's row may have more, from bytes after it or from an earlier
   * form. Empty if the next run must read the source from its start.
   */
  facts: string;
}

/**
 * Maximum characters of `SourceCheck.facts`. If there are more, they are dropped and the next run reads the source from
 * its start.
 */
const MAX_FACTS_CHARS = 3_500;

export function packCheck({ kind, agentProgress, crc, edges, facts }: SourceCheck): string {
  const sums = [crc.toString(16), edges.toString(16)];
  return [kind, agentProgress ? "+" : "-", ...sums, facts.length > MAX_FACTS_CHARS ? "" : facts].join(" ");
}

/** Earlier versions had more sums before the facts: the next run then reads the source from its start. */
export function unpackCheck(text: string): SourceCheck | undefined {
  const [kind, progress, ...words] = text.split(" ");
  const [crc, edges] = words.slice(0, 2).map((sum) => Number.parseInt(sum, 16));
  if (kind === undefined || crc === undefined || edges === undefined) return undefined;
  const facts = words.slice(2).join(" ");
  return { kind, agentProgress: progress === "+", crc, edges, facts: facts.startsWith("{") ? facts : "" };
}

/**
 * Returns true if a file still has the bytes that were read: `done` before the place, `read` in all. A large file that
 * grew is compared only at its edges.
 */
export function isSameStart(
  file: number,
  { done, read, size }: { done: number; read: number; size: number },
  check: SourceCheck,
): boolean {
  if (read > size || edgesOf(file, done, read) !== check.edges) return false;
  return (size !== read && done > WHOLE_BYTES) || crcBetween(file, 0, done) === check.crc;
}

/** Returns the CRC-32 of the first bytes of a file, of the last ones before a place, and of those from it to `read`. */
export function edgesOf(file: number, place: number, read: number): number {
  const edge = Math.min(EDGE_BYTES, place);
  return crcBetween(file, place - edge, read, crcBetween(file, 0, edge));
}

/** Returns the CRC-32 of a byte range, continuing from `crc`; -1 if the file ends before `to`. */
export function crcBetween(file: number, from: number, to: number, crc = 0): number {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(1, to - from)));
  let sum = crc;
  for (let at = from; at < to && sum !== -1;) {
    const size = readSync(file, buffer, 0, Math.min(buffer.length, to - at), at);
    sum = size === 0 ? -1 : crc32(buffer.subarray(0, size), sum);
    at += size;
  }
  return sum;
}
