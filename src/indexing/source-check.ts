/** Telling a file that grew from one that was replaced, without reading all of it. */
import { readSync } from "node:fs";
import { crc32 } from "node:zlib";

/** Bytes at the start and before the end of what was read that are looked at always. */
const EDGE_BYTES = 64 * 1024;
/** Files up to this size are looked at whole: that takes a millisecond. */
const WHOLE_BYTES = 4 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/**
 * How a source is read. `lines`: a file of which each line stands for itself. `markdown`, `jsonl`: a transcript of ours.
 * These are only appended to, and are read on from where the last run ended. `whole`: all else, from its start each time.
 */
const SOURCE_KINDS = ["lines", "markdown", "jsonl", "whole"] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** What is kept of the bytes before a place. */
export interface SourceCheck {
  kind: SourceKind;
  /** See `SourceOptions.agentProgress`. `null`: no line asked for it yet. */
  agentProgress: boolean | null;
  /** CRC-32 of the first bytes, of the last ones, and of all. */
  head: number;
  last: number;
  all: number;
}

export function packCheck({ kind, agentProgress, head, last, all }: SourceCheck): string {
  const progress = agentProgress === null ? "?" : agentProgress ? "+" : "-";
  return [kind, progress, ...[head, last, all].map((crc) => crc.toString(16))].join(" ");
}

export function unpackCheck(text: string): SourceCheck | undefined {
  const [name, progress, ...crcs] = text.split(" ");
  const [head, last, all] = crcs.map((crc) => Number.parseInt(crc, 16));
  const kind = SOURCE_KINDS.find((each) => each === name);
  if (kind === undefined || head === undefined || last === undefined || all === undefined) return undefined;
  return { kind, agentProgress: progress === "?" ? null : progress === "+", head, last, all };
}

/** Whether the first `size` bytes of an open file are those of the check. `thorough`: looks at all of them in any case. */
export function isSameStart(file: number, size: number, check: SourceCheck, thorough: boolean): boolean {
  if (thorough || size <= WHOLE_BYTES) return crcBetween(file, 0, size) === check.all;
  const edge = Math.min(EDGE_BYTES, size);
  return crcBetween(file, 0, edge) === check.head && crcBetween(file, size - edge, size) === check.last;
}

/** Of an open file's first `size` bytes. */
export function edgesOf(file: number, size: number): Pick<SourceCheck, "head" | "last"> {
  const edge = Math.min(EDGE_BYTES, size);
  return { head: crcBetween(file, 0, edge), last: crcBetween(file, size - edge, size) };
}

/** -1 if the file ends before. */
function crcBetween(file: number, from: number, to: number): number {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(1, to - from)));
  let crc = 0;
  for (let at = from; at < to;) {
    const size = readSync(file, buffer, 0, Math.min(buffer.length, to - at), at);
    if (size === 0) return -1;
    crc = crc32(buffer.subarray(0, size), crc);
    at += size;
  }
  return crc;
}
