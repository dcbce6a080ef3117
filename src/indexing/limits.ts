/** Sizes that bound memory and transactions. Tests make them small. */
export interface IndexLimits {
  /** Characters of text, and events, after which a transaction is due. */
  textChars: number;
  events: number;
  /**
   * From how many bytes of a file on what is known of its lines is kept. Below, reading them again takes some
   * milliseconds.
   */
  memoryFromBytes: number;
  /** Bytes that are read at once. */
  chunkBytes: number;
}

export const INDEX_LIMITS: IndexLimits = {
  textChars: 4 * 1024 * 1024,
  events: 5_000,
  memoryFromBytes: 512 * 1024,
  chunkBytes: 1024 * 1024,
};
