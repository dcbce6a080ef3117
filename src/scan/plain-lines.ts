/**
 * The figures of lines that are nearly all of a session file and of which little counts: answers, results of tools,
 * and progress. They are added up without blocks and rows.
 */
import { fieldsOf, isFields, textOf, type Fields } from "../parse/json-fields.ts";
import type { LineAccount, TranscriptStats } from "../parse/model.ts";
import { assistantDraft } from "../parse/sources/claude-message.ts";
import { TimeSpan, timeOf } from "../parse/times.ts";
import { resultStatus } from "../calls/result-texts.ts";
import type { Answers } from "./answers.ts";
import type { BlockFigures } from "./block-figures.ts";

/** What a line says of its session. */
const FACTS = [
  "sessionId",
  "session_id",
  "cwd",
  "version",
  "claude_code_version",
  "gitBranch",
  "agentId",
  "isSidechain",
] as const;

export class PlainLines {
  /** Whether a subagent's message stands in a `progress` line. */
  hasAgentProgress = false;
  readonly #blocks: BlockFigures;
  readonly #answers: Answers;
  readonly #span = new TimeSpan();
  #answerLines = 0;
  #results = 0;
  #progress = 0;

  constructor(blocks: BlockFigures, answers: Answers) {
    this.#blocks = blocks;
    this.#answers = answers;
  }

  /**
   * Whether the record is plain, and so was added. `like` is a record of the same file that was read: what a line says
   * of its session must be known from it.
   */
  add(record: Fields, like: Fields | undefined): boolean {
    if (record["type"] === "progress") this.#addProgress(record);
    else if (like === undefined || !FACTS.every((fact) => record[fact] === like[fact])) return false;
    else if (!this.#addMessage(record)) return false;
    this.#blocks.addLine(textOf(record, "uuid"));
    const time = timeOf(record["timestamp"]);
    if (time !== undefined) this.#span.add(time);
    return true;
  }

  /** The first and the last time, if there are any. */
  times(): string[] {
    return [this.#span.first, this.#span.last].filter((time) => time !== null);
  }

  /** Adds them to what the other lines came to. */
  addTo(stats: TranscriptStats, lines: LineAccount): void {
    stats.total_messages += this.#results;
    stats.user_messages += this.#results;
    lines.total += this.#results + this.#answerLines + this.#progress;
    lines.used += this.#results + this.#answerLines;
    if (this.#progress > 0) lines.skipped["progress"] = (lines.skipped["progress"] ?? 0) + this.#progress;
  }

  #addProgress(record: Fields): void {
    this.#progress += 1;
    this.hasAgentProgress ||= fieldsOf(record, "data")?.["type"] === "agent_progress";
  }

  #addMessage(record: Fields): boolean {
    const { type, message } = record;
    const content = isFields(message) ? message["content"] : undefined;
    if (!isFields(message) || !Array.isArray(content) || content.length === 0) return false;
    if (type === "assistant" && content.every(isPlainPiece)) this.#addAnswer(record, message, content);
    else if (type === "user" && content.every(isTextResult)) this.#addResults(record, content);
    else return false;
    return true;
  }

  #addAnswer(record: Fields, message: Fields, content: readonly Fields[]): void {
    const { timestamp, version, isSidechain, parent_tool_use_id, costUSD } = record;
    const { id, model, stop_reason, usage } = message;
    // All of it that figures are made from.
    const lean = { timestamp, version, isSidechain, parent_tool_use_id, costUSD };
    const draft = assistantDraft({ ...lean, message: { id, model, stop_reason, usage, content: null } });
    this.#answers.add(draft);
    this.#answerLines += 1;
    const line = textOf(record, "uuid");
    for (const block of content) {
      if (block["type"] === "tool_use") {
        this.#blocks.addCall(textOf(block, "id"), textOf(block, "name"), line, draft.sourceId);
      } else {
        this.#blocks.addPiece(block["type"] === "text" ? "text" : "thinking", block["thinking"] === "", draft.sourceId);
      }
    }
  }

  #addResults(record: Fields, content: readonly (Fields & { content: string })[]): void {
    const { toolUseResult } = record;
    const line = textOf(record, "sourceToolAssistantUUID");
    this.#results += 1;
    for (const block of content) {
      const isError = typeof block["is_error"] === "boolean" ? block["is_error"] : null;
      // Of a result that is marked as none, only what the host kept tells whether it was an error.
      const text = isError === false ? "" : block.content;
      this.#blocks.addResult(textOf(block, "tool_use_id"), resultStatus({ isError, text, toolUseResult }), line);
    }
  }
}

function isPlainPiece(block: unknown): block is Fields {
  if (!isFields(block)) return false;
  const { type } = block;
  return type === "tool_use" || ((type === "text" || type === "thinking") && typeof block[type] === "string");
}

function isTextResult(block: unknown): block is Fields & { content: string } {
  return isFields(block) && block["type"] === "tool_result" && typeof block["content"] === "string";
}
