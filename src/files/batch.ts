import type { AppendFormat } from "./append-format.ts";
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
  /** The key of a record that is written with this part. */
  key?: string;
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
  const parts: Part[] = [{ end, kind: "preface" }];
  const keys = new Set<string>();
  for (const item of source.items) {
    if (end >= source.maxBytes) break;
    if (item.kind === "gap") {
      item.sealed = true;
      const text = source.format.gap(item.gap);
      texts.push(text);
      parts.push({ end: (end += Buffer.byteLength(text)), kind: "gap" });
    } else if (item.key !== undefined && (source.keys.has(item.key) || keys.has(item.key))) {
      parts.push({ end, kind: "duplicate" });
    } else {
      if (item.key !== undefined) keys.add(item.key);
      texts.push(item.data);
      parts.push({
        end: (end += item.bytes),
        kind: "record",
        ...(item.key !== undefined && { key: item.key }),
      });
    }
  }
  return { bytes: encode(texts, end), start: source.start, parts };
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
