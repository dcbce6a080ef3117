/** Decompresses session files: some agents compress those of sessions that are idle. */
import { pipeline, Readable } from "node:stream";
import * as zlib from "node:zlib";
import { TranscriptsError } from "../transcripts-error.ts";

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];

/** Returns whether bytes begin as those of a compressed file do. */
export function isZstd(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, at) => bytes[at] === byte);
}

/**
 * Yields the content of a file, decompressed if it is compressed; of one that ends too early, as much as there is. Throws a
 * `TranscriptsError` (`unsupported`) if the runtime has no zstd. `name`: the file in the error's message.
 */
export async function* unpacked(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  create: typeof zlib.createZstdDecompress | null = zlib.createZstdDecompress,
): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]();
  const first = await source.next();
  const whole = startingWith(first, source);
  if (first.done === true || !isZstd(first.value)) return yield* whole;
  const decoder = decoderFor(name, create);
  pipeline(Readable.from(whole), decoder, () => undefined);
  yield* decoder;
}

async function* startingWith(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** `create` is missing in older versions of Node.js. */
function decoderFor(name: string, create: typeof zlib.createZstdDecompress | null): zlib.ZstdDecompress {
  if (typeof create === "function") return create();
  const problem = `${name} is compressed with zstd, which this version of Node.js cannot read.`;
  throw new TranscriptsError("unsupported", problem, "Use Node.js 22.15 or later, or Bun.", { path: name });
}
