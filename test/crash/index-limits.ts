/** Many transactions a session, and memory between them. */
export const KILLED_LIMITS = { textChars: 3_000, events: 20, memoryFromBytes: 4_000, chunkBytes: 4_096 } as const;
