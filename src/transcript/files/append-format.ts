import type { SectionContext } from "../format/section-context.ts";

/** Record for a file: its complete text, with the line end of the format. */
export interface AppendRecord {
  /** Identity of the record first, if it has one: it is not written if the file has a record with that key. */
  keys?: readonly string[];
  data: string;
  /** Written instead if the file's record with that key is not final. */
  replacement?: Replacement;
}

/** Record written if another process, or this one earlier, wrote one that was not final. */
export interface Replacement {
  /** Key of a record that is not final. Undefined: it is final only if one of `finalKeys` is in the file. */
  openKey: string | undefined;
  /** Keys present if that record is final, or was replaced already. */
  finalKeys: readonly string[];
  record: () => AppendRecord;
}

/** Returns whether a record with the same key, in a file with these keys, must be replaced. */
export function isOpenIn(isThere: (key: string) => boolean, { openKey, finalKeys }: Replacement): boolean {
  return (openKey === undefined || isThere(openKey)) && !finalKeys.some(isThere);
}

/** Records that were accepted and could not be written. They are missing at one position of the file. */
export interface Gap {
  missing: number;
  /** Number of records for each reason: an error code such as `ENOSPC`, or `QUEUE_FULL`. */
  reasons: Record<string, number>;
  /** Time when the first was dropped, ISO 8601. */
  since: string;
  /** Time when the last was dropped, ISO 8601. */
  until: string;
}

/** Bytes after the last complete record of a file: an incomplete write, or text that a person appended. */
export interface TornTail {
  /** The first 128 KiB of them. */
  fragment: Uint8Array;
  bytes: number;
  /** Time when it was found, ISO 8601. */
  found: string;
}

/** File format, as the append writer needs it. Every text consists of complete records. */
export interface AppendFormat {
  /** Returns the header, for a new or empty file. */
  header(): string;
  /** Creates a scanner for the bytes from `start` on, which is 0 or the end of a record with this context. */
  scanner(start: number, context: SectionContext): TailScanner;
  /**
   * Returns the text that completes the bytes after the last complete record, if only the end of a record is missing, as
   * when an editor trims the end of a file, or if they are blank. Undefined for anything else, which is torn.
   */
  closing(rest: Buffer): Promise<string | undefined>;
  /** Leaves out of a record what the one before it says already. Default: records do not depend on each other. */
  inContext?(data: string, context: SectionContext): { data: string; context: SectionContext };
  /** Returns a record that replaces a torn tail and contains its text. */
  repair(torn: TornTail): string;
  gap(gap: Gap): string;
}

/** Scans the end of a file that another process wrote. */
export interface TailScanner {
  /** Yields the keys of the records that the next bytes complete. Chunk sizes do not affect the result. */
  keysIn(chunk: Uint8Array): AsyncIterable<string>;
  /** Bytes after the last complete record (or the header), and their offset in the file. */
  readonly rest: { start: number; body: Buffer };
  /** What records after the last complete one need not say again. */
  readonly context?: SectionContext;
}
