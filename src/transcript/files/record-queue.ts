import type { AppendRecord, Gap } from "./append-format.ts";
import { QUEUE_FULL } from "./fault.ts";
import type { WritePool } from "./write-pool.ts";

/** Item to be written: a record, or a gap that reports missing ones. */
export type QueueItem =
  | { kind: "record"; record: AppendRecord; bytes: number }
  | { kind: "gap"; gap: Gap; sealed: boolean };

export interface RecordQueueOptions {
  pool: WritePool;
  /** Maximum number of bytes waiting for one file while writing fails. A single larger record may wait alone. */
  maxQueuedBytes: number;
  now: () => Date;
}

/**
 * Records of one file in the order of acceptance, with bounded memory.
 *
 * Once a record is dropped, all later ones are dropped too until something is written again. So the missing ones are at
 * one position, and one gap reports them.
 */
export class RecordQueue {
  readonly #options: RecordQueueOptions;
  readonly items: QueueItem[] = [];
  /** Bytes of records in memory. */
  bytes = 0;
  /** Number of records offered so far. */
  accepted = 0;
  /** Number of records in memory. */
  waiting = 0;
  /** Number of records dropped so far. */
  missing = 0;
  /** Number of those that the file does not report yet. */
  #unsaid = 0;
  #dropping = false;

  constructor(options: RecordQueueOptions) {
    this.#options = options;
  }

  /** Number of leading records that are written, or dropped and reported in the file. */
  get settled(): number {
    return this.accepted - this.waiting - this.#unsaid;
  }

  /** Accepts a record, or counts it as missing. `faultCode` is set while writing fails. */
  push(record: AppendRecord, faultCode: string | undefined): void {
    const bytes = Buffer.byteLength(record.data);
    this.accepted += 1;
    if (!this.#admits(bytes, faultCode)) return this.#drop(faultCode ?? QUEUE_FULL);
    this.bytes += bytes;
    this.waiting += 1;
    this.items.push({ kind: "record", record, bytes });
  }

  /** Counts a record as missing that came after the file was closed. */
  refuse(): void {
    this.accepted += 1;
    this.missing += 1;
  }

  /** Removes the first `count` items, which are in the file. */
  shift(count: number): void {
    if (count > 0) this.#dropping = false;
    for (const item of this.items.splice(0, count)) {
      if (item.kind === "gap") this.#unsaid -= item.gap.missing;
      else this.#forget(item.bytes);
    }
  }

  /** Unseals the gaps of the last batch, of which nothing is in the file. */
  reopenGaps(): void {
    for (const item of this.items) if (item.kind === "gap") item.sealed = false;
    // While a batch is being written its gap is sealed, and records dropped meanwhile start another gap after it.
    for (;;) {
      const [before, last] = this.items.slice(-2);
      if (before?.kind !== "gap" || last?.kind !== "gap") return;
      this.items.splice(-2, 2, {
        kind: "gap",
        gap: joinGaps(before.gap, last.gap),
        sealed: false,
      });
    }
  }

  /** Drops all waiting records; the file cannot report them any more. */
  dropAll(): void {
    for (const item of this.items.splice(0)) {
      if (item.kind === "gap") continue;
      this.#forget(item.bytes);
      this.missing += 1;
    }
    this.#unsaid = 0;
  }

  #admits(bytes: number, faultCode: string | undefined): boolean {
    if (this.#dropping) return false;
    const full = this.bytes > 0 && this.bytes + bytes > this.#options.maxQueuedBytes;
    // While the disk works, a file may use all memory of the pool, so that a burst loses no records.
    return !(full && faultCode !== undefined) && this.#options.pool.reserve(bytes);
  }

  #forget(bytes: number): void {
    this.bytes -= bytes;
    this.waiting -= 1;
    this.#options.pool.release(bytes);
  }

  #drop(reason: string): void {
    const now = this.#options.now().toISOString();
    this.#dropping = true;
    this.missing += 1;
    this.#unsaid += 1;
    const last = this.items.at(-1);
    if (last?.kind === "gap" && !last.sealed) {
      last.gap.missing += 1;
      last.gap.reasons[reason] = (last.gap.reasons[reason] ?? 0) + 1;
      last.gap.until = now;
      return;
    }
    const gap = { missing: 1, reasons: { [reason]: 1 }, since: now, until: now };
    this.items.push({ kind: "gap", gap, sealed: false });
  }
}

function joinGaps(first: Gap, second: Gap): Gap {
  const reasons = { ...first.reasons };
  for (const [reason, count] of Object.entries(second.reasons)) reasons[reason] = (reasons[reason] ?? 0) + count;
  return {
    missing: first.missing + second.missing,
    reasons,
    since: first.since,
    until: second.until,
  };
}
