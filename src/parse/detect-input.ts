/** Detects the source of an input while reading it. */
import { isFormat, type SessionContent, type Format } from "./message-draft.ts";
import { detectFormat, HEAD_BYTES } from "../agents/formats.ts";

const LINE_FEED = 10;

export interface DetectedInput {
  /** Undefined if the content is of no known source. */
  source: Format | undefined;
  /** The first bytes as text. */
  head: string;
  /** All chunks, from the first on. */
  rest: AsyncGenerator<Uint8Array>;
}

/** `isGrowing`: reads only as much as detection needs, because the rest of the head may come much later. */
export async function detectInput(chunks: SessionContent, isGrowing = false): Promise<DetectedInput> {
  if (isFormat(chunks)) return { source: chunks, head: "", rest: again([]) };
  const iterator = chunks[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let size = 0;
  let head = "";
  let source: Format | undefined;
  while (size < HEAD_BYTES && source === undefined) {
    const { done, value } = await iterator.next();
    if (done === true) break;
    first.push(value);
    size += value.length;
    // The beginning of a line may pass for one of another source.
    if (isGrowing && value.includes(LINE_FEED)) source = sourceOf();
  }
  return { source: source ?? sourceOf(), head, rest: again(first, iterator) };

  function sourceOf(): Format | undefined {
    head = Buffer.concat(first, Math.min(size, HEAD_BYTES)).toString("utf8");
    return detectFormat(head);
  }
}

async function* again(first: Uint8Array[], rest?: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for (let chunk = first.shift(); chunk; chunk = first.shift()) yield chunk;
    for (let next = await rest?.next(); next && next.done !== true; next = await rest?.next()) yield next.value;
  } finally {
    await rest?.return?.();
  }
}
