import type { AppendFormat, AppendRecord, Gap, Replacement, TornTail } from "../files/append-format.ts";
import type { TailScanner } from "../files/tail-scanner.ts";
import type { SessionEventEntry, TranscriptEntry, TranscriptHeader } from "../format/entries.ts";
import {
  closingOf,
  createJsonlScanner,
  createMarkdownScanner,
  encodeJsonlEntry,
  encodeJsonlHeader,
  encodeMarkdownEntry,
  encodeMarkdownHeader,
  encodeNoteEntry,
  encodeTornEntry,
  endKey,
  entryKey,
  isContinuable,
  isNote,
  openKey,
  stateKey,
} from "../format/index.ts";
import { given } from "./draft.ts";
import { transcriptPath, type TranscriptFormat } from "./paths.ts";
import type { PreparedEntry } from "./preparation.ts";

/** Calls whose input is remembered as written; the result of an older one repeats its input. */
const MAX_INPUTS = 10_000;

export interface SinkOptions {
  format: TranscriptFormat;
  /** The format of the transcripts that entries link to: the same in all of a session's files. */
  linkFormat: TranscriptFormat;
  sessionID: string;
  /** Path of the file, relative to the transcripts folder. */
  filePath: string;
  maxInlineChars: number;
  /** Asked for when the file is begun. */
  header: () => TranscriptHeader;
}

/** One file format of one session: entries in, text and keys for the append writer out. Touches no disk. */
export class Sink implements AppendFormat {
  readonly #options: SinkOptions;
  /** Part ids of the calls whose input this process wrote to the file, and of which no result was written yet. */
  readonly #inputsWritten = new Set<string>();
  #isBegun = false;

  constructor(options: SinkOptions) {
    this.#options = options;
  }

  record({ entry, outputPath }: PreparedEntry): AppendRecord {
    const placed = this.#withSubagentPath(entry);
    const data = this.#encode(placed, outputPath);
    const replacement = this.#replacement(placed, outputPath);
    return { data, ...given({ key: entryKey(placed), stateKey: stateKey(placed.type, placed), replacement }) };
  }

  /** Whether the entry is in the file, and as whole as it is here. */
  isRecorded(entry: TranscriptEntry, inFile: ReadonlySet<string>): boolean {
    const key = entryKey(entry);
    if (key === undefined || !inFile.has(key)) return false;
    const replacement = this.#replacement(entry);
    return !replacement || !inFile.has(replacement.openKey) || inFile.has(replacement.endKey);
  }

  /** The record of this entry was dropped: nothing may refer to it. */
  forget({ entry: { partID } }: PreparedEntry): void {
    if (partID !== undefined) this.#inputsWritten.delete(partID);
  }

  header(): string {
    // A file that was removed is begun anew: what it held cannot be referred to any more.
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
    if (isNote(this.#options.format, text)) return this.#encode(encodeNoteEntry(text, found));
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

  /** A whole text, call or result is put in place of one that is in the file without an end. */
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

  /** Whether the input of a result stands in the file with its call. */
  #inputIsKnown(entry: TranscriptEntry): boolean {
    if (entry.type !== "tool_use" && entry.type !== "tool_result") return false;
    const { partID } = entry;
    if (partID === undefined) return false;
    if (entry.type === "tool_result") return this.#inputsWritten.delete(partID);
    if (this.#inputsWritten.size < MAX_INPUTS) this.#inputsWritten.add(partID);
    return false;
  }

  /** A subagent's transcript is in the folder of the session that started it. */
  #withSubagentPath(entry: TranscriptEntry): TranscriptEntry {
    if ((entry.type !== "tool_use" && entry.type !== "tool_result") || !entry.subagent) return entry;
    const { sessionID } = entry.subagent;
    const path = transcriptPath(this.#options.linkFormat, sessionID, this.#options.sessionID);
    return { ...entry, subagent: { sessionID, path } };
  }
}
