/** What the readers take, as chunks of bytes. */

/** A whole transcript, or its chunks in order. Chunks may end anywhere, within a character too. */
export type TranscriptInput =
  | string
  | Uint8Array
  | AsyncIterable<string | Uint8Array>
  | ReadableStream<string | Uint8Array>;

/** The input's bytes. Offsets in a transcript are offsets in these. */
export async function* chunksOf(input: TranscriptInput): AsyncGenerator<Uint8Array> {
  if (typeof input === "string") yield* encodeChunks(piecesOf(input));
  else if (input instanceof Uint8Array) yield input;
  else yield* encodeChunks(Symbol.asyncIterator in input ? input : fromStream(input));
}

/** Characters that are encoded at a time: the whole of a large text as bytes would be the same memory again. */
const PIECE_CHARACTERS = 256 * 1024;

async function* piecesOf(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) yield text.slice(at, at + PIECE_CHARACTERS);
}

async function* encodeChunks(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  let held = "";
  for await (const chunk of chunks) {
    if (typeof chunk !== "string") {
      if (held !== "") yield Buffer.from(held);
      held = "";
      yield chunk;
      continue;
    }
    const text = held + chunk;
    // The first half of a surrogate pair waits for the second.
    const splits = /[\ud800-\udbff]$/.test(text);
    held = splits ? text.slice(-1) : "";
    yield Buffer.from(splits ? text.slice(0, -1) : text);
  }
  if (held !== "") yield Buffer.from(held);
}

async function* fromStream<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
