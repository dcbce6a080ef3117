import { type Draft, dropOldest, isoTime } from "../entry-draft.ts";
import { given } from "../../given.ts";
import {
  BEHIND_ALL,
  type Item,
  ORDER_MS,
  RESULT_CONFIRM_MS,
  type Stage,
  USE_CONFIRM_MS,
  isReady,
  keyOf,
} from "./stage.ts";
import { isDeepStrictEqual } from "node:util";
import type { ToolUseEntry } from "../format/entry-types.ts";
import { type CallFacts, type EntryPlace, resultEntry, useEntry } from "../record-entries.ts";
import type { CallEnd, CallHintRecord, CallRecord, ResultHintRecord } from "../records.ts";

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
  #hinted = 0;
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get size(): number {
    return this.#open.size;
  }

  messageIDs(): string[] {
    return Array.from(this.#open, ({ messageID }) => messageID ?? []).flat();
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
    const call = known ?? this.#add(keyOf(record), record);
    // The first record may change its key, so it leaves the queue meanwhile.
    const isQueued = known && record.inOrder !== true && queue.remove(known);
    call.update(record);
    if (!known || isQueued) queue.add(call);
  }

  /** Applies a hook that saw a call begin. `confirms`: the host's own record will follow. */
  hintUse(hint: CallHintRecord, confirms: boolean): void {
    // One without an input, else one that the host has reported in full.
    const known =
      this.#find(hint.callID, (call) => !call.hasInput && !call.useWritten) ??
      this.#find(hint.callID, (call) => call.partID !== undefined);
    if (!known) this.#closed.delete(hint.callID);
    const call = known ?? this.#addHinted(hint);
    call.hintUse(hint, confirms);
    if (!known) this.#stage.queue.add(call);
  }

  /** Applies a hook that saw a call end. `confirms`: the host's own record will follow. */
  hintResult(hint: ResultHintRecord, confirms: boolean): void {
    const known = this.#find(hint.callID, (call) => !call.hasEnd);
    // For two calls of one answer with the same id, the host makes one part and one result.
    const isOver = (): boolean => this.#find(hint.callID, (call) => call.partID !== undefined) !== undefined;
    if (!known && (this.#closed.has(hint.callID) || isOver())) return;
    const call = known ?? this.#addHinted(hint);
    call.hintResult(hint, confirms);
    if (!known) this.#stage.queue.add(call);
  }

  /** Stops waiting for the call's record, because an entry after it is about to be written. */
  hurry(callID: string): void {
    this.#find(callID)?.hurry();
  }

  /** Queues a draft for directly after the call. False if the call is already written or unknown. */
  attach(callID: string, draft: Draft): boolean {
    const call = this.#find(callID);
    if (!call || call.useWritten) return false;
    call.followers.push(draft);
    return true;
  }

  interrupt(): void {
    for (const call of this.#open) call.interrupt();
  }

  /** Writes the due results, each after its use. */
  settle(nowMs: number): void {
    const surplus = this.#open.size - MAX_OPEN_CALLS;
    if (surplus > 0) for (const call of [...this.#open].slice(0, surplus)) call.interrupt();
    for (const call of this.#open) if (call.wasPassedOver && isReady(call, nowMs)) this.#stage.emit(call.take(false));
    for (const call of this.#open) {
      if (!call.useWritten || !call.isEnded(nowMs)) continue;
      this.#stage.emit(call.takeResult());
      this.#close(call);
    }
  }

  nextDueMs(): number {
    let next = Infinity;
    for (const { wasPassedOver, betterAfterMs, readySinceMs, useWritten, resultDueMs } of this.#open) {
      if (wasPassedOver && readySinceMs !== undefined) next = Math.min(next, betterAfterMs ?? readySinceMs);
      // A result waits until its use is written.
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

  #addHinted(hint: CallHintRecord | ResultHintRecord): CallItem {
    return this.#add(`${BEHIND_ALL}${String(this.#hinted++).padStart(12, "0")}`, hint);
  }

  #add(key: string, { callID, tool }: { callID: string; tool: string }): CallItem {
    const call = new CallItem(key, callID, tool, this.#stage.nowMs);
    this.#open.add(call);
    return call;
  }
}

function addBounded(ids: Set<string>, id: string): void {
  ids.add(id);
  dropOldest(ids, MAX_OPEN_CALLS);
}

/** Output recorded for a call that never got a result. */
const NO_RESULT = "The tool did not finish: the session stopped first.";

/**
 * Tool call. Its use takes a position in the conversation; its result is written when it arrives, after the use.
 * Hooks report it earlier than the host's own records, which are preferred if they follow in time.
 */
class CallItem implements Item {
  readonly patienceMs = ORDER_MS;
  readySinceMs: number | undefined;
  betterAfterMs: number | undefined;
  /** When a result reported only by a hook is accepted. */
  resultDueMs: number | undefined;
  useWritten = false;
  /** Its turn passed while its arguments were still being streamed, so its use is written once they are known. */
  wasPassedOver = false;
  /** Drafts to write directly after the use. */
  readonly followers: Draft[] = [];
  key: string;
  messageID: string | undefined;
  partID: string | undefined;
  readonly callID: string;
  #tool: string;
  #input: unknown;
  #startMs: number | undefined;
  #subagentID: string | undefined;
  #end: CallEnd | undefined;
  /** The recorder ended the call, because the host reported no end, which may still come. */
  isCut = false;
  /** The recorder supplied the input, because the host reported none. */
  #isInputMade = false;
  /** Use entry as written. */
  #use: ToolUseEntry | undefined;
  readonly #nowMs: () => number;

  constructor(key: string, callID: string, tool: string, nowMs: () => number) {
    this.key = key;
    this.callID = callID;
    this.#tool = tool;
    this.#nowMs = nowMs;
  }

  update(record: CallRecord): void {
    this.key = this.useWritten ? this.key : keyOf(record);
    this.partID = record.partID;
    this.messageID = record.messageID;
    this.#tool = record.tool;
    this.#startMs ??= record.startMs;
    this.#subagentID ??= record.subagentID;
    if (record.end) this.#finish(record.end);
    // An end may come without an input, which is then known already or never comes.
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

  /** Returns whether the end is known, and the host's record of it came or is overdue. */
  isEnded(nowMs: number): boolean {
    return this.#end !== undefined && (this.resultDueMs === undefined || this.resultDueMs <= nowMs);
  }

  get hasEnd(): boolean {
    return this.#end !== undefined;
  }

  hurry(): void {
    if (this.readySinceMs !== undefined) this.betterAfterMs = undefined;
  }

  /** Ends the call, because the session stopped without an end. */
  interrupt(): void {
    this.#isInputMade = this.#input === undefined && !this.#end;
    this.#input ??= {};
    this.readySinceMs ??= this.#nowMs();
    this.betterAfterMs = undefined;
    this.resultDueMs = undefined;
    if (this.#end) return;
    this.#end = { status: "interrupted", output: NO_RESULT, endMs: this.#nowMs() };
    this.isCut = true;
  }

  take(early: boolean): Draft[] {
    this.wasPassedOver = early && this.readySinceMs === undefined;
    if (this.wasPassedOver) return [];
    this.useWritten = true;
    this.#use = this.#useEntry();
    return [{ entry: this.#use }, ...this.followers.splice(0)];
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

  #finish(end: CallEnd): void {
    this.#end = end;
    this.isCut = false;
    this.resultDueMs = undefined;
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
