/** Reading a transcript of which a part was read before. */
import type { TranscriptItem } from "./entries.ts";

/** Where a reader may stop, and another one go on as if it had read all of it. */
export interface ReadingMark {
  /** Byte offset in the file, and the line, from 1, that begins there. */
  offset: number;
  line: number;
}

export const FILE_START: ReadingMark = { offset: 0, line: 1 };

export interface ItemReader {
  /** The items that the next bytes complete. Take all of them before the next push. No content makes it throw. */
  push(chunk: Uint8Array): AsyncGenerator<TranscriptItem>;
  /** What is left when nothing comes any more: problems, and no entry. */
  end(): AsyncGenerator<TranscriptItem>;
  /** After the last header, entry or line that was written whole, whatever follows it. All before it has been yielded. */
  readonly mark: ReadingMark;
}
