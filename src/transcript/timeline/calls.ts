import { isDeepStrictEqual } from "node:util";
import { type Draft, dropOldest, isoTime } from "../entry-draft.ts";
import { given } from "../../given.ts";
import type { ToolUseEntry } from "../format/entry-types.ts";
import { type CallFacts, type EntryPlace, resultEntry, useEntry } from "../record-entries.ts";
import type { CallEnd, CallHintRecord, CallRecord, ResultHintRecord } from "../records.ts";
import { type Item, keyOf } from "./item-queue.ts";
import type { Stage } from "./stage.ts";
import { RECORD_MS } from "./waits.ts";

/** Maximum number of open calls of a session; beyond it the oldest counts as ended without a result. */
const MAX_OPEN_CALLS = 1_000;

/**
 * Tool calls of one session without a result, with their inputs. Hooks identify a call by its call id, which providers
 * repeat; the host's records by its part id. A call is removed with its result, of any kind, or with its session.
 */
export class Calls {
  readonly #open = new Set<CallItem>();
  /** Calls written from hooks alone, by call id, to recognize the host's late records. */
  readonly #hookOnly = new Set<string>();
  /** Ids of calls with a result, to recognize late hooks. */
  readonly #closed = new Set<string>();
  /** Calls ended by the recorder, by part id; the host may still report their real end. */
  readonly #cut = new Map<string, CallItem>();
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Applies the host's own record of a call. */
  accept(record: CallRecord): void {
    const { written, queue } = this.#stage;
    const { partID, callID } = record;
    const cut = record.end && this.#reopen(partID);
    if (!cut && written.has(partID)) return;
    const known = cut ?? this.#ofRecord(record);
    const isWritten = !known && (this.#hookOnly.delete(callID) || this.#hookOnly.delete(partID));
    if (isWritten) return written.add(partID);
    const call = known ?? this.#add(record);
    const isFirst = call.partID === undefined;
    call.update(record);
    if (isFirst && !call.useWritten) queue.add(call);
  }

  /** Applies a hook that saw a call begin. `confirms`: the host's own record will follow. */
  hintUse(hint: CallHintRecord, confirms: boolean): void {
    // One without an input, else one that the host has reported in full.
    const known =
      this.#find(hint.callID, (call) => !call.hasInput && !call.useWritten) ??
      this.#find(hint.callID, (call) => call.partID !== undefined);
    if (!known) this.#closed.delete(hint.callID);
    (known ?? this.#add(hint)).hintUse(hint, confirms);
  }

  /** Applies a hook that saw a call end. `confirms`: the host's own record will follow. */
  hintResult(hint: ResultHintRecord, confirms: boolean): void {
    const known = this.#find(hint.callID, (call) => !call.hasEnd);
    // For two calls of one answer with the same id, the host makes one part and one result.
    const isOver = (): boolean => this.#find(hint.callID, (call) => call.partID !== undefined) !== undefined;
    if (!known && (this.#closed.has(hint.callID) || isOver())) return;
    (known ?? this.#add(hint)).hintResult(hint, confirms);
  }

  /** Adds a draft to write directly after the use. False if that is already written, or the call unknown. */
  attach(callID: string, draft: Draft): boolean {
    const call = this.#find(callID);
    if (!call || call.useWritten) return false;
    call.follow(draft);
    return true;
  }

  interrupt(): void {
    for (const call of this.#open) call.interrupt();
  }

  /** Writes the uses that are due and not in the queue, and the results that are due, each after its use. */
  settle(nowMs: number): void {
    const surplus = this.#open.size - MAX_OPEN_CALLS;
    if (surplus > 0) for (const call of [...this.#open].slice(0, surplus)) call.interrupt();
    for (const call of this.#open) {
      if (call.isOutsideQueue && isDue(call.dueMs, nowMs)) this.#stage.emit(call.take());
      if (!call.useWritten || !isDue(call.resultDueMs, nowMs)) continue;
      this.#stage.emit(call.takeResult());
      this.#close(call);
    }
  }

  nextDueMs(): number {
    let next = Infinity;
    for (const { isOutsideQueue, dueMs, useWritten, resultDueMs } of this.#open) {
      if (isOutsideQueue) next = Math.min(next, dueMs ?? Infinity);
      if (useWritten) next = Math.min(next, resultDueMs ?? Infinity);
    }
    return next;
  }

  /** Returns a call that the recorder ended, for its real end. */
  #reopen(partID: string): CallItem | undefined {
    const cut = this.#cut.get(partID);
    if (!cut) return undefined;
    this.#cut.delete(partID);
    this.#open.add(cut);
    return cut;
  }

  #close(call: CallItem): void {
    const { partID, callID } = call;
    this.#open.delete(call);
    addBounded(this.#closed, callID);
    if (partID === undefined) return addBounded(this.#hookOnly, callID);
    addBounded(this.#closed, partID);
    this.#stage.written.add(partID);
    if (!call.isCut) return;
    this.#cut.set(partID, call);
    dropOldest(this.#cut, MAX_OPEN_CALLS);
  }

  /** Returns the open call of a record: by part id, or one known only from a hook. */
  #ofRecord({ partID, callID }: CallRecord): CallItem | undefined {
    for (const call of this.#open) if (call.partID === partID) return call;
    const isFromHook = (call: CallItem): boolean => call.partID === undefined;
    return [...this.#open].findLast((call) => isFromHook(call) && (call.callID === callID || call.callID === partID));
  }

  /** For a slash command's subtask, hooks pass the part id as call id. */
  #find(callID: string, fits: (call: CallItem) => boolean = () => true): CallItem | undefined {
    const isMeant = (call: CallItem): boolean => call.callID === callID || call.partID === callID;
    return [...this.#open].findLast((call) => isMeant(call) && fits(call));
  }

  #add({ callID, tool }: { callID: string; tool: string }): CallItem {
    const call = new CallItem(callID, tool, this.#stage.nowMs);
    this.#open.add(call);
    return call;
  }
}

function isDue(dueMs: number | undefined, nowMs: number): boolean {
  return dueMs !== undefined && dueMs <= nowMs;
}

function addBounded(ids: Set<string>, id: string): void {
  ids.add(id);
  dropOldest(ids, MAX_OPEN_CALLS);
}

/** Output recorded for a call that never got a result. */
const NO_RESULT = "The tool did not finish: the session stopped first.";

/**
 * Tool call. Its use has a place in the conversation, which the host's record gives; its result is written when the call
 * has ended, after the use. Hooks report both earlier than the host's records, which are preferred.
 */
class CallItem implements Item {
  readonly endsWithNext = false;
  key = "";
  partID: string | undefined;
  messageID: string | undefined;
  readonly callID: string;
  /** Time from which the use may be written; undefined while the input is unknown. */
  dueMs: number | undefined;
  /** The same for the result. */
  resultDueMs: number | undefined;
  useWritten = false;
  /** The recorder ended the call, because the host reported no end, which may still come. */
  isCut = false;
  /** Its turn passed while its arguments were still being streamed. */
  #hasLostPlace = false;
  #tool: string;
  #input: unknown;
  /** The recorder supplied the input, because the host reported none. */
  #isInputMade = false;
  #inputMs: number | undefined;
  #startMs: number | undefined;
  #subagentID: string | undefined;
  #end: CallEnd | undefined;
  /** Use entry as written. */
  #use: ToolUseEntry | undefined;
  /** Drafts to write directly after the use. */
  readonly #followers: Draft[] = [];
  readonly #nowMs: () => number;

  constructor(callID: string, tool: string, nowMs: () => number) {
    this.callID = callID;
    this.#tool = tool;
    this.#nowMs = nowMs;
  }

  get hasInput(): boolean {
    return this.#input !== undefined;
  }

  get hasEnd(): boolean {
    return this.#end !== undefined;
  }

  /** Its use is not written, and has no place: only hooks have reported the call, or its turn has passed. */
  get isOutsideQueue(): boolean {
    return !this.useWritten && (this.partID === undefined || this.#hasLostPlace);
  }

  update(record: CallRecord): void {
    this.key = keyOf(record);
    this.partID = record.partID;
    this.messageID = record.messageID;
    this.#tool = record.tool;
    this.#startMs ??= record.startMs;
    this.#subagentID ??= record.subagentID;
    if (record.end) {
      this.#end = record.end;
      this.isCut = false;
      this.resultDueMs = this.#nowMs();
    }
    // An end may come without an input, which is then known already or never comes.
    if (record.input === undefined && !record.end) return;
    this.#learnInput(record);
    this.#inputMs ??= this.#nowMs();
    const awaitsChild = record.startsSubagent === true && this.#subagentID === undefined && !record.end;
    this.dueMs = this.#inputMs + (awaitsChild ? RECORD_MS : 0);
  }

  hintUse(hint: CallHintRecord, confirms: boolean): void {
    if (this.#input !== undefined) return;
    this.#input = hint.input;
    this.dueMs = this.#nowMs() + (confirms ? RECORD_MS : 0);
  }

  hintResult(hint: ResultHintRecord, confirms: boolean): void {
    if (this.#end) return;
    const now = this.#nowMs();
    const dueMs = now + (confirms ? RECORD_MS : 0);
    if (hint.input !== undefined) this.#input ??= hint.input;
    this.#end = { endMs: now, ...hint.end };
    this.dueMs ??= dueMs;
    this.resultDueMs = dueMs;
  }

  /** Adds a draft to write after the use, which then waits for nothing more than its input. */
  follow(draft: Draft): void {
    this.#followers.push(draft);
    if (this.dueMs !== undefined) this.dueMs = this.#nowMs();
  }

  /** Ends the call, because the session stopped without an end. */
  interrupt(): void {
    const now = this.#nowMs();
    this.#isInputMade = this.#input === undefined && !this.#end;
    this.#input ??= {};
    this.dueMs = now;
    this.resultDueMs = now;
    if (this.#end) return;
    this.#end = { status: "interrupted", output: NO_RESULT, endMs: now };
    this.isCut = true;
  }

  take(): Draft[] {
    this.#hasLostPlace = this.dueMs === undefined;
    if (this.#hasLostPlace) return [];
    this.useWritten = true;
    this.#use = this.#useEntry();
    return [{ entry: this.#use }, ...this.#followers.splice(0)];
  }

  /** Returns the result, preceded by a corrected use if the call ran with another input than was written. */
  takeResult(): Draft[] {
    const end = this.#end;
    if (!end) return [];
    const result = resultEntry(this.#place(end.endMs), this.#facts, end);
    const entry = this.isCut ? { ...result, unfinished: true as const } : result;
    return [...this.#corrected(), { entry, ...given({ files: end.files, wholeOutputPath: end.wholeOutputPath }) }];
  }

  /** Other plugins may change a call, and two calls of one answer with the same id share one part in the host. */
  #corrected(): Draft[] {
    const use = this.#useEntry();
    const { partID, tool, input } = this.#use ?? use;
    if (partID === undefined || (tool === use.tool && isDeepStrictEqual(input, use.input))) return [];
    this.#use = use;
    return [{ entry: { ...use, continues: "replace" } }];
  }

  #useEntry(): ToolUseEntry {
    const use = useEntry(this.#place(this.#startMs), this.#facts);
    return this.#isInputMade ? { ...use, unfinished: true } : use;
  }

  #place(ms: number | undefined): EntryPlace {
    return { timestamp: isoTime(ms, this.#nowMs()), messageID: this.messageID, partID: this.partID };
  }

  get #facts(): CallFacts {
    return { tool: this.#tool, callID: this.callID, input: this.#input, subagentID: this.#subagentID };
  }

  #learnInput({ input, end }: CallRecord): void {
    if (input === undefined || (end && this.#input !== undefined && isEmpty(input))) return;
    this.#isInputMade = false;
    // Keeps the same object if equal, so that the redacted input of the use is reused for the result.
    if (!isDeepStrictEqual(this.#input, input)) this.#input = input;
  }
}

function isEmpty(input: unknown): boolean {
  return typeof input === "object" && input !== null && Object.keys(input).length === 0;
}
