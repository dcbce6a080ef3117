import type { TranscriptEntry } from "../format/entries.ts";
import type { HostFile } from "./records.ts";

/** The latest time that a `Date` can hold. */
const MAX_TIME_MS = 8.64e15;

/** An entry that is ready in content and place, before its files are kept and its secrets are redacted. */
export interface Draft {
  entry: TranscriptEntry;
  /** Files that belong to it, in order. */
  files?: readonly HostFile[];
  /** A file of the host's that holds the whole output, where `entry.output` is a part of it. */
  wholeOutputPath?: string;
  /** What stands directly before the content, written earlier: a secret may begin there. */
  before?: string;
}

/** ISO 8601 in UTC, or of `fallbackMs` where `ms` is no time. */
export function isoTime(ms: number | undefined, fallbackMs: number): string {
  return timeOf(ms) ?? new Date(fallbackMs).toISOString();
}

/** ISO 8601 in UTC; undefined where `ms` is no time. */
export function timeOf(ms: number | undefined): string | undefined {
  if (ms === undefined || !Number.isFinite(ms) || Math.abs(ms) > MAX_TIME_MS) return undefined;
  return new Date(ms).toISOString();
}

/** Sets the optional fields that have a value, and leaves the others out. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const result: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const key in fields) {
    const value = fields[key];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- just checked; TypeScript cannot narrow T[key]
    if (value !== undefined) result[key] = value as Exclude<T[typeof key], undefined>;
  }
  return result;
}
