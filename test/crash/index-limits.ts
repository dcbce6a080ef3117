/** Many transactions a session. */
export const KILLED_LIMITS = { textChars: 3_000, events: 20, chunkBytes: 4_096 } as const;
