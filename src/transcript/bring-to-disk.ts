import type { SessionRecording } from "./session-recording.ts";

export interface FlushReport {
  /** Everything accepted before is on disk. */
  complete: boolean;
  /** Entries that wait for the disk. */
  waiting: number;
  /** Entries that were dropped; the transcripts say where. */
  missing: number;
}

interface Time {
  nowMs: () => number;
  delay: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Share of the time after which large results are written in their short form, where the process ends. */
const SHARE_FOR_LARGE = 0.75;

/**
 * Waits until all entries of these sessions so far are on disk, but no longer than `timeoutMs`. `isEnd`: there will be no
 * more time, so that large results are cut short before it is over.
 */
export async function bringToDisk(
  sessions: readonly SessionRecording[],
  timeoutMs: number,
  { nowMs, delay }: Time,
  isEnd: boolean,
): Promise<FlushReport> {
  const deadline = nowMs() + timeoutMs;
  const handedOver = new AbortController();
  const handOver = allHandedOver(sessions);
  const cutShort = (): void => {
    if (handedOver.signal.aborted) return;
    for (const session of sessions) session.cutShort();
  };
  if (isEnd) void delay(timeoutMs * SHARE_FOR_LARGE, handedOver.signal).then(cutShort);
  await Promise.race([handOver.finally(() => handedOver.abort()), delay(timeoutMs, handedOver.signal)]);
  const files = sessions.flatMap(({ openOutputs }) => openOutputs.map(({ file }) => file));
  const results = await Promise.all(files.map((file) => file.flush(Math.max(0, deadline - nowMs()))));
  let waiting = sessions.reduce((sum, session) => sum + session.waiting, 0);
  let complete = waiting === 0;
  let missing = 0;
  for (const result of results) {
    complete &&= result.complete;
    waiting += result.waiting;
    missing += result.missing;
  }
  return { complete, waiting, missing };
}

/** Twice: what one session hands over may link to another, whose file is begun with that. */
async function allHandedOver(sessions: readonly SessionRecording[]): Promise<void> {
  await Promise.all(sessions.map((session) => session.handOverAll()));
  await Promise.all(sessions.map((session) => session.handOverAll()));
}
