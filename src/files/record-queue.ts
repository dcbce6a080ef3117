import type { AppendRecord, Gap } from "./append-format.ts";
import { QUEUE_FULL } from "./fault.ts";
import type { WritePool } from "./write-pool.ts";

/** What waits to be written: a record, or the news that some are missing at this place. */
export type QueueItem =
  | { kind: "record"; record: AppendRecord; bytes: number }
  | { kind: "gap"; gap: Gap; sealed: boolean };

export interface RecordQueueOptions {
  pool: WritePool;
  /** Bytes of one file's records that may wait while writing fails. A single larger record may wait alone. */
  maxQueuedBytes: number;
  now: () => Date;
}

/**
 * The records of one file in the order in which they were accepted, with bounded memory.
 *
 * Once a record had to be dropped, all later ones are dropped too until something was written again:
 * so the missing ones are in one place, and one gap tells of them.
 */
export class RecordQueue {
  readonly #options: RecordQueueOptions;
  readonly #items: QueueItem[] = [];
  #bytes = 0;
  #accepted = 0;
  #waiting = 0;
  #unsaid = 0;
  #missing = 0;
  #dropping = false;

  constructor(options: RecordQueueOptions) {
    this.#options = options;
  }

  get items(): readonly QueueItem[] {
    return this.#items;
  }

  /** Bytes of records in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Records in memory. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Records dropped so far. */
  get missing(): number {
    return this.#missing;
  }

  /** Number of records offered so far: the place in the order of the last one. */
  get accepted(): number {
    return this.#accepted;
  }

  /** All records up to this place in the order are written, or dropped and the file says so. */
  get settled(): number {
    return this.#accepted - this.#waiting - this.#unsaid;
  }

  /** Takes a record, or counts it as missing. `faultCode` is set while writing fails. */
  push(record: AppendRecord, faultCode: string | undefined): void {
    const bytes = Buffer.byteLength(record.data);
    this.#accepted += 1;
    if (!this.#admits(bytes, faultCode)) return this.#drop(faultCode ?? QUEUE_FULL);
    this.#bytes += bytes;
    this.#waiting += 1;
    this.#items.push({ kind: "record", record, bytes });
  }

  /** Counts a record as missing that came when it was too late. */
  refuse(): void {
    this.#accepted += 1;
    this.#missing += 1;
  }

  /** Removes the first `count` items: they are in the file. */
  shift(count: number): void {
    if (count > 0) this.#dropping = false;
    for (const item of this.#items.splice(0, count)) {
      if (item.kind === "gap") this.#unsaid -= item.gap.missing;
      else this.#forget(item.bytes);
    }
  }

  /** Nothing of the last batch stayed in the file: its gaps may count on. */
  reopenGaps(): void {
    for (const item of this.#items) if (item.kind === "gap") item.sealed = false;
    // While a batch is under way its gap is sealed, and what is dropped meanwhile starts another beside it.
    for (;;) {
      const [before, last] = this.#items.slice(-2);
      if (before?.kind !== "gap" || last?.kind !== "gap") return;
      this.#items.splice(-2, 2, {
        kind: "gap",
        gap: joinGaps(before.gap, last.gap),
        sealed: false,
      });
    }
  }

  /** Drops all that waits; there will be no place to say so. */
  dropAll(): void {
    for (const item of this.#items.splice(0)) {
      if (item.kind === "gap") continue;
      this.#forget(item.bytes);
      this.#missing += 1;
    }
    this.#unsaid = 0;
  }

  #admits(bytes: number, faultCode: string | undefined): boolean {
    if (this.#dropping) return false;
    const full = this.#bytes > 0 && this.#bytes + bytes > this.#options.maxQueuedBytes;
    // A disk that works gets all the memory that the pool has: a burst is no reason to lose records.
    return !(full && faultCode !== undefined) && this.#options.pool.reserve(bytes);
  }

  #forget(bytes: number): void {
    this.#bytes -= bytes;
    this.#waiting -= 1;
    this.#options.pool.release(bytes);
  }

  #drop(reason: string): void {
    const now = this.#options.now().toISOString();
    this.#dropping = true;
    this.#missing += 1;
    this.#unsaid += 1;
    const last = this.#items.at(-1);
    if (last?.kind === "gap" && !last.sealed) {
      last.gap.missing += 1;
      last.gap.reasons[reason] = (last.gap.reasons[reason] ?? 0) + 1;
      last.gap.until = now;
      return;
    }
    const gap = { missing: 1, reasons: { [reason]: 1 }, since: now, until: now };
    this.#items.push({ kind: "gap", gap, sealed: false });
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
