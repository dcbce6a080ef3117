import { isDeepStrictEqual } from "node:util";
import type { ToolResultEntry, ToolUseEntry } from "../../format/entries.ts";
import { given, isoTime, type Draft } from "../draft.ts";
import type { JsonValue } from "../json-value.ts";
import type { CallEnd, CallHintRecord, CallRecord, ResultHintRecord } from "../records.ts";
import { ORDER_MS, RESULT_CONFIRM_MS, USE_CONFIRM_MS, type Item } from "./item.ts";

/** What a result says when a call never got one. */
const NO_RESULT = "The tool did not finish: the session stopped first.";

/**
 * A tool call: its use takes a place in the conversation, its result is written when it comes, after the use.
 * Hooks tell of it earlier than the host's own records, which are preferred when they follow in time.
 */
export class CallItem implements Item {
  readonly patienceMs = ORDER_MS;
  readySinceMs: number | undefined;
  betterAfterMs: number | undefined;
  /** When a result that only a hook told of is taken for good. */
  resultDueMs: number | undefined;
  useWritten = false;
  /** Drafts that are to stand right behind the use. */
  readonly followers: Draft[] = [];
  key: string;
  messageID: string | undefined;
  partID: string | undefined;
  readonly callID: string;
  #tool: string;
  #input: JsonValue | undefined;
  #startMs: number | undefined;
  #subagentID: string | undefined;
  #end: CallEnd | undefined;
  /** Its end is the recorder's: the host said nothing of one. */
  #isCut = false;
  /** Its input is the recorder's: the host said nothing of one. */
  #isInputMade = false;
  /** The use as it was written. */
  #use: ToolUseEntry | undefined;
  readonly #nowMs: () => number;

  constructor(key: string, callID: string, tool: string, nowMs: () => number) {
    this.key = key;
    this.callID = callID;
    this.#tool = tool;
    this.#nowMs = nowMs;
  }

  /** The host's own record: it outweighs what hooks said. */
  update(record: CallRecord): void {
    this.key = this.useWritten ? this.key : record.partID;
    this.partID = record.partID;
    this.messageID = record.messageID;
    this.#tool = record.tool;
    this.#startMs ??= record.startMs;
    this.#subagentID ??= record.subagentID;
    if (record.end) this.#finish(record.end);
    // An end may come without the input, which is known from before, or never will be.
    if (record.input === undefined && !record.end) return;
    this.#learnInput(record);
    this.readySinceMs ??= this.#nowMs();
    const awaitsChild = record.startsSubagent === true && this.#subagentID === undefined && !record.end;
    this.betterAfterMs = awaitsChild ? this.readySinceMs + USE_CONFIRM_MS : undefined;
  }

  hintUse(hint: CallHintRecord, confirms: boolean): void {
    if (this.#input !== undefined) return;
    this.#input = hint.input;
    this.readySinceMs = this.#nowMs();
    this.betterAfterMs = confirms ? this.readySinceMs + USE_CONFIRM_MS : undefined;
  }

  hintResult(hint: ResultHintRecord, confirms: boolean): void {
    if (this.#end) return;
    if (hint.input !== undefined) this.#input ??= hint.input;
    this.readySinceMs ??= this.#nowMs();
    this.#end = { endMs: this.#nowMs(), ...hint.end };
    this.resultDueMs = confirms ? this.#nowMs() + RESULT_CONFIRM_MS : undefined;
  }

  get hasInput(): boolean {
    return this.#input !== undefined;
  }

  /** Whether the end is known and the host's record of it came or is overdue. */
  isEnded(nowMs: number): boolean {
    return this.#end !== undefined && (this.resultDueMs === undefined || this.resultDueMs <= nowMs);
  }

  get hasEnd(): boolean {
    return this.#end !== undefined;
  }

  /** Whether it ended without a word of the host's, which may still come. */
  get isCut(): boolean {
    return this.#isCut;
  }

  hurry(): void {
    if (this.readySinceMs !== undefined) this.betterAfterMs = undefined;
  }

  /** The session stopped and no end came. */
  interrupt(): void {
    this.#isInputMade = this.#input === undefined && !this.#end;
    this.#input ??= {};
    this.readySinceMs ??= this.#nowMs();
    this.betterAfterMs = undefined;
    this.resultDueMs = undefined;
    if (this.#end) return;
    this.#end = { status: "interrupted", output: NO_RESULT, endMs: this.#nowMs() };
    this.#isCut = true;
  }

  take(early: boolean): Draft[] {
    if (early && this.readySinceMs === undefined) return [];
    this.useWritten = true;
    this.#use = this.#useEntry();
    return [{ entry: this.#use }, ...this.followers.splice(0)];
  }

  /** The result, and before it the call as it ran in the end, where that is not what was written. */
  takeResult(): Draft[] {
    const end = this.#end;
    if (!end) return [];
    const { status, output, title, metadata, files, wholeOutputPath } = end;
    const entry: ToolResultEntry = {
      type: "tool_result",
      timestamp: isoTime(end.endMs, this.#nowMs()),
      ...given({ messageID: this.messageID, partID: this.partID }),
      tool: this.#tool,
      callID: this.callID,
      input: this.#input ?? {},
      output,
      status,
      ...(this.#isCut ? { unfinished: true } : {}),
      ...given({ title: title === "" ? undefined : title, metadata }),
      ...this.#subagent(),
    };
    return [...this.#corrected(), { entry, ...given({ files, wholeOutputPath }) }];
  }

  /** Another plugin may change a call, and two calls of one answer that have the same id share one part of the host's. */
  #corrected(): Draft[] {
    const use = this.#useEntry();
    const { partID, tool, input } = this.#use ?? use;
    if (partID === undefined || (tool === use.tool && isDeepStrictEqual(input, use.input))) return [];
    this.#use = use;
    return [{ entry: { ...use, continues: "replace" } }];
  }

  #useEntry(): ToolUseEntry {
    return {
      type: "tool_use",
      timestamp: isoTime(this.#startMs, this.#nowMs()),
      ...given({ messageID: this.messageID, partID: this.partID }),
      tool: this.#tool,
      callID: this.callID,
      input: this.#input ?? {},
      ...this.#subagent(),
      ...(this.#isInputMade ? { unfinished: true } : {}),
    };
  }

  #finish(end: CallEnd): void {
    this.#end = end;
    this.#isCut = false;
    this.resultDueMs = undefined;
  }

  #learnInput({ input, end }: CallRecord): void {
    if (input === undefined || (end && this.#input !== undefined && isEmpty(input))) return;
    this.#isInputMade = false;
    // Kept as the same object where it is equal: what was done for the call's entry serves its result too.
    if (!isDeepStrictEqual(this.#input, input)) this.#input = input;
  }

  #subagent(): { subagent?: { sessionID: string } } {
    return this.#subagentID === undefined ? {} : { subagent: { sessionID: this.#subagentID } };
  }
}

function isEmpty(input: JsonValue): boolean {
  return typeof input === "object" && input !== null && Object.keys(input).length === 0;
}
