/**
 * Reads the end of a file that somebody else wrote, or this process in an earlier life.
 * A file format provides one; the append writer decides with it what it may write next.
 */
export interface TailScanner {
  /** Takes the next bytes of the file. Any cutting into chunks gives the same result. Keeps no reference to `chunk`. */
  push(chunk: Uint8Array): void;
  /** Offset in the file, in bytes, where the last complete record (or the header) ends. */
  readonly validEnd: number;
  /** A header was seen. Only meaningful if the scan began at offset 0. */
  readonly hasHeader: boolean;
  /** Keys of the complete records met since the last call. */
  takeKeys(): string[];
}
