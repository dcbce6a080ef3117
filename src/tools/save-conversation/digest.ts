import { recordedStatus } from "../../calls/ending.ts";
import type {
  SessionEventEntry,
  ToolResultEntry,
  TranscriptEntry,
  TranscriptHeader,
  TranscriptItem,
  TranscriptProblem,
} from "../../format/entries.ts";
import type { Pricing } from "../../parse/pricing.ts";
import { givenTitle } from "../../parse/titles.ts";
import { fieldOf, numberOf, textOf } from "./fields.ts";
import { changedFiles, readFiles } from "./touched-files.ts";
import { addAnswer, noUsage, type Usage } from "./usage.ts";

/** Prompts and errors that are kept; of later ones only the number is. */
const MAX_KEPT = 20;
/** Characters that are kept of a prompt or an error; far more than is shown of it. */
const MAX_KEPT_CHARS = 20_000;
/** Texts of the assistant that are kept. */
const MAX_TEXTS = 3;
/** Files that are kept. */
const MAX_FILES = 1_000;

/** What one pass over a transcript tells of its session. */
export interface Digest {
  header: TranscriptHeader | undefined;
  /** The host's title; undefined while it is the host's placeholder. */
  title: string | undefined;
  userMessages: number;
  /** Answers of the model: messages, not their parts. */
  assistantMessages: number;
  toolCalls: number;
  /** Interrupted and refused calls did not fail. */
  failedCalls: number;
  /** The first errors: failed calls, errors of the session. */
  errors: { source: string; message: string }[];
  errorCount: number;
  usage: Usage;
  models: string[];
  files: { path: string; changed: boolean }[];
  /** The first prompts; those without words of the user are left out. */
  prompts: string[];
  promptCount: number;
  /** The assistant's last texts, the latest last. */
  lastTexts: string[];
  /** What the host made of the conversation when it was last compacted. */
  hostSummary: string | undefined;
  subagents: { sessionID: string; path: string | undefined }[];
  /** Entries that could not be written, and places that cannot be read. */
  missing: number;
  firstTimestamp: string | undefined;
  lastTimestamp: string | undefined;
}

/**
 * Reads a transcript once, in memory bounded by its longest entry.
 * `fileName` gives a touched file's name for people; undefined leaves the file out.
 * `pricing` gives the cost of answers for which the host recorded 0.
 */
export async function digestOf(
  items: AsyncIterable<TranscriptItem>,
  fileName: (path: string) => string | undefined = (path) => path,
  pricing: Pricing = () => null,
): Promise<Digest> {
  const builder = new DigestBuilder(fileName, pricing);
  for await (const item of items) builder.add(item);
  return builder.digest();
}

class DigestBuilder {
  readonly #fileName: (path: string) => string | undefined;
  readonly #pricing: Pricing;
  readonly #digest: Digest = emptyDigest();
  readonly #userMessages = new Set<string>();
  readonly #answers = new Set<string>();
  readonly #models = new Set<string>();
  /** Whether each file was changed. */
  readonly #files = new Map<string, boolean>();
  readonly #subagents = new Map<string, string | undefined>();
  readonly #texts: { partID: string | undefined; content: string }[] = [];
  readonly #summaries: { partID: string | undefined; content: string }[] = [];

  constructor(fileName: (path: string) => string | undefined, pricing: Pricing) {
    this.#fileName = fileName;
    this.#pricing = pricing;
  }

  add(item: TranscriptItem): void {
    if (item.kind === "entry") this.#entry(item.entry);
    else if (item.kind === "problem") this.#problem(item.problem);
    else {
      this.#digest.header ??= item.header;
      this.#digest.title ??= givenTitle(item.header.title) ?? undefined;
    }
  }

  digest(): Digest {
    const files = [...this.#files].map(([path, changed]) => ({ path, changed }));
    return {
      ...this.#digest,
      userMessages: this.#digest.userMessages + this.#userMessages.size,
      assistantMessages: this.#answers.size,
      models: [...this.#models],
      lastTexts: this.#texts.map(({ content }) => content),
      hostSummary: this.#summaries.at(-1)?.content,
      files: files.toSorted((a, b) => Number(b.changed) - Number(a.changed)),
      subagents: [...this.#subagents].map(([sessionID, path]) => ({ sessionID, path })),
    };
  }

  #problem({ code }: TranscriptProblem): void {
    // Whole outputs are not read for a digest, and so not missed.
    if (code !== "missing_output") this.#digest.missing += 1;
  }

  #entry(entry: TranscriptEntry): void {
    const digest = this.#digest;
    const { timestamp } = entry;
    if (!(digest.firstTimestamp !== undefined && digest.firstTimestamp <= timestamp)) digest.firstTimestamp = timestamp;
    if (!(digest.lastTimestamp !== undefined && digest.lastTimestamp >= timestamp)) digest.lastTimestamp = timestamp;
    switch (entry.type) {
      case "user":
        return this.#user(entry);
      case "assistant":
        this.#text(entry);
        return this.#answer(entry);
      case "reasoning":
        return this.#answer(entry);
      case "tool_use":
        // What replaces a call is no further one.
        if (entry.continues === undefined) digest.toolCalls += 1;
        return this.#answer(entry);
      case "tool_result":
        return this.#result(entry);
      case "session_event":
        return this.#event(entry);
    }
  }

  #user({ messageID, content }: Extract<TranscriptEntry, { type: "user" }>): void {
    if (messageID === undefined) this.#digest.userMessages += 1;
    else this.#userMessages.add(messageID);
    if (content.trim() === "") return;
    this.#digest.promptCount += 1;
    if (this.#digest.prompts.length < MAX_KEPT) this.#digest.prompts.push(content.slice(0, MAX_KEPT_CHARS));
  }

  #answer(entry: Extract<TranscriptEntry, { type: "assistant" | "reasoning" | "tool_use" }>): void {
    if (entry.messageID !== undefined) this.#answers.add(entry.messageID);
    if (entry.type === "tool_use") return;
    if (entry.model !== undefined) this.#models.add(entry.model);
    const { tokens: counts, cost, model, timestamp } = entry;
    addAnswer(this.#digest.usage, { counts, cost, model, timestamp }, this.#pricing);
  }

  #text({ agent, partID, continues, content }: Extract<TranscriptEntry, { type: "assistant" }>): void {
    // opencode's agent of this name writes the summary that the conversation goes on from.
    const texts = agent === "compaction" ? this.#summaries : this.#texts;
    const earlier = continues === undefined ? undefined : texts.find((text) => text.partID === partID);
    if (!earlier) texts.push({ partID, content });
    else earlier.content = continues === "append" ? earlier.content + content : content;
    if (texts.length > MAX_TEXTS) texts.shift();
  }

  #result(entry: ToolResultEntry): void {
    if (entry.subagent) this.#subagents.set(entry.subagent.sessionID, entry.subagent.path);
    const text = typeof entry.output === "string" ? entry.output : (JSON.stringify(entry.output) ?? "");
    const { status, isError, exitCode } = recordedStatus(entry, text);
    if (status === "error") {
      this.#digest.failedCalls += 1;
      const isExit = !isError && exitCode !== undefined && exitCode !== 0;
      const command = entry.title ?? textOf(entry.input, "command") ?? "";
      return this.#error(entry.tool, isExit ? `exit code ${exitCode}: ${command}` : text);
    }
    if (status !== "completed") return;
    for (const path of changedFiles(entry)) this.#touch(path, true);
    for (const path of readFiles(entry)) this.#touch(path, false);
  }

  #event({ name, text, data, timestamp }: SessionEventEntry): void {
    const digest = this.#digest;
    if (name === "title") digest.title = givenTitle(text) ?? digest.title;
    if (name === "missing entries") digest.missing += numberOf(data, "missing") ?? 1;
    if (name === "torn entry") digest.missing += 1;
    if (name === "error" && textOf(data, "name") !== "MessageAbortedError") this.#error("session", text ?? "");
    if (name === "usage") {
      const model = textOf(data, "model");
      if (model !== undefined) this.#models.add(model);
      const answer = { counts: fieldOf(data, "tokens"), cost: numberOf(data, "cost"), model, timestamp };
      addAnswer(digest.usage, answer, this.#pricing);
    }
    const files = name === "patch" ? fieldOf(data, "files") : undefined;
    if (Array.isArray(files)) for (const file of files) if (typeof file === "string") this.#touch(file, true);
  }

  #error(source: string, message: string): void {
    this.#digest.errorCount += 1;
    const kept = { source, message: message.slice(0, MAX_KEPT_CHARS) };
    if (this.#digest.errors.length < MAX_KEPT) this.#digest.errors.push(kept);
  }

  #touch(path: string, changed: boolean): void {
    const name = this.#fileName(path);
    if (name === undefined) return;
    const known = this.#files.get(name);
    if (known === undefined && this.#files.size >= MAX_FILES) return;
    this.#files.set(name, changed || known === true);
  }
}

function emptyDigest(): Digest {
  return {
    header: undefined,
    title: undefined,
    userMessages: 0,
    assistantMessages: 0,
    toolCalls: 0,
    failedCalls: 0,
    errors: [],
    errorCount: 0,
    usage: noUsage(),
    models: [],
    files: [],
    prompts: [],
    promptCount: 0,
    lastTexts: [],
    hostSummary: undefined,
    subagents: [],
    missing: 0,
    firstTimestamp: undefined,
    lastTimestamp: undefined,
  };
}
