import {
  type AppendFormat,
  type AppendRecord,
  type Gap,
  isOpenIn,
  type Replacement,
  type TailScanner,
  type TornTail,
} from "./files/append-format.ts";
import type { SessionEventEntry, TranscriptEntry, TranscriptHeader } from "./format/entry-types.ts";
import {
  closingOf,
  encodeJsonlEntry,
  encodeJsonlHeader,
  encodeMarkdownEntry,
  encodeMarkdownHeader,
  encodeTornEntry,
  inContext,
  type SectionContext,
  endKey,
  entryKey,
  isContinuable,
  keysOf,
  openKey,
  textKey,
  TranscriptScanner,
} from "./format/formats.ts";
import { given } from "../given.ts";
import type { TranscriptFormat } from "./transcript-paths.ts";
import type { PreparedEntry } from "./entry-redactor.ts";

export interface EntryEncoderOptions {
  format: TranscriptFormat;
  /** Path relative to the transcripts folder. */
  filePath: string;
  maxInlineChars: number;
  /** Called when the file is created. */
  header: () => TranscriptHeader;
}

/** Encodes entries of one session in one format, as text and keys for the append writer. Does not touch the disk. */
export class EntryEncoder implements AppendFormat {
  readonly #options: EntryEncoderOptions;

  constructor(options: EntryEncoderOptions) {
    this.#options = options;
  }

  record({ entry, outputPath }: PreparedEntry): AppendRecord {
    const data = this.#encode(entry, outputPath);
    const replacement = this.#replacement(entry, outputPath);
    return { data, keys: keysOf(entry), ...given({ replacement }) };
  }

  /** Returns whether the file has the entry, at least as complete. */
  isRecorded(entry: TranscriptEntry, inFile: ReadonlySet<string>): boolean {
    const key = entryKey(entry);
    if (key === undefined || !inFile.has(key)) return false;
    const replacement = this.#replacement(entry);
    return !replacement || !isOpenIn((each) => inFile.has(each), replacement);
  }

  header(): string {
    const { format, filePath, header } = this.#options;
    return format === "jsonl" ? encodeJsonlHeader(header()) : encodeMarkdownHeader(header(), { filePath });
  }

  scanner(start: number, context: SectionContext): TailScanner {
    return new TranscriptScanner(this.#options.format, start, context);
  }

  closing(rest: Buffer): Promise<string | undefined> {
    return closingOf(this.#options.format, rest);
  }

  inContext(data: string, context: SectionContext): { data: string; context: SectionContext } {
    if (this.#options.format === "jsonl") return { data, context };
    const { section, context: next } = inContext(data, context);
    return { data: section, context: next };
  }

  repair({ fragment, bytes, found }: TornTail): string {
    const text = new TextDecoder().decode(fragment);
    const entry = encodeTornEntry(this.#options.format, text, found);
    return this.#encode({ ...entry, data: { ...entry.data, bytes } });
  }

  gap({ missing, reasons, since, until }: Gap): string {
    const why = Object.entries(reasons).map(([reason, count]) => `${reason} ${count}`);
    const entry: SessionEventEntry = {
      type: "session_event",
      timestamp: until,
      name: "missing entries",
      text: `${missing} ${missing === 1 ? "entry is" : "entries are"} missing here: they could not be written (${why.join(", ")}).`,
      data: { missing, reasons, since, until },
    };
    return this.#encode(entry);
  }

  /** The entry replaces an unfinished one in the file. */
  #replacement(entry: TranscriptEntry, outputPath?: string): Replacement | undefined {
    if (!isContinuable(entry) || entry.continues !== undefined || entry.unfinished === true) return undefined;
    const { type, partID } = entry;
    if (partID === undefined) return undefined;
    const record = (): AppendRecord => {
      const whole = { ...entry, continues: "replace" } as const;
      return { data: this.#encode(whole, outputPath), keys: keysOf(whole) };
    };
    const end = endKey(type, partID);
    if (!("content" in entry)) return { openKey: openKey(type, partID), finalKeys: [end], record };
    // A text that something followed counts as whole, but may have gone on.
    return { openKey: undefined, finalKeys: [end, textKey(type, partID, entry.content.length)], record };
  }

  #encode(entry: TranscriptEntry, outputPath?: string): string {
    const { format, maxInlineChars, filePath } = this.#options;
    // A result has the input of its call.
    const inputIsKnown = true;
    if (format === "jsonl") return encodeJsonlEntry(entry, { inputIsKnown });
    return encodeMarkdownEntry(entry, { maxInlineChars, filePath, inputIsKnown, ...given({ outputPath }) });
  }
}
