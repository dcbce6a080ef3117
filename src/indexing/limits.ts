/** Sizes that bound memory and transactions. Tests make them small. */
export interface IndexLimits {
  /**
   * Characters of text after which a transaction is due; `events` is the same limit in rows. Twice as many would save no
   * time, while other programs and the server of pages would wait longer.
   */
  textChars: number;
  events: number;
  /** Bytes per read. */
  chunkBytes: number;
}

export const INDEX_LIMITS: IndexLimits = {
  textChars: 1024 * 1024,
  events: 5_000,
  chunkBytes: 1024 * 1024,
};
