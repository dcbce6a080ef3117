import type { AssistantMessageEntry, ReasoningEntry } from "../../format/entries.ts";
import { given, isoTime, type Draft } from "../draft.ts";
import type { TextRecord, UsageRecord } from "../records.ts";
import { ORDER_MS, USAGE_MS, type Item } from "./item.ts";
import type { MessageFacts } from "./messages.ts";

/**
 * A text or a reasoning of the assistant. It is open while it is streamed. If its turn is forced, what there is
 * of it is written, and the rest later as a continuation.
 */
export class TextItem implements Item {
  readonly key: string;
  readonly messageID: string;
  readonly patienceMs = ORDER_MS;
  reasoning: boolean;
  readySinceMs: number | undefined;
  betterAfterMs: number | undefined;
  /** It was cut by the recorder, not by the host. */
  interrupted = false;
  #text = "";
  #startMs: number | undefined;
  #usage: UsageRecord | undefined;
  #wasForced = false;
  #written: string | undefined;
  #replaces = false;
  readonly #facts: () => MessageFacts;
  readonly #nowMs: () => number;

  constructor(record: TextRecord, facts: () => MessageFacts, nowMs: () => number) {
    this.key = record.partID;
    this.messageID = record.messageID;
    this.reasoning = record.reasoning;
    this.#facts = facts;
    this.#nowMs = nowMs;
    this.update(record);
  }

  /** Takes the host's view of the whole text. */
  update(record: TextRecord): void {
    // A snapshot of an open text may be older than the deltas that have come since.
    if (record.done || record.text.length >= this.#text.length) this.#text = record.text;
    this.reasoning = record.reasoning;
    this.#startMs ??= record.startMs;
    if (record.done) this.end();
  }

  append(delta: string): void {
    this.#text += delta;
  }

  /** Ends it as it stands: what the host made of it in the end is not known. */
  cut(): void {
    // A text that has its end only waits for its turn.
    if (this.readySinceMs === undefined) this.interrupted = true;
    this.end();
    this.hurry();
  }

  /** No more is streamed into it; its usage may follow within moments. */
  end(): void {
    if (this.readySinceMs !== undefined) return;
    this.readySinceMs = this.#nowMs();
    if (!this.reasoning) this.betterAfterMs = this.readySinceMs + USAGE_MS;
  }

  get text(): string {
    return this.#text;
  }

  /** The host changed a text that stands in the transcript already. */
  replaceWritten(): void {
    this.#replaces = true;
  }

  get isEmpty(): boolean {
    return this.#text === "";
  }

  /** Whether its turn came before its end. */
  get wasForced(): boolean {
    return this.#wasForced;
  }

  carryUsage(usage: UsageRecord): void {
    this.#usage = usage;
    this.betterAfterMs = undefined;
  }

  /** Writes no later than its turn: what would have been better did not come. */
  hurry(): void {
    this.betterAfterMs = undefined;
  }

  take(early: boolean): Draft[] {
    if (early) this.#wasForced = true;
    const content = early && !this.#replaces ? withoutLastWord(this.#text) : this.#text;
    if (early && !this.isEmpty) this.#written = content;
    const entry = { ...this.#entry(content), ...(early ? { unfinished: true } : {}) };
    if (this.#replaces) return [{ entry: { ...entry, continues: "replace" } }];
    return this.isEmpty ? [] : [{ entry }];
  }

  /** What is left to write after a forced turn, once the text has ended. */
  takeRest(): Draft[] {
    const written = this.#written;
    if (written === undefined) return this.take(false);
    if (!this.#text.startsWith(written)) return [{ entry: { ...this.#entry(this.#text), continues: "replace" } }];
    const rest = this.#text.slice(written.length);
    return rest === "" ? [] : [{ entry: { ...this.#entry(rest), continues: "append" }, before: written }];
  }

  #entry(content: string): AssistantMessageEntry | ReasoningEntry {
    const { agent, model, aborted } = this.#facts();
    return {
      type: this.reasoning ? "reasoning" : "assistant",
      timestamp: isoTime(this.#startMs, this.#nowMs()),
      messageID: this.messageID,
      partID: this.key,
      content,
      ...given({ agent, model, tokens: this.#usage?.tokens, cost: this.#usage?.cost }),
      ...(this.interrupted || aborted ? { interrupted: true } : {}),
      ...(this.interrupted ? { unfinished: true } : {}),
    };
  }
}

/** A word that is longer is not kept back. */
const MAX_WORD = 4096;

/**
 * A text that goes on, without its last word: that may be the beginning of a secret, which shows only when it is whole.
 * A text of one word is left as it is, for it must take its place.
 */
function withoutLastWord(text: string): string {
  let start = text.length;
  while (start > 0 && text.length - start <= MAX_WORD && !/\s/.test(text.charAt(start - 1))) start--;
  return start === 0 || text.length - start > MAX_WORD ? text : text.slice(0, start);
}
