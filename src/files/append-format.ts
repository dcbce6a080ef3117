import type { TailScanner } from "./tail-scanner.ts";

/** One record for a file: whole text, with the line end that its format asks for. */
export interface AppendRecord {
  /** What makes the record itself. A record whose key stands in the file already is not written again. */
  key?: string;
  /** Another key that the file has with this record. */
  stateKey?: string;
  data: string;
  /** For a file in which the record of that key is not the final one. */
  replacement?: Replacement;
}

/** A record that is written where another process, or this one earlier, wrote one that was not final. */
export interface Replacement {
  /** The file has this key: its record is not final. */
  openKey: string;
  /** The file has this key: its record was replaced already. */
  endKey: string;
  record: () => AppendRecord;
}

/** Records that were accepted and could not be written. They are missing in one place of the file. */
export interface Gap {
  missing: number;
  /** How many for which reason: an error code such as `ENOSPC`, or `QUEUE_FULL`. */
  reasons: Record<string, number>;
  /** When the first of them was dropped, ISO 8601. */
  since: string;
  /** When the last of them was dropped, ISO 8601. */
  until: string;
}

/** The bytes behind the last complete record of a file: a write that broke off, or text that a person appended. */
export interface TornTail {
  /** The bytes, at most the first 16 MiB. */
  fragment: Uint8Array;
  /** How many bytes there were. */
  bytes: number;
  /** When it was found, ISO 8601. */
  found: string;
}

/** All that the append writer knows about a file's format. Every text is whole records, ready to be written. */
export interface AppendFormat {
  /** Stands first in the file. Asked for when the file is new or empty. */
  header(): string;
  /** A scanner of the bytes from `startOffset` on, which is 0 or the end of a record. */
  scanner(startOffset: number): TailScanner;
  /** The record that is put in the place of a torn tail and keeps its text. */
  repair(torn: TornTail): string;
  /**
   * The text that completes a tail which lacks nothing but the end of its last record, as when an editor trims the end
   * of a file: then it is completed instead of repaired. Undefined for any other tail. Default: always undefined.
   */
  closing?(tail: Uint8Array): string | undefined;
  /** The record that tells of missing ones. */
  gap(gap: Gap): string;
}
