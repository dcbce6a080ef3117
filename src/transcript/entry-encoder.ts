import type { AppendFormat, AppendRecord, Gap, Replacement, TailScanner, TornTail } from "./files/append-format.ts";
import type { SessionEventEntry, TranscriptEntry, TranscriptHeader } from "./format/entry-types.ts";
import {
  closingOf,
  createJsonlScanner,
  createMarkdownScanner,
  encodeJsonlEntry,
  encodeJsonlHeader,
  encodeMarkdownEntry,
  encodeMarkdownHeader,
  encodeTornEntry,
  endKey,
  entryKey,
  isContinuable,
  openKey,
  stateKey,
} from "./format/formats.ts";
import { given } from "../given.ts";
import type { TranscriptFormat } from "./transcript-paths.ts";
import type { PreparedEntry } from "./entry-redactor.ts";

/** Maximum number of calls whose input is remembered as written; results of older ones repeat the input. */
const MAX_INPUTS = 10_000;

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
  /** Part ids of calls whose input this process wrote, and which have no result yet. */
  readonly #inputsWritten = new Set<string>();
  #isBegun = false;

  constructor(options: EntryEncoderOptions) {
    this.#options = options;
  }

  record({ entry, outputPath }: PreparedEntry): AppendRecord {
    const data = this.#encode(entry, outputPath);
    const replacement = this.#replacement(entry, outputPath);
    return { data, ...given({ key: entryKey(entry), stateKey: stateKey(entry.type, entry), replacement }) };
  }

  /** Returns whether the file has the entry, at least as complete. */
  isRecorded(entry: TranscriptEntry, inFile: ReadonlySet<string>): boolean {
    const key = entryKey(entry);
    if (key === undefined || !inFile.has(key)) return false;
    const replacement = this.#replacement(entry);
    return !replacement || !inFile.has(replacement.openKey) || inFile.has(replacement.endKey);
  }

  /** Forgets an entry whose record was dropped, so that nothing refers to it. */
  forget({ entry: { partID } }: PreparedEntry): void {
    if (partID !== undefined) this.#inputsWritten.delete(partID);
  }

  header(): string {
    // The file was removed and is created again, so entries must not refer to its earlier content.
    if (this.#isBegun) this.#inputsWritten.clear();
    this.#isBegun = true;
    const { format, filePath, header } = this.#options;
    return format === "jsonl" ? encodeJsonlHeader(header()) : encodeMarkdownHeader(header(), { filePath });
  }

  scanner(startOffset: number): TailScanner {
    return this.#options.format === "jsonl" ? createJsonlScanner(startOffset) : createMarkdownScanner(startOffset);
  }

  closing(tail: Uint8Array): string | undefined {
    return closingOf(this.#options.format, tail);
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
      return {
        data: this.#encode(whole, outputPath),
        ...given({ key: entryKey(whole), stateKey: stateKey(type, whole) }),
      };
    };
    return { openKey: openKey(type, partID), endKey: endKey(type, partID), record };
  }

  #encode(entry: TranscriptEntry, outputPath?: string): string {
    if (this.#options.format === "jsonl") return encodeJsonlEntry(entry);
    const { maxInlineChars, filePath } = this.#options;
    const inputIsKnown = this.#inputIsKnown(entry);
    return encodeMarkdownEntry(entry, { maxInlineChars, filePath, inputIsKnown, ...given({ outputPath }) });
  }

  /** Returns whether the file has the input of a result, with its call. */
  #inputIsKnown(entry: TranscriptEntry): boolean {
    if (entry.type !== "tool_use" && entry.type !== "tool_result") return false;
    const { partID } = entry;
    if (partID === undefined) return false;
    if (entry.type === "tool_result") return this.#inputsWritten.delete(partID);
    if (this.#inputsWritten.size < MAX_INPUTS) this.#inputsWritten.add(partID);
    return false;
  }
}
