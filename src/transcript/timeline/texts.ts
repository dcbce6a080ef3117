import { given } from "../../given.ts";
import type { TextDeltaRecord, TextRecord } from "../records.ts";
import { type Item, ORDER_MS, type Stage, keyOf } from "./stage.ts";
import type { AssistantMessageEntry, ReasoningEntry } from "../format/entry-types.ts";
import { isoTime, type Draft } from "../entry-draft.ts";
import { textEntry } from "../record-entries.ts";

/** Texts and reasonings of the assistant that are not fully written. */
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

  messageIDs(): string[] {
    return Array.from(this.#open.values(), ({ messageID }) => messageID);
  }

  accept(record: TextRecord): void {
    const { written } = this.#stage;
    if (!written.isNews(record.partID, record.done ? record.text : undefined)) return;
    const known = this.#open.get(record.partID);
    if (known) known.update(record);
    const text = known ?? this.#add(record);
    if (written.has(record.partID)) text.replaces = true;
    if (!record.done) return;
    if (text.wasForced) this.#stage.emit(text.takeRest());
  }

  /** Appends to a text. The delta may come before the record of the text. */
  append(record: TextDeltaRecord): void {
    const { partID, delta } = record;
    const known = this.#open.get(partID);
    if (!known && this.#stage.written.has(partID)) return;
    const text = known ?? this.#add({ ...record, kind: "text", reasoning: false, text: "", done: false });
    text.text += delta;
  }

  /** Ends a text that is no longer streamed. */
  cut(partID: string): void {
    const text = this.#open.get(partID);
    if (!text) return;
    text.cut();
    if (text.wasForced) this.#stage.emit(text.takeRest());
  }

  cutAll(): void {
    for (const partID of this.#open.keys()) this.cut(partID);
  }

  #add(record: TextRecord): TextItem {
    const text = new TextItem(record, this.#stage, this);
    this.#open.set(record.partID, text);
    this.#stage.queue.add(text);
    return text;
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
}

/**
 * Text or reasoning of the assistant, unfinished while it is streamed. If its turn is forced, the text so far is written,
 * and the rest later as a continuation.
 */
class TextItem implements Item {
  readonly key: string;
  readonly partID: string;
  readonly messageID: string;
  readonly patienceMs = ORDER_MS;
  reasoning: boolean;
  readySinceMs: number | undefined;
  readonly betterAfterMs = undefined;
  /** The recorder ended it, not the host. */
  interrupted = false;
  text = "";
  #startMs: number | undefined;
  /** Its turn came before it ended. */
  wasForced = false;
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

  /** Applies the host's record of the whole text. */
  update(record: TextRecord): void {
    const { text = this.text } = record;
    // A snapshot of an unfinished text may be older than deltas received since.
    if (record.done || text.length >= this.text.length) this.text = text;
    this.reasoning = record.reasoning;
    this.#startMs ??= record.startMs;
    if (record.done) this.end();
  }

  /** Ends it with the text so far, because the host reported no end. */
  cut(): void {
    // A finished text only waits for its turn.
    if (this.readySinceMs === undefined) this.interrupted = true;
    this.end();
  }

  end(): void {
    this.readySinceMs ??= this.#stage.nowMs();
  }

  take(early: boolean): Draft[] {
    if (early) this.wasForced = true;
    else this.#texts.close(this);
    const content = early && !this.replaces ? withoutLastWord(this.text) : this.text;
    if (early && this.text !== "") this.#written = content;
    const entry = { ...this.#entry(content), ...(early ? { unfinished: true } : {}) };
    if (this.replaces) return [{ entry: { ...entry, continues: "replace" } }];
    return this.text === "" ? [] : [{ entry }];
  }

  /** Returns the rest to write after a forced turn, once the text has ended. */
  takeRest(): Draft[] {
    const written = this.#written;
    if (written === undefined) return this.take(false);
    this.#texts.close(this);
    if (!this.text.startsWith(written)) return [{ entry: { ...this.#entry(this.text), continues: "replace" } }];
    const rest = this.text.slice(written.length);
    return rest === "" ? [] : [{ entry: { ...this.#entry(rest), continues: "append" }, before: written }];
  }

  /** Returns the entry that marks a text as incomplete after it was written. */
  takeStop(): Draft[] {
    const isMarked = this.interrupted || this.text === "" || this.#isMarked;
    return isMarked ? [] : [{ entry: { ...this.#entry(""), continues: "append", interrupted: true } }];
  }

  #entry(content: string): AssistantMessageEntry | ReasoningEntry {
    const { messages, nowMs } = this.#stage;
    const { agent, model, aborted, completed } = messages.of(this.messageID);
    const isCutOff = aborted === true || (this.#texts.aborting && completed !== true);
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

/**
 * Cuts the last word of an unfinished text, since it may be the beginning of a secret that only the whole word reveals.
 * A text of one word is left as it is, because the entry must take its position.
 */
function withoutLastWord(text: string): string {
  let start = text.length;
  while (start > 0 && text.length - start <= MAX_WORD && !/\s/.test(text.charAt(start - 1))) start--;
  return start === 0 || text.length - start > MAX_WORD ? text : text.slice(0, start);
}
