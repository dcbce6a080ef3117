import type { Draft } from "../draft.ts";
import type { CallHintRecord, CallRecord, ResultHintRecord } from "../records.ts";
import { CallItem } from "./call-item.ts";
import { CallLedger } from "./call-ledger.ts";
import { isReady, type Item } from "./item.ts";
import type { Stage } from "./stage.ts";

/** The tool calls that have no result yet. */
export class Calls {
  readonly #ledger: CallLedger;
  /** Calls whose turn passed while their arguments were still streamed: written as soon as they are known. */
  readonly #passedOver = new Set<CallItem>();
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#ledger = new CallLedger(stage.nowMs);
  }

  get size(): number {
    return this.#ledger.size;
  }

  /** The messages that they belong to, as far as known. */
  messageIDs(): string[] {
    return Array.from(this.#ledger, ({ messageID }) => messageID ?? []).flat();
  }

  /** The host's own record of a call. */
  accept(record: CallRecord): void {
    const { written, queue } = this.#stage;
    if (written.has(record.partID) && !this.#ledger.isLateEnd(record)) return;
    const found = this.#ledger.forRecord(record);
    if (!found) return written.add(record.partID);
    const { call, isNew } = found;
    // Its key may change with its first record: take it out while that happens.
    const isQueued = !isNew && queue.remove(call);
    call.update(record);
    if (isNew || isQueued) queue.add(call);
  }

  /** A hook saw a call begin. `confirms`: the host's own record of it will come. */
  hintUse(hint: CallHintRecord, confirms: boolean): void {
    const { call, isNew } = this.#ledger.forUse(hint);
    call.hintUse(hint, confirms);
    if (isNew) this.#stage.queue.add(call);
  }

  /** A hook saw a call end. `confirms`: the host's own record of it will come. */
  hintResult(hint: ResultHintRecord, confirms: boolean): void {
    const found = this.#ledger.forResult(hint);
    if (!found) return;
    found.call.hintResult(hint, confirms);
    if (found.isNew) this.#stage.queue.add(found.call);
  }

  /** Something that follows the call is about to be written: the call should stand before it. */
  hurry(callID: string): void {
    this.#ledger.byCallID(callID)?.hurry();
  }

  /** Has the draft written right behind the call. False if the call is written, or not known. */
  attach(callID: string, draft: Draft): boolean {
    const call = this.#ledger.byCallID(callID);
    if (!call || call.useWritten) return false;
    call.followers.push(draft);
    return true;
  }

  interrupt(): void {
    for (const call of this.#ledger) call.interrupt();
  }

  onTurn(item: Item, early: boolean): void {
    if (item instanceof CallItem && early && !item.useWritten) this.#passedOver.add(item);
  }

  /** Writes the results that are due, each after its use. */
  settle(nowMs: number): void {
    for (const call of this.#ledger.overflow()) call.interrupt();
    for (const call of this.#passedOver) {
      if (!isReady(call, nowMs)) continue;
      this.#passedOver.delete(call);
      this.#stage.emit(call.take(false));
    }
    for (const call of this.#ledger) {
      if (!call.useWritten || !call.isEnded(nowMs)) continue;
      this.#stage.emit(call.takeResult());
      this.#ledger.close(call);
      if (call.partID !== undefined) this.#stage.written.add(call.partID);
    }
  }

  nextDueMs(): number | undefined {
    const due: number[] = [];
    for (const call of this.#passedOver) {
      if (call.readySinceMs !== undefined) due.push(call.betterAfterMs ?? call.readySinceMs);
    }
    // A result whose use was not written waits for that.
    for (const call of this.#ledger) if (call.useWritten && call.resultDueMs !== undefined) due.push(call.resultDueMs);
    return due.length === 0 ? undefined : Math.min(...due);
  }
}
