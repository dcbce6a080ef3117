/** A session file that is only appended to, from a given place on. */
import type { Mark } from "./memory.ts";

/** Where to begin. */
export interface GrowthStart {
  /** After what was written whole. */
  mark: Mark;
  /** CRC-32 of the bytes before. */
  crc: number;
  /** See `SourceOptions.agentProgress`; null if no line asked for it. */
  agentProgress: boolean | null;
}

export interface GrowthOptions {
  start: GrowthStart;
  /** Where to end: what comes later is for the next time. */
  size: number;
  signal?: AbortSignal | undefined;
  /** Bytes that are read at once. */
  chunkBytes: number;
}

/** The text of an event that was given away before, with what came to it since. */
export interface AmendedText {
  ordinal: number;
  text: string;
}

/** Puts what it reads among the events that it was made with. */
export interface GrowingSource {
  /** After the last whole line or entry that was read: what follows cannot change what was made of it. */
  readonly mark: Mark;
  /** CRC-32 of the bytes before the mark. */
  readonly crc: number;
  readonly agentProgress: boolean | null;
  /** Where reading ended: the size, or less if the file has shrunk. */
  readonly end: number;
  /** Reads all that is whole; gives way after each part, with the events up to the mark ready. */
  parts(): AsyncGenerator<void>;
  /** What stands behind the mark, as if nothing followed. It is for the events, but not before the mark. */
  readTail(): Promise<void>;
  /** What an earlier run saw behind the mark may be gone, with what it added to texts. */
  reopen(): void;
  /** Texts that were continued since the last call. Rejects with `Overtaken` if the file is another one meanwhile. */
  amended(): Promise<AmendedText[]>;
}
