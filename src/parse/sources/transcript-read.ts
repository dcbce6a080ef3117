/** Reads one of our own transcripts, of either format, into units. */
import type { TranscriptItem } from "../../format/index.ts";
import type { SourceOptions, SourceUnit } from "../draft.ts";
import { TextFold } from "./transcript-fold.ts";
import { LineIndex } from "./transcript-lines.ts";
import { TranscriptUnits } from "./transcript-units.ts";

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** See `Source.read`. `open` is the format's own reader. */
export async function* readTranscriptUnits(
  chunks: AsyncIterable<Uint8Array>,
  { windowLines }: Pick<SourceOptions, "windowLines">,
  open: (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<TranscriptItem>,
): AsyncGenerator<SourceUnit[]> {
  const index = new LineIndex();
  const units = new TranscriptUnits(index, { texts: new TextFold(windowLines) });
  for await (const item of open(watched(chunks, index, units))) {
    const ready = units.add(item);
    if (ready.length > 0) yield ready;
  }
  yield units.end();
}

/** The chunks as they are, while their lines are counted. */
async function* watched(
  chunks: AsyncIterable<Uint8Array>,
  index: LineIndex,
  units: TranscriptUnits,
): AsyncGenerator<Uint8Array> {
  const start: number[] = [];
  for await (const chunk of chunks) {
    if (start.length < BYTE_ORDER_MARK.length) {
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
