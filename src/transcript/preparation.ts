import { outputFileText, type Attachment, type TranscriptEntry } from "../format/index.ts";
import { given, type Draft } from "./draft.ts";
import type { KeptFiles } from "./kept-files.ts";
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
const INDISPENSABLE_EVENTS = new Set(["missing entries", "torn entry"]);

/** Makes drafts fit for the disk: files kept beside the transcript, whole outputs read, secrets redacted. */
export class Preparation {
  readonly #options: PreparationOptions;
  readonly #inputs = new WeakMap<object, { input: unknown }>();

  constructor(options: PreparationOptions) {
    this.#options = options;
  }

  /** Prepares a batch; what is not to be recorded is left out. */
  async prepare(sessionID: string, drafts: readonly Draft[]): Promise<PreparedEntry[]> {
    const wanted = drafts.filter(({ entry }) => this.#isWanted(entry));
    const whole = await Promise.all(wanted.map((draft) => this.#withFiles(sessionID, draft)));
    const redacted = await this.#continued(wanted, await this.#redacted(whole));
    return Promise.all(redacted.map((entry) => this.#withOutputFile(sessionID, entry)));
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
    return { ...entry, ...given({ output, attachments }) };
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
      return { input: entry.input };
    case "tool_result":
      return given({
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

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
