import type { CallHintRecord, CallRecord, ResultHintRecord } from "../records.ts";
import { CallItem } from "./call-item.ts";

/** Open calls that a session keeps; beyond it the oldest counts as ended without a result. */
const MAX_OPEN_CALLS = 1_000;
/** Sorts behind all ids of the host. */
const BEHIND_ALL = "\uffff";

/**
 * The calls of one session that have no result yet: the cache of their inputs. Hooks know a call by its call id,
 * which providers repeat; the host's records know it by its part id. A call leaves with its result,
 * whatever that is, or with its session.
 */
export class CallLedger {
  readonly #open = new Set<CallItem>();
  /** Calls that were written from hooks alone, by call id, to know the host's late record of them. */
  readonly #hookOnly = new Set<string>();
  /** Ids of calls that have their result, to know a hook that tells of it late. */
  readonly #closed = new Set<string>();
  /** Calls whose end is the recorder's, by part id: the host may still tell how they ended. */
  readonly #cut = new Map<string, CallItem>();
  #sequence = 0;
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Ids of calls that are over and still known. */
  get remembered(): number {
    return this.#hookOnly.size + this.#closed.size;
  }

  [Symbol.iterator](): IterableIterator<CallItem> {
    return this.#open.values();
  }

  /** Whether the record tells how a call ended of which the recorder wrote that it was interrupted. */
  isLateEnd({ partID, end }: CallRecord): boolean {
    return end !== undefined && this.#cut.has(partID);
  }

  /** The call of a record: by part id, or one that only a hook has told of. Undefined: it was written already. */
  forRecord(record: CallRecord): { call: CallItem; isNew: boolean } | undefined {
    const cut = this.isLateEnd(record) ? this.#cut.get(record.partID) : undefined;
    if (cut) {
      this.#cut.delete(record.partID);
      this.#open.add(cut);
      return { call: cut, isNew: false };
    }
    for (const call of this.#open) if (call.partID === record.partID) return { call, isNew: false };
    const fromHook = this.#find(record.callID, record.partID, (call) => call.partID === undefined);
    if (fromHook) return { call: fromHook, isNew: false };
    if (this.#hookOnly.delete(record.callID) || this.#hookOnly.delete(record.partID)) return undefined;
    return { call: this.#add(record.partID, record.callID, record.tool), isNew: true };
  }

  /** The call that a hook saw begin: one whose input is not known yet, else one that the host told of in full. */
  forUse(hint: CallHintRecord): { call: CallItem; isNew: boolean } {
    const known =
      this.#find(hint.callID, hint.callID, (call) => !call.hasInput && !call.useWritten) ??
      this.#find(hint.callID, hint.callID, (call) => call.partID !== undefined);
    if (known) return { call: known, isNew: false };
    this.#closed.delete(hint.callID);
    return { call: this.#add(this.#keyBehindAll(), hint.callID, hint.tool), isNew: true };
  }

  /** The call that a hook saw end. Undefined: its result is written. */
  forResult(hint: ResultHintRecord): { call: CallItem; isNew: boolean } | undefined {
    const known = this.#find(hint.callID, hint.callID, (call) => !call.hasEnd);
    if (known) return { call: known, isNew: false };
    // A provider that gives two calls of one answer the same id gets one part of the host's for both, and one result.
    const isOver = this.#find(hint.callID, hint.callID, (call) => call.partID !== undefined) !== undefined;
    if (isOver || this.#closed.has(hint.callID)) return undefined;
    return { call: this.#add(this.#keyBehindAll(), hint.callID, hint.tool), isNew: true };
  }

  /** The open call of that id, if any. */
  byCallID(callID: string): CallItem | undefined {
    return this.#find(callID, callID, () => true);
  }

  /** Calls that cannot be kept any longer. */
  overflow(): CallItem[] {
    return this.#open.size <= MAX_OPEN_CALLS ? [] : [...this.#open].slice(0, this.#open.size - MAX_OPEN_CALLS);
  }

  close(call: CallItem): void {
    this.#open.delete(call);
    if (call.partID === undefined) addBounded(this.#hookOnly, call.callID);
    else addBounded(this.#closed, call.partID);
    addBounded(this.#closed, call.callID);
    if (!call.isCut || call.partID === undefined) return;
    this.#cut.set(call.partID, call);
    const oldest = this.#cut.size > MAX_OPEN_CALLS ? this.#cut.keys().next().value : undefined;
    if (oldest !== undefined) this.#cut.delete(oldest);
  }

  #add(key: string, callID: string, tool: string): CallItem {
    const call = new CallItem(key, callID, tool, this.#nowMs);
    this.#open.add(call);
    return call;
  }

  /** For a slash command's subtask the hooks give the part's id as call id. */
  #find(callID: string, partID: string, fits: (call: CallItem) => boolean): CallItem | undefined {
    const isMeant = (call: CallItem): boolean =>
      call.callID === callID || call.callID === partID || call.partID === partID;
    return [...this.#open].findLast((call) => isMeant(call) && fits(call));
  }

  #keyBehindAll(): string {
    return `${BEHIND_ALL}${String(this.#sequence++).padStart(12, "0")}`;
  }
}

function addBounded(ids: Set<string>, id: string): void {
  ids.add(id);
  const oldest = ids.size > MAX_OPEN_CALLS ? ids.values().next().value : undefined;
  if (oldest !== undefined) ids.delete(oldest);
}
