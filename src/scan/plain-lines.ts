/**
 * The figures of lines that are two thirds of a session file and of which little counts: results of tools, and
 * progress. They are added up without drafts and rows.
 */
import { isFields, textOf, type Fields } from "../parse/json-fields.ts";
import type { LineAccount, TranscriptStats } from "../parse/model.ts";
import { TimeSpan, timeOf } from "../parse/times.ts";
import { resultStatus } from "../parse/tool-errors.ts";
import type { CallFigures } from "./call-figures.ts";

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
  readonly #calls: CallFigures;
  readonly #span = new TimeSpan();
  #results = 0;
  #progress = 0;

  constructor(calls: CallFigures) {
    this.#calls = calls;
  }

  /**
   * Whether the record is plain, and so was added. `like` is a record of the same file that was read: what a line says
   * of its session must be known from it.
   */
  add(record: Fields, like: Fields | undefined, note: (name: string) => void): boolean {
    const { type } = record;
    if (type === "progress") this.#progress += 1;
    else if (type !== "user" || like === undefined || !this.#addResults(record, like, note)) return false;
    const uuid = textOf(record, "uuid");
    if (uuid !== undefined) note(uuid);
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
    lines.total += this.#results + this.#progress;
    lines.used += this.#results;
    if (this.#progress > 0) lines.skipped["progress"] = (lines.skipped["progress"] ?? 0) + this.#progress;
  }

  #addResults(record: Fields, like: Fields, note: (name: string) => void): boolean {
    const { message, toolUseResult } = record;
    const content = isFields(message) ? message["content"] : undefined;
    if (!Array.isArray(content) || content.length === 0) return false;
    if (!content.every(isTextResult) || !FACTS.every((fact) => record[fact] === like[fact])) return false;
    this.#results += 1;
    const line = textOf(record, "sourceToolAssistantUUID");
    for (const block of content) {
      const isError = typeof block["is_error"] === "boolean" ? block["is_error"] : null;
      // Of a result that is marked as none, only what the host kept tells whether it was an error.
      const text = isError === false ? "" : block.content;
      const id = textOf(block, "tool_use_id");
      if (id !== undefined) note(`tool_result ${id}`);
      this.#calls.end(id, resultStatus({ isError, text, toolUseResult }), line);
    }
    return true;
  }
}

function isTextResult(block: unknown): block is Fields & { content: string } {
  return isFields(block) && block["type"] === "tool_result" && typeof block["content"] === "string";
}
