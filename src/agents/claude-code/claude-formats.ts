import { type Fields, textIn } from "../../parse/json-fields.ts";
import type { MessageDraft } from "../../parse/message-draft.ts";
import { type ReadRecord, type RecordReader, readRecords } from "../../parse/record-units.ts";
import { timeOf } from "../../parse/times.ts";
import type { Format } from "../agent.ts";
import { headRecords } from "../json-head.ts";
import { QueuedPrompts } from "./claude-queue.ts";
import {
  ClaudeTitles,
  isKnownType,
  isSessionRecord,
  isStreamRecord,
  messagesOf,
  sessionOf,
  SILENT,
} from "./claude-record.ts";
import { ClaudeRepeats } from "./claude-repeats.ts";
import { claudeTools } from "./claude-tools.ts";
import { StreamTotals } from "./claude-totals.ts";

/** Notes in results, and JSON of unknown parts. */
const ADDED_TEXTS = "[image ] [tool reference ] [nested too deep to show] null infinity";

const read: Format["read"] = (chunks, options) => readRecords(chunks, options, new ClaudeReader());

/** Output of `claude -p --output-format stream-json`. Its records are those of session files. */
export const claudeStream: Format = {
  name: "claude-stream",
  lines: "json",
  tools: claudeTools,
  addedTexts: ADDED_TEXTS,
  detect: (head) => {
    let isStream = false;
    for (const record of headRecords(head)) {
      if (isSessionRecord(record)) return false;
      isStream ||= isStreamRecord(record);
    }
    return isStream;
  },
  isFallback: true,
  isExport: true,
  read,
};

/** Session files of Claude Code and its subagents. Also the fallback for other JSON lines that resemble them most. */
export const claudeCode: Format = {
  name: "claude-code",
  lines: "json",
  tools: claudeTools,
  addedTexts: ADDED_TEXTS,
  detect: (head) => {
    let count = 0;
    let isUntyped = false;
    for (const record of headRecords(head)) {
      const { type } = record;
      count += 1;
      // Lines of other programs may have a session id too.
      if (typeof type === "string" && (isKnownType(type) || isSessionRecord(record))) return true;
      isUntyped ||= isSessionRecord(record);
    }
    // The type may come after the end of the only line, which is cut off.
    return isUntyped && count === 1;
  },
  isFallback: true,
  read,
};

/** Converts records, which are the same in both formats. */
class ClaudeReader implements RecordReader {
  readonly silent = SILENT;
  readonly #repeats = new ClaudeRepeats();
  readonly #queue = new QueuedPrompts();
  readonly #totals = new StreamTotals();
  readonly #titles = new ClaudeTitles();

  read(fields: Fields): ReadRecord | undefined {
    const type = textIn(fields["type"]);
    if (type === undefined) return undefined;
    const isQueue = type === "queue-operation";
    const drafts = isQueue ? this.#queue.operate(fields) : messagesOf(type, fields);
    const isNew = (draft: MessageDraft): boolean => isQueue || !this.#queue.isDelivered(draft);
    const messages = drafts.flatMap((draft) => this.#repeats.newIn(draft) ?? []).filter(isNew);
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
}
