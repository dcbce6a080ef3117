/** Lists the failed calls of many sessions. */
import { isReadFault } from "../places/reasons.ts";
import type { SessionRef } from "../places/session-ref.ts";
import type { Between } from "./figures.ts";
import { type CountedCalls, type ErrorQuery, type ErrorRow, errorsIn } from "./session-errors.ts";

export interface SessionFailures {
  /** With the title and folder that are in its content. */
  ref: SessionRef;
  /** In order. */
  rows: ErrorRow[];
  /** Number of damaged places, which may hide some. */
  damaged: number;
  /** Why it cannot be read. */
  fault: Error | null;
}

/** Yields the failed calls of each session, in the order of the sessions. Copies of a call count in the first. */
export async function* errorsOver(
  refs: Iterable<SessionRef> | AsyncIterable<SessionRef>,
  { between, ...query }: Omit<ErrorQuery, "counted"> & { between: Between },
): AsyncGenerator<SessionFailures> {
  const counted: CountedCalls = new Map();
  for await (const ref of refs) {
    query.signal.throwIfAborted();
    try {
      const { rows, damaged, metadata } = await errorsIn(ref, { ...query, counted });
      yield {
        ref: { ...ref, title: ref.title ?? metadata.title, project: ref.project ?? metadata.cwd },
        rows: rows.filter((row) => isBetween(row, between)),
        damaged,
        fault: null,
      };
    } catch (error) {
      if (!isReadFault(error)) throw error;
      yield { ref, rows: [], damaged: 0, fault: error };
    }
  }
}

function isBetween({ timestamp }: ErrorRow, { since, until }: Between): boolean {
  if (timestamp === null) return since === undefined && until === undefined;
  const time = new Date(timestamp);
  return (since === undefined || time >= since) && (until === undefined || time < until);
}
