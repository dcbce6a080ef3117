import type { TranscriptEntry } from "./format/entry-types.ts";
import type { HostFile } from "./records.ts";

/** Latest time that a `Date` can represent. */
const MAX_TIME_MS = 8.64e15;

/** Entry with its final content and position, before its files are saved and its secrets redacted. */
export interface Draft {
  entry: TranscriptEntry;
  files?: readonly HostFile[];
  /** Host file with the full output, if `entry.output` is only part of it. */
  wholeOutputPath?: string;
  /** Text directly before the content, written earlier: a secret may begin there. */
  before?: string;
}

/** Returns `ms` as ISO 8601 in UTC, or `fallbackMs` if `ms` is not a time. */
export function isoTime(ms: number | undefined, fallbackMs: number): string {
  return timeOf(ms) ?? new Date(fallbackMs).toISOString();
}

/** Returns `ms` as ISO 8601 in UTC, or undefined if it is not a time. */
export function timeOf(ms: number | undefined): string | undefined {
  if (ms === undefined || !Number.isFinite(ms) || Math.abs(ms) > MAX_TIME_MS) return undefined;
  return new Date(ms).toISOString();
}

/** Removes the oldest member if there are more than `max`. */
export function dropOldest(ids: Map<string, unknown> | Set<string>, max: number): void {
  const oldest = ids.size > max ? ids.keys().next().value : undefined;
  if (oldest !== undefined) ids.delete(oldest);
}
