/** Telling what an input is while it is read. */
import type { Source } from "../parse/draft.ts";
import { claudeCode } from "../parse/sources/claude-code.ts";
import { detectSource } from "../parse/sources/index.ts";

/** As much of an input as the parser looks at to tell what it is. */
const HEAD_BYTES = 64 * 1024;

/**
 * The source of an input, and all its chunks. Takes no more than the source is told by, so that the beginning of a file
 * that still grows is enough. What is nothing else is read as Claude Code's, as the parser does.
 */
export async function detected(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ source: Source; rest: AsyncIterable<Uint8Array> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let size = 0;
  let source: Source | undefined;
  while (source === undefined && size < HEAD_BYTES) {
    const { done, value } = await iterator.next();
    if (done === true) break;
    first.push(value);
    size += value.length;
    source = detectSource(Buffer.concat(first, Math.min(size, HEAD_BYTES)).toString("utf8"));
  }
  return { source: source ?? claudeCode, rest: again(first, iterator) };
}

async function* again(first: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
