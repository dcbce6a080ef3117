/** Converts Claude Code's JSON lines to units; session files and stream-json have the same records. */
import type { InputUnit, MessageDraft } from "../../parse/message-draft.ts";
import type { ReadOptions } from "../../parse/content.ts";
import type { Fields } from "../../parse/json-fields.ts";
import {
  emptyUnit,
  NO_MESSAGES,
  readRecords,
  type RecordReader,
  unknownUnit,
  untypedUnit,
} from "../../parse/record-units.ts";
import type { RawLine } from "../../transcript/format/lines.ts";
import type { ParseError } from "../../parse/model.ts";
import { timeOf } from "../../parse/times.ts";
import { ClaudeRepeats } from "./claude-repeats.ts";
import { QueuedPrompts } from "./claude-queue.ts";
import { StreamTotals } from "./claude-totals.ts";
import { ClaudeTitles, isSessionRecord, messagesOf, sessionOf, skippedKind } from "./claude-record.ts";

const USED = { as: "used" } as const;
const DUPLICATE = { as: "skipped", kind: "duplicate" } as const;

/** See `Format.read`. */
export function readClaudeLines(chunks: AsyncIterable<Uint8Array>, options: ReadOptions): AsyncGenerator<InputUnit[]> {
  return readRecords(chunks, options, new ClaudeRecordReader());
}

class ClaudeRecordReader implements RecordReader {
  readonly #repeats = new ClaudeRepeats();
  readonly #queue = new QueuedPrompts();
  readonly #totals = new StreamTotals();
  readonly #titles = new ClaudeTitles();

  unit(line: RawLine, fields: Fields, problems: readonly ParseError[]): InputUnit {
    const { type } = fields;
    if (typeof type !== "string") return untypedUnit(line, problems);
    const drafts = this.#drafts(type, fields);
    const messages = drafts.flatMap((draft) => this.#repeats.newIn(draft) ?? []);
    if (drafts.length > 0 && messages.length === 0) return emptyUnit(line, DUPLICATE, problems);
    const unit = messages.length > 0 ? emptyUnit(line, USED, problems) : unusedUnit(line, type, fields, problems);
    // Session files have no totals.
    if (!isSessionRecord(fields)) for (const message of messages) this.#totals.note(message);
    unit.messages = type === "result" ? this.#totals.result(fields) : messages;
    unit.session = this.#titles.titleOf(type, fields) ?? sessionOf(type, fields);
    unit.timestamp = timeOf(fields["timestamp"]);
    return unit;
  }

  #drafts(type: string, fields: Fields): readonly MessageDraft[] {
    if (type !== "queue-operation") return messagesOf(type, fields).filter((draft) => !this.#queue.isDelivered(draft));
    const prompt = this.#queue.operate(fields);
    return prompt === undefined ? NO_MESSAGES : [prompt];
  }
}

function unusedUnit(line: RawLine, type: string, fields: Fields, problems: readonly ParseError[]): InputUnit {
  const kind = skippedKind(type);
  return kind === undefined
    ? unknownUnit(line, type, fields, problems)
    : emptyUnit(line, { as: "skipped", kind }, problems);
}
