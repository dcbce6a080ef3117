import type { AppendRecord } from "./append-format.ts";
import type { QueueItem } from "./record-queue.ts";

/** Bytes of one write, made from queue items. */
export interface Batch {
  bytes: Uint8Array;
  /** Offset in the file of the first byte. */
  start: number;
  /**
   * End of each part within `bytes`. The first part is what must come before the items (header, repair), followed by one
   * for each item from the head of the queue. A duplicate takes no bytes.
   */
  parts: Part[];
}

export interface Part {
  end: number;
  /** Keys of the record written with this part. */
  keys: readonly string[];
  kind: "preface" | "record" | "report" | "duplicate";
}

interface BatchSource {
  start: number;
  preface: string;
  items: readonly QueueItem[];
  /** Keys in the file. */
  keys: ReadonlySet<string>;
  /** Maximum size in bytes, which the last record may exceed; a record is never split. */
  maxBytes: number;
}

/** Takes items from the head of the queue until the batch is full. */
export function makeBatch(source: BatchSource): Batch {
  const texts = [source.preface];
  let end = Buffer.byteLength(source.preface);
  const parts: Part[] = [{ end, kind: "preface", keys: [] }];
  const added = new Set<string>();
  const isThere = (key: string): boolean => source.keys.has(key) || added.has(key);
  for (const item of source.items) {
    if (end >= source.maxBytes) break;
    const record = recordFor(item.record, isThere);
    if (record === undefined) {
      parts.push({ end, kind: "duplicate", keys: [] });
      continue;
    }
    const keys = [record.key, record.stateKey].filter((key) => key !== undefined);
    for (const key of keys) added.add(key);
    texts.push(record.data);
    end += record === item.record ? item.bytes : Buffer.byteLength(record.data);
    parts.push({ end, kind: item.missing > 0 ? "report" : "record", keys });
  }
  return { bytes: encode(texts, end), start: source.start, parts };
}

/** Returns the record to write; undefined if the file has it. */
function recordFor(record: AppendRecord, isThere: (key: string) => boolean): AppendRecord | undefined {
  const { key, replacement } = record;
  if (key === undefined || !isThere(key)) return record;
  if (!replacement || !isThere(replacement.openKey) || isThere(replacement.endKey)) return undefined;
  return recordFor(replacement.record(), isThere);
}

/** Counts the parts that are complete in the first `bytes` bytes of the batch. */
export function wholeParts(batch: Batch, bytes: number): number {
  const torn = batch.parts.findIndex((part) => part.end > bytes);
  return torn === -1 ? batch.parts.length : torn;
}

/** Returns the end of the first `count` parts within the batch. */
export function partsEnd(batch: Batch, count: number): number {
  return count === 0 ? 0 : (batch.parts[count - 1]?.end ?? batch.bytes.length);
}

/** Counts the leading bytes that the batch shares with the bytes read from its position. */
export function commonLength(batch: Batch, onDisk: Uint8Array): number {
  const length = Math.min(batch.bytes.length, onDisk.length);
  let at = 0;
  while (at < length && batch.bytes[at] === onDisk[at]) at += 1;
  return at;
}

/** Encodes each text by itself, because joining first could merge lone surrogates at the boundary. */
function encode(texts: readonly string[], length: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const text of texts) at += bytes.write(text, at);
  return bytes;
}
