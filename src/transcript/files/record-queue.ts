import type { AppendFormat, AppendRecord, Gap } from "./append-format.ts";
import { QUEUE_FULL } from "./fault.ts";
import type { WritePool } from "./write-pool.ts";

export interface QueueItem {
  record: AppendRecord;
  bytes: number;
  /** Number of records missing at this position, if this item is the report of them; else 0. */
  missing: number;
}

export interface RecordQueueOptions {
  pool: WritePool;
  format: Pick<AppendFormat, "gap">;
  /** Maximum number of bytes waiting for one file while writing fails. A single larger record may wait alone. */
  maxQueuedBytes: number;
  now: () => Date;
}

/**
 * Records of one file in the order of acceptance, with bounded memory.
 *
 * Once a record is dropped, all later ones are dropped too until something is written again. So the missing ones are at
 * one position, the end of the queue, and one item reports them.
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
  /** Number of dropped records that the file does not report yet. */
  #unsaid = 0;
  /** Dropped records that no item reports yet. */
  #gap: Gap | undefined;

  constructor(options: RecordQueueOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.items.length === 0 && this.#gap === undefined;
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
    this.items.push({ record, bytes, missing: 0 });
  }

  /** Removes the first `count` items, which are in the file. */
  shift(count: number): void {
    for (const item of this.items.splice(0, count)) {
      this.#unsaid -= item.missing;
      this.#forget(item);
    }
    if (count > 0) this.report();
  }

  /** Queues the report of the dropped records, if there are any. Records are then accepted again. */
  report(): void {
    const gap = this.#gap;
    if (gap === undefined) return;
    this.#gap = undefined;
    const data = this.#options.format.gap(gap);
    this.items.push({ record: { data }, bytes: Buffer.byteLength(data), missing: gap.missing });
  }

  #admits(bytes: number, faultCode: string | undefined): boolean {
    if (this.#gap !== undefined) return false;
    const full = this.bytes > 0 && this.bytes + bytes > this.#options.maxQueuedBytes;
    // While the disk works, a file may use all memory of the pool, so that a burst loses no records.
    return !(full && faultCode !== undefined) && this.#options.pool.reserve(bytes);
  }

  #forget({ bytes, missing }: QueueItem): void {
    if (missing > 0) return;
    this.bytes -= bytes;
    this.waiting -= 1;
    this.#options.pool.release(bytes);
  }

  #drop(reason: string): void {
    const now = this.#options.now().toISOString();
    this.missing += 1;
    this.#unsaid += 1;
    this.#gap ??= { missing: 0, reasons: {}, since: now, until: now };
    this.#gap.missing += 1;
    this.#gap.reasons[reason] = (this.#gap.reasons[reason] ?? 0) + 1;
    this.#gap.until = now;
  }
}
