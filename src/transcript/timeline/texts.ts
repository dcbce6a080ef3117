import type { TextDeltaRecord, TextRecord, UsageRecord } from "../records.ts";
import type { Item } from "./item.ts";
import type { MessageFacts } from "./messages.ts";
import type { Stage } from "./stage.ts";
import { TextItem } from "./text-item.ts";

/** The assistant's texts and reasonings that are not written to their end. */
export class Texts {
  /** The user stopped the assistant: what is open now is not whole, whatever the host says of it. */
  aborting = false;
  readonly #open = new Map<string, TextItem>();
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get size(): number {
    return this.#open.size;
  }

  /** The messages that they belong to. */
  messageIDs(): string[] {
    return Array.from(this.#open.values(), ({ messageID }) => messageID);
  }

  accept(record: TextRecord): void {
    const { written } = this.#stage;
    if (!written.isNews(record.partID, record.done ? record.text : undefined)) return;
    const known = this.#open.get(record.partID);
    if (known) known.update(record);
    const text = known ?? this.#add(record);
    if (written.has(record.partID)) text.replaceWritten();
    if (!record.done) return;
    // The usage goes to what ends the model call: not to a text with something behind it.
    if (this.#lastOf(record.messageID) !== text) text.hurry();
    if (text.wasForced) this.#finish(text);
  }

  /** More of a text. It may come before the text itself is told of, and then is all that is known of it. */
  append(record: TextDeltaRecord): void {
    const { partID, delta } = record;
    const known = this.#open.get(partID);
    if (known) return known.append(delta);
    if (this.#stage.written.has(partID)) return;
    this.#add({ ...record, kind: "text", reasoning: false, text: "", done: false }).append(delta);
  }

  /** Gives the usage of a model call to the text that ended it. False: it ended otherwise. */
  carryUsage(record: UsageRecord): boolean {
    const last = this.#lastOf(record.messageID);
    const isText = last instanceof TextItem && !last.reasoning && last.readySinceMs !== undefined && !last.isEmpty;
    if (isText) last.carryUsage(record);
    else this.hurry(record.messageID);
    return isText;
  }

  /** No usage is to be awaited for the texts of the message. */
  hurry(messageID: string): void {
    for (const text of this.#open.values()) if (text.messageID === messageID) text.hurry();
  }

  /** Ends a text as it stands: it is streamed no further. */
  cut(partID: string): void {
    const text = this.#open.get(partID);
    if (!text) return;
    text.cut();
    if (text.wasForced) this.#finish(text);
  }

  cutAll(): void {
    for (const partID of this.#open.keys()) this.cut(partID);
  }

  onTurn(item: Item, early: boolean): void {
    if (!(item instanceof TextItem) || early) return;
    this.#open.delete(item.key);
    this.#stage.written.add(item.key, item.text);
  }

  #lastOf(messageID: string): Item | undefined {
    return this.#stage.queue.findLast((item) => item.messageID === messageID);
  }

  #add(record: TextRecord): TextItem {
    const { messages, queue, nowMs } = this.#stage;
    const facts = (): MessageFacts => {
      const known = messages.of(record.messageID);
      return this.aborting && !known.completed ? { ...known, aborted: true } : known;
    };
    const text = new TextItem(record, facts, nowMs);
    this.#open.set(record.partID, text);
    queue.add(text);
    return text;
  }

  #finish(text: TextItem): void {
    this.#stage.emit(text.takeRest());
    this.#open.delete(text.key);
    this.#stage.written.add(text.key, text.text);
  }
}
