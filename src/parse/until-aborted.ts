/** Stopping an input, also one that stands still. */

/**
 * The chunks until the signal comes, which ends the wait for a chunk too. `onAbort` is called if that cut the input
 * short. A failure of the input is passed on, unless it comes after the signal.
 */
export async function* untilAborted(
  chunks: AsyncGenerator<Uint8Array>,
  signal: AbortSignal,
  onAbort: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const next = await nextOrAbort(chunks, signal);
      if (next === undefined) return onAbort();
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // An input that waits for a chunk ends only when that has come: whoever gave the signal does not wait for it.
    const closed = Promise.allSettled([chunks.return(undefined)]);
    if (!signal.aborted) await closed;
  }
}

async function nextOrAbort(
  chunks: AsyncGenerator<Uint8Array>,
  signal: AbortSignal,
): Promise<IteratorResult<Uint8Array, unknown> | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const stop = (): void => resolve(undefined);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return signal.aborted ? undefined : await Promise.race([chunks.next(), aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
