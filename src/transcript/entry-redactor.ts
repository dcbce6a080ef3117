import { createHash } from "node:crypto";
import { recordedEnd } from "../calls/ending.ts";
import { outputFileText, type Attachment, type TranscriptEntry } from "./format/formats.ts";
import { type Draft } from "./entry-draft.ts";
import { given } from "../given.ts";
import { count } from "../quantities.ts";
import { MAX_OUTPUT_BYTES, type KeptFiles } from "./kept-files.ts";
import type { HostFile } from "./records.ts";

/** Redacts secrets in JSON values; the result has the same shape. */
export interface Redaction {
  values(values: readonly unknown[]): Promise<unknown[]>;
  /** `before` is the text directly before `text`, already redacted. */
  text(text: string, before?: string): Promise<string>;
}

export interface EntryRedactorOptions {
  files: KeptFiles;
  redaction: Redaction;
  include: { reasoning: boolean; events: boolean };
  /** Outputs longer than this, in characters, are saved in a separate file; undefined: none are. */
  maxInlineChars: number | undefined;
}

export interface PreparedEntry {
  entry: TranscriptEntry;
  /** File with the full output, relative to the transcripts folder. */
  outputPath?: string;
}

/** Events recorded even if events are turned off, because without them a transcript would seem complete. */
const INDISPENSABLE_EVENTS = new Set(["missing entries", "missing output", "missing text", "torn entry"]);

/** Maximum length of the short form of a large text, in characters. */
const MAX_SHORT_CHARS = 20_000;
/** The same for each string in a call's input. */
const MAX_SHORT_INPUT_CHARS = 2_000;

/** Prepares drafts for writing: judges failures, saves files beside the transcript, reads full outputs, redacts secrets. */
export class EntryRedactor {
  readonly #options: EntryRedactorOptions;
  readonly #inputs = new WeakMap<object, { input: unknown }>();

  constructor(options: EntryRedactorOptions) {
    this.#options = options;
  }

  /** Returns how much must be read, redacted and saved for a draft, in characters or bytes. */
  async size({ entry, files = [], wholeOutputPath }: Draft): Promise<number> {
    const inline = charsIn(writtenFields(entry, this.#knownInput(entry) !== undefined));
    const size = files.reduce((sum, { url }) => sum + url.length, inline);
    return wholeOutputPath === undefined
      ? size
      : Math.max(size, await this.#options.files.hostOutputBytes(wholeOutputPath));
  }

  /**
   * Returns the short form of a large draft, for when there is no time for all of it: the host's own shortened text or
   * the beginning, marked as unfinished, and an event that says how much is missing. For a prompt or an event only the
   * latter, since it is recorded in full when the session continues.
   */
  async prepareShort(sessionID: string, draft: Draft, size: number): Promise<PreparedEntry[]> {
    const isTooLarge = size > MAX_OUTPUT_BYTES;
    const why = isTooLarge
      ? `More than ${MAX_OUTPUT_BYTES / 2 ** 20} MiB are not recorded.`
      : "The process ended before the rest could be written.";
    const short = shortForm(draft, why, !isTooLarge);
    const event = missingEvent(draft, short, why, size);
    const wanted = event && this.#isWanted(draft.entry) ? [event] : [];
    // Always inline, since a file named after the call is for the full output.
    const ready = await this.#readyEntries(sessionID, [...(short ? [short] : []), ...wanted]);
    return ready.map((entry) => ({ entry }));
  }

  /** Prepares a batch, without the drafts that are not to be recorded. */
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
    const ended = { ...entry, ...recordedEnd(entry), ...given({ attachments }) };
    if (wholeOutputPath === undefined) return ended;
    const output = await this.#options.files.readHostOutput(wholeOutputPath);
    // Uses the shortened output until the host file can be read.
    return output === undefined ? { ...ended, unfinished: true } : { ...ended, output };
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
  async #redacted(entries: readonly TranscriptEntry[]): Promise<TranscriptEntry[]> {
    const known = entries.map((entry) => this.#knownInput(entry));
    const fields = entries.map((entry, at) => writtenFields(entry, known[at] !== undefined));
    const values = await this.#options.redaction.values(fields);
    return entries.map((entry, at) => {
      const redacted: TranscriptEntry = Object.assign({}, entry, known[at], values[at]);
      if ("callID" in entry && "callID" in redacted && redacted.callID !== entry.callID) {
        // Stays unique, because files are named after it and results are matched by it.
        redacted.callID = `redacted_${createHash("sha256").update(entry.callID).digest("hex").slice(0, 16)}`;
      }
      if (entry.type === "tool_use" && redacted.type === "tool_use" && isObject(entry.input)) {
        this.#inputs.set(entry.input, { input: redacted.input });
      }
      return redacted;
    });
  }

  /** Redacts pieces of a text again together with the text before them, since a secret may span both. */
  #continued(drafts: readonly Draft[], redacted: readonly TranscriptEntry[]): Promise<TranscriptEntry[]> {
    return Promise.all(
      redacted.map(async (entry, at) => {
        const { entry: raw, before } = drafts[at] ?? {};
        if (before === undefined || raw === undefined || !("content" in raw)) return entry;
        return { ...entry, content: await this.#options.redaction.text(raw.content, before) };
      }),
    );
  }

  /** Returns the redacted input of a result, cached when its call was prepared; both have the same object. */
  #knownInput(entry: TranscriptEntry): { input: unknown } | undefined {
    return entry.type === "tool_result" && isObject(entry.input) ? this.#inputs.get(entry.input) : undefined;
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

/** Returns the beginning of a large draft; undefined if part of it would be useless. `canGoOn`: all of it is recorded later. */
function shortForm({ entry, files, before }: Draft, why: string, canGoOn: boolean): Draft | undefined {
  const mark = canGoOn ? { unfinished: true } : {};
  switch (entry.type) {
    case "user":
    case "session_event":
      return undefined;
    case "assistant":
    case "reasoning":
      return { entry: { ...entry, content: beginning(entry.content, MAX_SHORT_CHARS), ...mark }, ...given({ before }) };
    case "tool_use":
      return { entry: { ...entry, input: shortStrings(entry.input), ...mark } };
    case "tool_result": {
      const attachments = files?.map(({ mime, filename }) => ({ mime, ...given({ filename }), missing: why }));
      const input = shortStrings(entry.input);
      return { entry: { ...entry, input, output: shortOutput(entry.output), ...mark, ...given({ attachments }) } };
    }
  }
}

/** Returns an event that says how much is missing. Undefined if only a result's input is large, since its call has one. */
function missingEvent(draft: Draft, short: Draft | undefined, why: string, size: number): Draft | undefined {
  const { entry, files = [], wholeOutputPath } = draft;
  const { messageID, partID, timestamp, type } = entry;
  const ofPart = given({ messageID, partID, eventID: partID === undefined ? messageID : undefined });
  const event = { type: "session_event" as const, timestamp, ...ofPart };
  const inFiles = files.reduce((sum, { url }) => sum + url.length, 0);
  if (entry.type !== "tool_result") {
    const name = entry.type === "tool_use" ? `a call of ${entry.tool}` : NAMES[entry.type];
    const chars = inFiles + ("content" in entry ? entry.content.length : charsIn(writtenFields(entry, false)));
    const isPart = short ? "only the beginning is" : "nothing is";
    const text = `Of ${name}, ${count(chars)} characters, ${isPart} recorded here. ${why}`;
    const data = { type, ...given({ callID: "callID" in entry ? entry.callID : undefined }), chars };
    return { entry: { ...event, name: "missing text", text, data } };
  }
  const { callID, tool, output } = entry;
  const bytes = wholeOutputPath === undefined ? inFiles + outputFileText(output).length : size;
  const recorded = outputFileText(shortOutput(output)).length;
  if (recorded === bytes) return undefined;
  const text = [
    `Of the output of ${tool}, ${count(bytes)} bytes, ${count(recorded)} characters are recorded above. ${why}`,
    ...(wholeOutputPath === undefined ? [] : [`The host put the whole output in ${wholeOutputPath}.`]),
  ].join(" ");
  const data = { callID, bytes, ...given({ path: wholeOutputPath }) };
  return { entry: { ...event, name: "missing output", text, data } };
}

const NAMES = { user: "a prompt", assistant: "an answer", reasoning: "a reasoning", session_event: "an event" };

function shortOutput(output: unknown): unknown {
  const text = outputFileText(output);
  return text.length <= MAX_SHORT_CHARS ? output : beginning(text, MAX_SHORT_CHARS);
}

/** Cuts at the end of a line, so that no secret is split. */
function beginning(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const lineEnd = text.lastIndexOf("\n", maxChars);
  return `${text.slice(0, lineEnd === -1 ? maxChars : lineEnd)}\n... (truncated)`;
}

/** Cuts the long strings of a value; returns an empty object if it is still long. */
function shortStrings(value: unknown): unknown {
  if (charsIn(value) <= MAX_SHORT_CHARS) return value;
  const json = JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "string" ? beginning(member, MAX_SHORT_INPUT_CHARS) : member,
  );
  return json.length <= MAX_SHORT_CHARS ? JSON.parse(json) : {};
}

/** Counts the characters of all strings in a value, plus one for each member. */
function charsIn(root: unknown): number {
  let chars = 0;
  const rest = [root];
  while (rest.length > 0) {
    const value = rest.pop();
    chars += typeof value === "string" ? value.length : 1;
    if (isObject(value)) for (const [key, member] of Object.entries(value)) rest.push(key, member);
  }
  return chars;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
