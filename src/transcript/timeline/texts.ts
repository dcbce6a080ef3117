import { given } from "../../given.ts";
import type { TextDeltaRecord, TextRecord } from "../records.ts";
import type { AssistantMessageEntry, ReasoningEntry } from "../format/entry-types.ts";
import { isoTime, type Draft } from "../entry-draft.ts";
import { textEntry } from "../record-entries.ts";
import { type Item, keyOf } from "./item-queue.ts";
import type { Stage } from "./stage.ts";

/** Texts and reasonings of the assistant that the host has not ended. */
export class Texts {
  /** The user stopped the assistant, so unfinished texts are incomplete even if the host reports their end. */
  aborting = false;
  readonly #open = new Map<string, TextItem>();
  /** Text written last, as long as nothing of its message has followed. */
  #latest: TextItem | undefined;
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get size(): number {
    return this.#open.size;
  }

  /** A text is being streamed, and nothing has followed it. */
  get isStreaming(): boolean {
    return [...this.#open.values()].some((text) => text.place === "open" && text.endsWithNext);
  }

  accept(record: TextRecord): void {
    const { written } = this.#stage;
    if (!written.isNews(record.partID, record.done ? record.text : undefined)) return;
    const known = this.#open.get(record.partID);
    if (known) known.update(record);
    const text = known ?? this.#add(record);
    if (written.has(record.partID)) text.replaces = true;
    if (record.done) this.#complete(text);
  }

  /** Appends to a text. The delta may come before the record of the text. */
  append(record: TextDeltaRecord): void {
    const { partID, delta } = record;
    const known = this.#open.get(partID);
    if (!known && this.#stage.written.has(partID)) return;
    const text = known ?? this.#add({ ...record, kind: "text", text: "", done: false });
    text.text += delta;
  }

  /** Ends a text that is no longer streamed, with what there is of it. */
  cut(partID: string): void {
    const text = this.#open.get(partID);
    if (!text) return;
    if (text.dueMs === undefined) text.interrupted = true;
    text.end();
    this.#complete(text);
  }

  cutAll(): void {
    for (const partID of this.#open.keys()) this.cut(partID);
  }

  /** Forgets a text that is written whole. */
  close(text: TextItem): void {
    this.#open.delete(text.partID);
    this.#stage.written.add(text.partID, text.text);
    this.#latest = text;
  }

  /** Notes that another part of the message has begun. */
  follow(messageID: string): void {
    if (this.#latest?.messageID === messageID) this.#latest = undefined;
  }

  /** Marks the last text of a message that was stopped; opencode 2.x reports its end before that. */
  stop(messageID: string): void {
    const text = this.#latest?.messageID === messageID ? this.#latest : undefined;
    this.#latest = undefined;
    if (text) this.#stage.emit(text.takeStop());
  }

  #add(record: TextRecord): TextItem {
    const text = new TextItem(record, this.#stage, this);
    this.#open.set(record.partID, text);
    this.#stage.queue.add(text);
    return text;
  }

  /** Writes the rest of a text that has its place; one without waits in the queue. */
  #complete(text: TextItem): void {
    if (text.place === "taken") this.#stage.emit(text.takeRest());
  }
}

/**
 * Text or reasoning of the assistant. It is complete when its end comes or anything follows it; what comes of it later is
 * written as a continuation.
 */
class TextItem implements Item {
  readonly key: string;
  readonly partID: string;
  readonly messageID: string;
  /** `open`: it waits for its place in the queue. */
  place: "open" | "taken" = "open";
  reasoning: boolean;
  dueMs: number | undefined;
  /** The recorder ended it, not the host. */
  interrupted = false;
  text = "";
  #startMs: number | undefined;
  #written: string | undefined;
  /** Its entry says that the message was stopped. */
  #isMarked = false;
  /** The host changed a text that is written already. */
  replaces = false;
  readonly #stage: Stage;
  readonly #texts: Texts;

  constructor(record: TextRecord, stage: Stage, texts: Texts) {
    this.key = keyOf(record);
    this.partID = record.partID;
    this.messageID = record.messageID;
    this.reasoning = record.reasoning;
    this.#stage = stage;
    this.#texts = texts;
    this.update(record);
  }

  /** Of a text that has not begun nothing is known yet. */
  get endsWithNext(): boolean {
    return this.text !== "";
  }

  /** Applies the host's record of the whole text. */
  update(record: TextRecord): void {
    const { text = this.text } = record;
    // A snapshot of an unfinished text may be older than deltas received since.
    if (record.done || text.length >= this.text.length) this.text = text;
    this.reasoning = record.reasoning;
    this.#startMs ??= record.startMs;
    if (record.done) this.end();
  }

  end(): void {
    this.dueMs ??= this.#stage.nowMs();
  }

  take(): Draft[] {
    this.place = "taken";
    if (this.dueMs === undefined) return this.takeSoFar();
    this.#texts.close(this);
    return this.#whole(this.text);
  }

  /** Returns the text so far. What may be the beginning of a secret is left for the rest. */
  takeSoFar(): Draft[] {
    this.place = "taken";
    const content = this.replaces ? this.text : this.text.slice(0, endOfSafePart(this.text));
    if (this.text === "") return [];
    this.#written = content;
    const isWhole = content.length === this.text.length;
    return this.#whole(content).map(({ entry }) => ({ entry: isWhole ? entry : { ...entry, unfinished: true } }));
  }

  /** Returns what is not written yet of a text that has its place, once it has ended. */
  takeRest(): Draft[] {
    const written = this.#written;
    this.#texts.close(this);
    if (written === undefined) return this.#whole(this.text);
    if (!this.text.startsWith(written)) return [{ entry: { ...this.#entry(this.text), continues: "replace" } }];
    const rest = this.text.slice(written.length);
    return rest === "" ? [] : [{ entry: { ...this.#entry(rest), continues: "append" }, before: written }];
  }

  /** Returns the entry that marks a text as incomplete after it was written. */
  takeStop(): Draft[] {
    const isMarked = this.interrupted || this.text === "" || this.#isMarked;
    return isMarked ? [] : [{ entry: { ...this.#entry(""), continues: "append", interrupted: true } }];
  }

  #whole(content: string): { entry: AssistantMessageEntry | ReasoningEntry }[] {
    if (this.replaces) return [{ entry: { ...this.#entry(content), continues: "replace" } }];
    return this.text === "" ? [] : [{ entry: this.#entry(content) }];
  }

  #entry(content: string): AssistantMessageEntry | ReasoningEntry {
    const { messages, nowMs } = this.#stage;
    const { agent, model, aborted, completed } = messages.of(this.messageID);
    const hasEnded = this.dueMs !== undefined;
    const isCutOff = hasEnded && (aborted === true || (this.#texts.aborting && completed !== true));
    this.#isMarked = isCutOff;
    // The usage of the model call names the model; a call that was cut off may have none.
    const isMarked = this.interrupted || isCutOff;
    const timestamp = isoTime(this.#startMs, nowMs());
    const place = { timestamp, messageID: this.messageID, partID: this.partID };
    return {
      ...textEntry(place, { reasoning: this.reasoning, content }, { agent, ...(isMarked ? given({ model }) : {}) }),
      ...(isMarked ? { interrupted: true } : {}),
      ...(this.interrupted ? { unfinished: true } : {}),
    };
  }
}

/** Longest word held back, in characters. */
const MAX_WORD = 4096;
/** A word of letters only, as they end texts, or the first letters of a secret. */
const PLAIN_WORD = /^\p{L}{0,20}$/u;
/** A text that ends otherwise, mostly with punctuation, does not end within a secret. */
const WITHIN_WORD = /[\w+/=-]$/;

/**
 * Returns the end of the part of an unfinished text that can be written: without its last word, if that may be the
 * beginning of a secret which only the whole word reveals. A text that something follows has mostly ended, so its last word
 * is held back only if it does not look like the end of a sentence.
 */
function endOfSafePart(text: string): number {
  let start = text.length;
  while (start > 0 && text.length - start <= MAX_WORD && !/\s/.test(text.charAt(start - 1))) start--;
  const word = text.slice(start);
  if (word.length > MAX_WORD) return text.length;
  return WITHIN_WORD.test(word) && !PLAIN_WORD.test(word) ? start : text.length;
}
