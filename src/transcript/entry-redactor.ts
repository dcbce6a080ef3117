import { createHash } from "node:crypto";
import { outputFileText, type Attachment, type ToolResultEntry, type TranscriptEntry } from "./format/formats.ts";
import { TRUNCATED } from "./format/sections.ts";
import { type Draft } from "./entry-draft.ts";
import { given } from "../given.ts";
import { MAX_OUTPUT_BYTES, type KeptFiles } from "./kept-files.ts";
import type { HostFile } from "./records.ts";

/** Redacts secrets in a JSON value; the result has the same shape. */
export interface Redaction {
  value(value: object): Promise<unknown>;
  /** `before` is the text directly before `text`, already redacted. */
  text(text: string, before?: string): Promise<string>;
}

/** Judges how a call ended, from the result as its host reports it. */
export type JudgeEnd = (result: ToolResultEntry) => Pick<ToolResultEntry, "status" | "hostStatus" | "exitCode">;

export interface EntryRedactorOptions {
  files: KeptFiles;
  redaction: Redaction;
  judgeEnd: JudgeEnd;
  /** Outputs longer than this, in characters, are saved in a separate file; undefined: none are. */
  maxInlineChars: number | undefined;
}

export interface PreparedEntry {
  entry: TranscriptEntry;
  /** File with the full output, relative to the transcripts folder. */
  outputPath?: string;
}

/** Prepares drafts for writing: judges failures, saves files beside the transcript, reads full outputs, redacts secrets. */
export class EntryRedactor {
  readonly #options: EntryRedactorOptions;

  constructor(options: EntryRedactorOptions) {
    this.#options = options;
  }

  async prepare(sessionID: string, draft: Draft): Promise<PreparedEntry> {
    const redacted = await this.#redacted(await this.#withFiles(sessionID, draft));
    return this.#withOutputFile(sessionID, await this.#continued(draft, redacted));
  }

  async #withFiles(sessionID: string, { entry, files, wholeOutputPath }: Draft): Promise<TranscriptEntry> {
    if (entry.type !== "user" && entry.type !== "tool_result") return entry;
    const attachments = files ? await this.#attachments(sessionID, files) : undefined;
    if (entry.type === "user") return { ...entry, ...given({ attachments }) };
    const ended = { ...entry, ...this.#options.judgeEnd(entry), ...given({ attachments }) };
    const whole = wholeOutputPath === undefined ? undefined : await this.#options.files.readHostOutput(wholeOutputPath);
    // Otherwise the host's shortened text, which names the file with the rest.
    return { ...ended, output: whole ?? limited(entry.output) };
  }

  async #attachments(sessionID: string, files: readonly HostFile[]): Promise<Attachment[]> {
    const kept: Attachment[] = [];
    for (const file of files) {
      const redact = (text: string): Promise<string> => this.#options.redaction.text(text);
      kept.push(await this.#options.files.keepAttachment(sessionID, file, redact));
    }
    return kept;
  }

  /** Redacts texts, inputs and outputs. Ids, names and numbers are unchanged. */
  async #redacted(entry: TranscriptEntry): Promise<TranscriptEntry> {
    const redacted: TranscriptEntry = Object.assign(
      {},
      entry,
      await this.#options.redaction.value(writtenFields(entry)),
    );
    if ("callID" in entry && "callID" in redacted && redacted.callID !== entry.callID) {
      // Stays unique, because files are named after it and results are matched by it.
      redacted.callID = `redacted_${createHash("sha256").update(entry.callID).digest("hex").slice(0, 16)}`;
    }
    // It is written with the call alone.
    if (redacted.type === "tool_result") redacted.input = null;
    return redacted;
  }

  /** Redacts a piece of a text again together with the text before it, since a secret may span both. */
  async #continued({ entry: raw, before }: Draft, redacted: TranscriptEntry): Promise<TranscriptEntry> {
    if (before === undefined || !("content" in raw)) return redacted;
    return Object.assign({}, redacted, { content: await this.#options.redaction.text(raw.content, before) });
  }

  async #withOutputFile(sessionID: string, entry: TranscriptEntry): Promise<PreparedEntry> {
    const { maxInlineChars, files } = this.#options;
    if (entry.type !== "tool_result" || maxInlineChars === undefined) return { entry };
    const text = outputFileText(entry.output);
    if (text.length <= maxInlineChars) return { entry };
    // Without the file, the transcript contains the full output.
    const outputPath = await files.keepOutput(sessionID, entry.callID, text).catch(() => undefined);
    return { entry, ...given({ outputPath }) };
  }
}

/** Returns the fields of an entry that can contain a secret. */
function writtenFields(entry: TranscriptEntry): object {
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
        output: entry.output,
        title: entry.title,
        metadata: entry.metadata,
        attachments: entry.attachments,
      });
    case "session_event":
      return given({ text: entry.text, data: entry.data });
  }
}

/** Cuts an output that is too large to be recorded, at the end of a line so that no secret is split. */
function limited(output: unknown): unknown {
  const text = outputFileText(output);
  if (text.length <= MAX_OUTPUT_BYTES) return output;
  const lineEnd = text.lastIndexOf("\n", MAX_OUTPUT_BYTES);
  return text.slice(0, lineEnd === -1 ? MAX_OUTPUT_BYTES : lineEnd) + TRUNCATED;
}
