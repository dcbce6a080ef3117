/** Reads one of our own transcripts, of either format, into units. */
import type { ItemReader } from "../../transcript/format/items.ts";
import type { SourceOptions, SourceUnit } from "../message-draft.ts";
import { TextFold } from "./transcript-fold.ts";
import { LineIndex } from "./transcript-lines.ts";
import { TranscriptUnits } from "./transcript-units.ts";

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** See `Source.read`. `reader` is the format's own. */
export async function* readTranscriptUnits(
  chunks: AsyncIterable<Uint8Array>,
  { windowLines, start }: Pick<SourceOptions, "windowLines" | "start">,
  reader: ItemReader,
): AsyncGenerator<SourceUnit[]> {
  const index = new LineIndex(start);
  const units = new TranscriptUnits(index, { texts: new TextFold(windowLines), ...(start && { start }) });
  const isStart = start === undefined || start.offset === 0;
  for await (const chunk of watched(chunks, index, isStart ? units : undefined)) {
    const ready: SourceUnit[] = [];
    for await (const item of reader.push(chunk)) {
      for (const unit of units.add(item)) ready.push(unit);
    }
    if (ready.length > 0) yield ready;
  }
  for await (const item of reader.end()) yield units.add(item);
  yield units.end();
}

/** Passes chunks on unchanged and counts their lines. */
async function* watched(
  chunks: AsyncIterable<Uint8Array>,
  index: LineIndex,
  units: TranscriptUnits | undefined,
): AsyncGenerator<Uint8Array> {
  const start: number[] = [];
  for await (const chunk of chunks) {
    if (units && start.length < BYTE_ORDER_MARK.length) {
      start.push(...chunk.subarray(0, BYTE_ORDER_MARK.length - start.length));
      if (start.length === BYTE_ORDER_MARK.length && start.every((byte, at) => byte === BYTE_ORDER_MARK[at])) {
        units.note({
          code: "byte_order_mark",
          line_number: 1,
          byte_offset: 0,
          reason: "The file begins with a byte order mark, which was left out.",
          recovered: true,
        });
      }
    }
    index.push(chunk);
    yield chunk;
  }
}
