/**
 * Finds prompts that were typed while the model was busy. Versions 2.0 to 2.1.87 wrote them only as `queue-operation`
 * lines: `enqueue` with the text, then `remove` when the model got it during its turn. (`dequeue` is followed by a
 * `user` line, and `popAll` gives the texts back to the editor.) Later versions write an `attachment` too.
 */
import type { MessageDraft } from "../../parse/message-draft.ts";
import { textIn, type Fields } from "../../parse/json-fields.ts";
import { userDraft } from "./claude-message.ts";

export class QueuedPrompts {
  #waiting: Fields[] = [];
  /** Texts that the model got since its last answer, each of which another line may have too. */
  #delivered: string[] = [];
  /** Times and texts, as the lines of a session may be repeated. */
  readonly #known = new Set<string>();

  /** Returns the prompt that an operation delivers. */
  operate(record: Fields): MessageDraft | undefined {
    const { operation, content } = record;
    if (operation === "enqueue") this.#waiting.push(record);
    else if (operation === "dequeue") this.#waiting.shift();
    else if (operation === "popAll") this.#waiting = [];
    else if (operation === "remove") return this.#deliver(this.#take(textOf(content)));
    return undefined;
  }

  #take(text: string | undefined): Fields | undefined {
    const at = this.#waiting.findIndex(({ content }) => text === undefined || textOf(content) === text);
    return at === -1 ? undefined : this.#waiting.splice(at, 1)[0];
  }

  #deliver(record: Fields | undefined): MessageDraft | undefined {
    const text = textOf(record?.["content"]);
    if (record === undefined || text === undefined) return undefined;
    const key = `${textIn(record["timestamp"]) ?? ""}\n${text}`;
    if (this.#known.has(key)) return undefined;
    this.#known.add(key);
    this.#delivered.push(text);
    const draft = userDraft({ ...record, type: "user", message: { role: "user", content: record["content"] } });
    draft.metadata = { origin: "queued", ...draft.metadata };
    return draft;
  }

  /** Returns whether a message has a text that was already delivered, and notes one that is delivered by its own line. */
  isDelivered({ type, blocks }: MessageDraft): boolean {
    if (type === "assistant") this.#delivered = [];
    if (type !== "user" || (this.#delivered.length === 0 && this.#waiting.length === 0)) return false;
    const text = blocks.find((block) => block.type === "text")?.text?.trim();
    const at = text === undefined ? -1 : this.#delivered.indexOf(text);
    if (at !== -1) {
      this.#delivered.splice(at, 1);
      return true;
    }
    if (text !== undefined) this.#take(text);
    return false;
  }
}

function textOf(content: unknown): string | undefined {
  const [first] = Array.isArray(content)
    ? userDraft({ message: { content } }).blocks.filter(({ type }) => type === "text")
    : [{ text: content }];
  return typeof first?.text === "string" ? textIn(first.text.trim()) : undefined;
}
