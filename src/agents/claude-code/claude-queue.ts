/**
 * Finds prompts that were typed while the model was busy. Versions 2.0 to 2.1.87 wrote them only as `queue-operation`
 * lines: `enqueue` with the text, then `remove` when the model got it during its turn. (`dequeue` is followed by a
 * `user` line, and `popAll` gives the texts back to the editor.) Later versions write an `attachment` too, after any
 * number of other lines. Notices wait in the same queue; prompts go first.
 */
import type { MessageDraft } from "../../parse/message-draft.ts";
import { recordIn, textIn, type Fields } from "../../parse/json-fields.ts";
import { userDraft } from "./claude-message.ts";

interface Waiting {
  text: string;
  draft: MessageDraft;
}

export class QueuedPrompts {
  #waiting: Waiting[] = [];
  /** Texts that the model got. Another line may repeat each of them. */
  readonly #delivered: string[] = [];
  /** Number of delivered texts before the latest answer. */
  #answered = 0;
  /** Times and texts of delivered prompts, because lines of a session may be repeated. */
  readonly #known = new Set<string>();

  /** Returns the prompt that an operation delivers; at most one. */
  operate(record: Fields): MessageDraft[] {
    const { operation, content } = record;
    if (operation === "enqueue") this.#enqueue(record);
    else if (operation === "dequeue") this.#take(undefined);
    else if (operation === "popAll") this.#waiting = [];
    else if (operation === "remove") return this.#deliver(this.#take(textOfDraft(userDraft({ message: { content } }))));
    return [];
  }

  #enqueue(record: Fields): void {
    const draft = userDraft({ ...record, type: "user", message: { role: "user", content: record["content"] } });
    const text = textOfDraft(draft);
    // Versions around 2.1.49 also queued events of tasks, which are JSON and not for the model.
    if (text === undefined || recordIn(text)?.["task_type"] !== undefined) return;
    this.#waiting.push({ text, draft });
  }

  /** Takes a prompt off the queue. Some versions do not say which; then it is the first. */
  #take(text: string | undefined): Waiting | undefined {
    const isTaken = (each: Waiting): boolean =>
      text === undefined ? each.draft.userKind === "human" : each.text === text;
    const at = this.#waiting.findIndex(isTaken);
    if (at === -1 && text === undefined) return this.#waiting.shift();
    return at === -1 ? undefined : this.#waiting.splice(at, 1)[0];
  }

  #deliver(taken: Waiting | undefined): MessageDraft[] {
    if (taken === undefined) return [];
    const { text, draft } = taken;
    const key = `${draft.timestamp ?? ""}\n${text}`;
    if (this.#known.has(key)) return [];
    this.#known.add(key);
    this.#delivered.push(text);
    draft.metadata = { origin: "queued", ...draft.metadata };
    return [draft];
  }

  /** Returns whether a message has a text that was already delivered, and notes one that is delivered by its own line. */
  isDelivered(draft: MessageDraft): boolean {
    if (draft.type === "assistant") this.#answered = this.#delivered.length;
    if (draft.type !== "user" || (this.#delivered.length === 0 && this.#waiting.length === 0)) return false;
    const text = textOfDraft(draft);
    if (text === undefined) return false;
    // A `user` line after an answer is a prompt that was typed again, not a repeat.
    const isFromQueue = draft.metadata?.origin === "queued" || draft.metadata?.origin === "notification";
    const at = this.#delivered.indexOf(text, isFromQueue ? 0 : this.#answered);
    if (at === -1) this.#take(text);
    else this.#delivered.splice(at, 1);
    if (at !== -1 && at < this.#answered) this.#answered -= 1;
    return at !== -1;
  }
}

function textOfDraft({ blocks }: MessageDraft): string | undefined {
  return textIn(blocks.find(({ type }) => type === "text")?.text?.trim());
}
