import { createHash } from "node:crypto";
import { recordedEnd } from "../calls/ending.ts";
import { outputFileText, type Attachment, type SessionEventEntry, type TranscriptEntry } from "../format/index.ts";
import { given, type Draft } from "./draft.ts";
import { MAX_OUTPUT_BYTES, type KeptFiles } from "./kept-files.ts";
import type { HostFile } from "./records.ts";

/** Takes secrets out of JSON values; the answer has the shape of the question. */
export interface Redaction {
  values(values: readonly unknown[]): Promise<unknown[]>;
  /** `before` stands directly before the text and is redacted already. */
  text(text: string, before?: string): Promise<string>;
}

export interface PreparationOptions {
  files: KeptFiles;
  redaction: Redaction;
  /** What is recorded at all. */
  include: { reasoning: boolean; events: boolean };
  /** Outputs longer than this get a file of their own; undefined: none do. */
  maxInlineChars: number | undefined;
}

/** An entry that may be written. */
export interface PreparedEntry {
  entry: TranscriptEntry;
  /** The file with the whole output, relative to the transcripts folder. */
  outputPath?: string;
}

/** Events that are recorded even if events are not wanted: without them a transcript would pass for complete. */
const INDISPENSABLE_EVENTS = new Set(["missing entries", "missing output", "torn entry"]);

/** A result of this size, in characters or bytes, takes a noticeable time to redact. */
const LARGE_OUTPUT = 256 * 1024;
/** Longest text that stands for a large output when there is no time for the whole, in characters. */
const MAX_SHORT_CHARS = 20_000;

/** Makes drafts fit for the disk: failures judged, files kept beside the transcript, whole outputs read, secrets redacted. */
export class Preparation {
  readonly #options: PreparationOptions;
  readonly #inputs = new WeakMap<object, { input: unknown }>();

  constructor(options: PreparationOptions) {
    this.#options = options;
  }

  /** Size of a result that other entries should not wait for, in characters or bytes; undefined for any other draft. */
  async largeOutput({ entry, files = [], wholeOutputPath }: Draft): Promise<number | undefined> {
    if (entry.type !== "tool_result") return undefined;
    let size = files.reduce((sum, { url }) => sum + url.length, outputFileText(entry.output).length);
    if (wholeOutputPath !== undefined)
      size = Math.max(size, await this.#options.files.hostOutputBytes(wholeOutputPath));
    return size >= LARGE_OUTPUT ? size : undefined;
  }

  /**
   * The form of a large result that is written if there is no time for the whole: the host's own shortened text, or the
   * beginning of the output, and an event that counts what is left out.
   */
  async prepareShort(sessionID: string, draft: Draft, size: number): Promise<PreparedEntry[]> {
    const { entry, files, wholeOutputPath } = draft;
    if (entry.type !== "tool_result") throw new Error("only results can be shortened");
    const output = shortOutput(entry.output);
    const { messageID, partID, timestamp, callID, tool } = entry;
    const isTooLarge = size > MAX_OUTPUT_BYTES;
    const why = isTooLarge
      ? `More than ${MAX_OUTPUT_BYTES / 2 ** 20} MiB are not recorded.`
      : "The process ended before the rest could be written.";
    const attachments = files?.map(({ mime, filename }) => ({ mime, ...given({ filename }), missing: why }));
    const event: SessionEventEntry = {
      type: "session_event",
      timestamp,
      name: "missing output",
      text: [
        `Of the output of ${tool}, ${size.toLocaleString("en")} bytes, ${outputFileText(output).length.toLocaleString("en")} characters are recorded above. ${why}`,
        ...(wholeOutputPath === undefined ? [] : [`The host put the whole output in ${wholeOutputPath}.`]),
      ].join(" "),
      data: { callID, bytes: size, ...given({ path: wholeOutputPath }) },
      ...given({ messageID, partID }),
    };
    const short = { entry: { ...entry, output, ...given({ attachments }) } };
    // It stands inline, whatever its length: a file under the call's name is for the whole output.
    return (await this.#readyEntries(sessionID, [short, { entry: event }])).map((ready) => ({ entry: ready }));
  }

  /** Prepares a batch; what is not to be recorded is left out. */
  async prepare(sessionID: string, drafts: readonly Draft[]): Promise<PreparedEntry[]> {
    const ready = await this.#readyEntries(sessionID, drafts);
    return Promise.all(ready.map((entry) => this.#withOutputFile(sessionID, entry)));
  }

  async #readyEntries(sessionID: string, drafts: readonly Draft[]): Promise<TranscriptEntry[]> {
    const wanted = drafts.filter(({ entry }) => this.#isWanted(entry));
    const whole = await Promise.all(wanted.map((draft) => this.#withFiles(sessionID, draft)));
    return this.#continued(wanted, await this.#redacted(whole));
  }

  #isWanted(entry: TranscriptEntry): boolean {
    const { reasoning, events } = this.#options.include;
    if (entry.type === "reasoning") return reasoning;
    return entry.type !== "session_event" || events || INDISPENSABLE_EVENTS.has(entry.name);
  }

  async #withFiles(sessionID: string, { entry, files, wholeOutputPath }: Draft): Promise<TranscriptEntry> {
    if (entry.type !== "user" && entry.type !== "tool_result") return entry;
    const attachments = files ? await this.#attachments(sessionID, files) : undefined;
    if (entry.type === "user") return { ...entry, ...given({ attachments }) };
    const output =
      wholeOutputPath === undefined ? undefined : await this.#options.files.readHostOutput(wholeOutputPath);
    return { ...entry, ...recordedEnd(entry), ...given({ output, attachments }) };
  }

  async #attachments(sessionID: string, files: readonly HostFile[]): Promise<Attachment[]> {
    const kept: Attachment[] = [];
    for (const file of files) {
      const redact = (text: string): Promise<string> => this.#options.redaction.text(text);
      kept.push(await this.#options.files.keepAttachment(sessionID, file, redact));
    }
    return kept;
  }

  /** Redacts what people and programs wrote; ids, names and numbers stay as they are. */
  async #redacted(entries: readonly TranscriptEntry[]): Promise<TranscriptEntry[]> {
    const known = entries.map((entry) => this.#knownInput(entry));
    const fields = entries.map((entry, at) => writtenFields(entry, known[at] !== undefined));
    const values = await this.#options.redaction.values(fields);
    return entries.map((entry, at) => {
      const redacted: TranscriptEntry = Object.assign({}, entry, known[at], values[at]);
      if ("callID" in entry && "callID" in redacted && redacted.callID !== entry.callID) {
        // A name that still tells calls apart: files are called after it, and results are found by it.
        redacted.callID = `redacted_${createHash("sha256").update(entry.callID).digest("hex").slice(0, 16)}`;
      }
      if (entry.type === "tool_use" && redacted.type === "tool_use" && isObject(entry.input)) {
        this.#inputs.set(entry.input, { input: redacted.input });
      }
      return redacted;
    });
  }

  /** Redacts pieces of a text again with what stands before them: a secret may go across. */
  #continued(drafts: readonly Draft[], redacted: readonly TranscriptEntry[]): Promise<TranscriptEntry[]> {
    return Promise.all(
      redacted.map(async (entry, at) => {
        const { entry: raw, before } = drafts[at] ?? {};
        if (before === undefined || raw === undefined || !("content" in raw)) return entry;
        return { ...entry, content: await this.#options.redaction.text(raw.content, before) };
      }),
    );
  }

  /** The redacted input of a result, from when its call was prepared: both hold the same object. */
  #knownInput(entry: TranscriptEntry): { input: unknown } | undefined {
    return entry.type === "tool_result" && isObject(entry.input) ? this.#inputs.get(entry.input) : undefined;
  }

  async #withOutputFile(sessionID: string, entry: TranscriptEntry): Promise<PreparedEntry> {
    const { maxInlineChars, files } = this.#options;
    if (entry.type !== "tool_result" || maxInlineChars === undefined) return { entry };
    const text = outputFileText(entry.output);
    if (text.length <= maxInlineChars) return { entry };
    // If the file cannot be written the output stands whole in the transcript: long, but there.
    const outputPath = await files.keepOutput(sessionID, entry.callID, text).catch(() => undefined);
    return { entry, ...given({ outputPath }) };
  }
}

/** The fields of an entry that can hold a secret. */
function writtenFields(entry: TranscriptEntry, withoutInput: boolean): object {
  switch (entry.type) {
    case "user":
      return given({ content: entry.content, parts: entry.parts, attachments: entry.attachments });
    case "assistant":
    case "reasoning":
      return { content: entry.content };
    case "tool_use":
      return { callID: entry.callID, input: entry.input };
    case "tool_result":
      return given({
        callID: entry.callID,
        input: withoutInput ? undefined : entry.input,
        output: entry.output,
        title: entry.title,
        metadata: entry.metadata,
        attachments: entry.attachments,
      });
    case "session_event":
      return given({ text: entry.text, data: entry.data });
  }
}

/** Cut at the end of a line, where no secret is halved. */
function shortOutput(output: unknown): unknown {
  const text = outputFileText(output);
  if (text.length <= MAX_SHORT_CHARS) return output;
  const lineEnd = text.lastIndexOf("\n", MAX_SHORT_CHARS);
  return `${text.slice(0, lineEnd === -1 ? MAX_SHORT_CHARS : lineEnd)}\n... (truncated)`;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
