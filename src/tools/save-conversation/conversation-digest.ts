import { recordedStatus } from "../../calls/ending.ts";
import type {
  SessionEventEntry,
  ToolResultEntry,
  TranscriptEntry,
  TranscriptHeader,
  TranscriptItem,
  TranscriptProblem,
} from "../../transcript/format/entry-types.ts";
import { patchedPaths } from "../../fixes/targets.ts";
import { givenTitle } from "../../parse/titles.ts";
import { countOf, fieldOf, textOf } from "../../parse/json-fields.ts";
import { type PricedMessage, setCost } from "../../parse/message-builder.ts";
import type { Pricing } from "../../parse/pricing.ts";
import { modelAndProvider } from "../../parse/sources/transcript-fields.ts";
import { UsageSum, type UsageTotals } from "../../parse/usage-ledger.ts";

/** Maximum number of prompts and errors kept; later ones are only counted. */
const MAX_KEPT = 20;
/** Maximum characters kept of a prompt or an error; far more than is shown. */
const MAX_KEPT_CHARS = 20_000;
/** Number of the assistant's texts kept. */
const MAX_TEXTS = 3;
const MAX_FILES = 1_000;

/** Summary of a session from one pass over its transcript. */
export interface Digest {
  header: TranscriptHeader | undefined;
  /** The host's title; undefined while it is only a placeholder. */
  title: string | undefined;
  userMessages: number;
  /** Number of the model's answers: messages, not their parts. */
  assistantMessages: number;
  toolCalls: number;
  /** Does not include interrupted and refused calls. */
  failedCalls: number;
  /** The first errors: failed calls and session errors. */
  errors: { source: string; message: string }[];
  errorCount: number;
  usage: Usage;
  models: string[];
  files: { path: string; changed: boolean }[];
  /** The first prompts, except those without words of the user. */
  prompts: string[];
  promptCount: number;
  /** The assistant's last texts, latest last. */
  lastTexts: string[];
  /** The host's summary from the last compaction. */
  hostSummary: string | undefined;
  subagents: { sessionID: string; path: string | undefined }[];
  /** Number of entries that could not be written, and of places that cannot be read. */
  missing: number;
  firstTimestamp: string | undefined;
  lastTimestamp: string | undefined;
}

/**
 * Reads a transcript once, in memory bounded by its longest entry. `fileName` returns the display name of a touched
 * file, or undefined to leave it out. `pricing` returns the cost of answers for which the host recorded 0.
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
  /** Files, each with whether it was changed. */
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
    // A digest does not need outputs saved in files, so missing ones do not matter.
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
        // An entry that replaces a call is not another call.
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
    this.#digest.usage.addAnswer({ counts, cost, model, timestamp }, this.#pricing);
  }

  #text({ agent, partID, continues, content }: Extract<TranscriptEntry, { type: "assistant" }>): void {
    // opencode's agent with this name writes the summary from which the conversation continues.
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
    if (name === "missing entries") digest.missing += countOf(data, "missing") ?? 1;
    if (name === "torn entry") digest.missing += 1;
    if (name === "error" && textOf(data, "name") !== "MessageAbortedError") this.#error("session", text ?? "");
    if (name === "usage") {
      const model = textOf(data, "model");
      if (model !== undefined) this.#models.add(model);
      const answer = { counts: fieldOf(data, "tokens"), cost: countOf(data, "cost"), model, timestamp };
      digest.usage.addAnswer(answer, this.#pricing);
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
    usage: new Usage(),
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

/** opencode's tools that change the file in `filePath`. */
const CHANGING_TOOLS = new Set(["edit", "write", "multiedit"]);
const PATCHING_TOOLS = new Set(["apply_patch", "patch"]);
const READING_TOOLS = new Set(["read"]);

/** Returns the files that a successful call changed, as far as its input shows. */
function changedFiles({ tool, input }: ToolResultEntry): string[] {
  if (CHANGING_TOOLS.has(tool)) return listed(textOf(input, "filePath"));
  return PATCHING_TOOLS.has(tool) ? patchedPaths(textOf(input, "patchText") ?? "") : [];
}

function readFiles({ tool, input }: ToolResultEntry): string[] {
  return READING_TOOLS.has(tool) ? listed(textOf(input, "filePath")) : [];
}

function listed(path: string | undefined): string[] {
  return path === undefined ? [] : [path];
}

interface Answer {
  /** The host's numbers of tokens; anything else is ignored. */
  counts: unknown;
  /** US dollars, as recorded by the host. */
  cost: number | undefined;
  /** `provider/model` */
  model: string | undefined;
  timestamp: string;
}

export class Usage {
  readonly #sum = new UsageSum();
  /** Part of the output. */
  reasoning = 0;

  /** A recorded cost of 0 is replaced by the price of the tokens, if there is one. */
  addAnswer({ counts, cost, model, timestamp }: Answer, pricing: Pricing): void {
    const of = (kind: string): number => countOf(counts, kind) ?? 0;
    const reasoning = of("reasoning");
    const tokens = {
      tokensIn: of("input"),
      tokensOut: of("output") + reasoning,
      cacheRead: of("cacheRead"),
      cacheWrite: of("cacheWrite"),
    };
    const named = { model: null, provider: null, ...modelAndProvider(model) };
    const message: PricedMessage = { ...named, timestamp, cost_usd: null, metadata: {} };
    if (cost !== undefined) setCost(message, tokens, cost, pricing);
    const isEstimate = message.metadata.cost_is_estimate === true;
    this.#sum.add({ ...tokens, model: named.model, costUsd: message.cost_usd, isEstimate, isLowerBound: false });
    this.reasoning += reasoning;
  }

  addAll(other: Usage): void {
    this.#sum.addAll(other.#sum);
    this.reasoning += other.reasoning;
  }

  totals(): UsageTotals {
    return this.#sum.totals();
  }
}
