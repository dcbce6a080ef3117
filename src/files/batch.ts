import type { AppendFormat, AppendRecord } from "./append-format.ts";
import type { QueueItem } from "./record-queue.ts";

/** Queue items made into the bytes of one write. */
export interface Batch {
  bytes: Uint8Array;
  /** Offset in the file of the first byte. */
  start: number;
  /**
   * Where each part ends within `bytes`. The first part is what must stand before the items (header, repair);
   * then comes one for each item from the head of the queue. A duplicate takes no bytes.
   */
  parts: Part[];
}

export interface Part {
  end: number;
  /** The keys of a record that is written with this part. */
  keys: readonly string[];
  kind: "preface" | "record" | "gap" | "duplicate";
}

interface BatchSource {
  start: number;
  preface: string;
  items: readonly QueueItem[];
  /** Keys in the file. */
  keys: ReadonlySet<string>;
  format: Pick<AppendFormat, "gap">;
  /** No further record is taken once there are so many bytes; a record is never split. */
  maxBytes: number;
}

/** Takes items from the head of the queue until the batch is full. Gaps in it are sealed: they count no further. */
export function makeBatch(source: BatchSource): Batch {
  const texts = [source.preface];
  let end = Buffer.byteLength(source.preface);
  const parts: Part[] = [{ end, kind: "preface", keys: [] }];
  const added = new Set<string>();
  const isThere = (key: string): boolean => source.keys.has(key) || added.has(key);
  for (const item of source.items) {
    if (end >= source.maxBytes) break;
    if (item.kind === "gap") {
      item.sealed = true;
      const text = source.format.gap(item.gap);
      texts.push(text);
      parts.push({ end: (end += Buffer.byteLength(text)), kind: "gap", keys: [] });
      continue;
    }
    const record = recordFor(item.record, isThere);
    if (record === undefined) {
      parts.push({ end, kind: "duplicate", keys: [] });
      continue;
    }
    const keys = [record.key, record.stateKey].filter((key) => key !== undefined);
    for (const key of keys) added.add(key);
    texts.push(record.data);
    end += record === item.record ? item.bytes : Buffer.byteLength(record.data);
    parts.push({ end, kind: "record", keys });
  }
  return { bytes: encode(texts, end), start: source.start, parts };
}

/** The record as the file needs it; undefined if the file has it. */
function recordFor(record: AppendRecord, isThere: (key: string) => boolean): AppendRecord | undefined {
  const { key, replacement } = record;
  if (key === undefined || !isThere(key)) return record;
  if (!replacement || !isThere(replacement.openKey) || isThere(replacement.endKey)) return undefined;
  return recordFor(replacement.record(), isThere);
}

/** How many parts of the batch are whole in its first `bytes` bytes. */
export function wholeParts(batch: Batch, bytes: number): number {
  const torn = batch.parts.findIndex((part) => part.end > bytes);
  return torn === -1 ? batch.parts.length : torn;
}

/** Where the first `count` parts end within the batch. */
export function partsEnd(batch: Batch, count: number): number {
  return count === 0 ? 0 : (batch.parts[count - 1]?.end ?? batch.bytes.length);
}

/** How many bytes the batch and what was read from its place have in common, from the start. */
export function commonLength(batch: Batch, onDisk: Uint8Array): number {
  const length = Math.min(batch.bytes.length, onDisk.length);
  let at = 0;
  while (at < length && batch.bytes[at] === onDisk[at]) at += 1;
  return at;
}

/** Each text by itself: joined first, a lone surrogate at an end could merge with one at the next beginning. */
function encode(texts: readonly string[], length: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const text of texts) at += bytes.write(text, at);
  return bytes;
}
