/** Converts Claude Code's JSON lines to units; session files and stream-json have the same records. */
import type { MessageDraft } from "../../parse/message-draft.ts";
import { type Fields, textIn } from "../../parse/json-fields.ts";
import type { ReadRecord, RecordReader } from "../../parse/record-units.ts";
import { timeOf } from "../../parse/times.ts";
import { ClaudeRepeats } from "./claude-repeats.ts";
import { QueuedPrompts } from "./claude-queue.ts";
import { StreamTotals } from "./claude-totals.ts";
import { ClaudeTitles, isSessionRecord, messagesOf, sessionOf, SILENT } from "./claude-record.ts";

export class ClaudeReader implements RecordReader {
  readonly silent = SILENT;
  readonly #repeats = new ClaudeRepeats();
  readonly #queue = new QueuedPrompts();
  readonly #totals = new StreamTotals();
  readonly #titles = new ClaudeTitles();

  read(fields: Fields): ReadRecord | undefined {
    const type = textIn(fields["type"]);
    if (type === undefined) return undefined;
    const drafts = this.#drafts(type, fields);
    const messages = drafts.flatMap((draft) => this.#repeats.newIn(draft) ?? []);
    const totals = type === "result" ? this.#totals.result(fields) : [];
    if (totals === undefined || (drafts.length > 0 && messages.length === 0))
      return { kind: "duplicate", messages: [] };
    // Session files have no totals.
    if (!isSessionRecord(fields)) for (const message of messages) this.#totals.note(message);
    messages.push(...totals);
    return {
      kind: type,
      messages: messages.length > 0 ? messages : undefined,
      session: this.#titles.titleOf(type, fields) ?? sessionOf(type, fields),
      timestamp: timeOf(fields["timestamp"]),
    };
  }

  #drafts(type: string, fields: Fields): MessageDraft[] {
    if (type !== "queue-operation") return messagesOf(type, fields).filter((draft) => !this.#queue.isDelivered(draft));
    const prompt = this.#queue.operate(fields);
    return prompt === undefined ? [] : [prompt];
  }
}
