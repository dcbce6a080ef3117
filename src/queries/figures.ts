/** Figures of sessions that are read: those outside of the store, and parts of sessions. */
import { given } from "../given.ts";
import type { Figures } from "../sessions/read-figures.ts";
import { readDate, readEndDate } from "../parse/read-date.ts";
import { msOf } from "../parse/times.ts";
import { isReadFault } from "../places/reasons.ts";
import type { SessionRef } from "../places/session-ref.ts";
import { fieldError } from "../transcripts-error.ts";

export interface SessionFigures {
  ref: SessionRef;
  /** Null if the session could not be read. */
  figures: Figures | null;
  /** Reason why it could not be read, and what to do next, as text for people. */
  problem: string | null;
}

/** Returns the session that started this one. For older subagents of Claude Code, only the content names it. */
export function parentOf({ ref, figures }: { ref: SessionRef; figures: Figures | null }): string | null {
  const { parentSessionId = null, sessionId = null } = figures?.metadata ?? {};
  return ref.parentId ?? (ref.agentId === null ? parentSessionId : sessionId);
}

export interface Between {
  since?: Date;
  /** Exclusive. */
  until?: Date;
}

/** Reads a range of dates as a person or a model writes them. Throws a `TranscriptsError` (`bad_arguments`). */
export function readBetween(asked: { since?: string | undefined; until?: string | undefined }, now: Date): Between {
  const since = dateIn(asked.since, "since", (text) => readDate(text, now));
  const until = dateIn(asked.until, "until", (text) => readEndDate(text, now));
  if (since !== undefined && until !== undefined && since >= until)
    throw fieldError("bad_arguments", "since", "The start is later than the end.", "Swap the two.");
  return given({ since, until });
}

function dateIn(text: string | undefined, field: string, read: (text: string) => Date | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const date = read(text.trim());
  if (date !== undefined) return date;
  const problem = `${JSON.stringify(text.slice(0, 60))} is not a date.`;
  throw fieldError(
    "bad_arguments",
    field,
    problem,
    'Write "12h", "7d", "4w", "today", "yesterday", "2026-01-31" or an ISO time.',
  );
}

/** Reads the figures of a session, or of its part between two times; `stdin`: for a session on standard input. */
export async function readFigures(
  ref: SessionRef,
  options: { between?: Between | undefined; stdin?: AsyncIterable<Uint8Array>; signal?: AbortSignal } = {},
): Promise<SessionFigures> {
  try {
    const { figuresOf } = await import("../sessions/read-figures.ts");
    const figures = await figuresOf(ref, given(options));
    return { ref, figures, problem: null };
  } catch (error) {
    if (!isReadFault(error)) throw error;
    return { ref, figures: null, problem: error.message };
  }
}

/**
 * Returns the figures between two times, for sessions active in that time. A session that extends beyond it is read
 * again, because its figures have no times.
 */
export async function figuresBetween(
  read: readonly SessionFigures[],
  between: Between,
  signal: AbortSignal,
): Promise<SessionFigures[]> {
  const inside: SessionFigures[] = [];
  for (const each of read) {
    signal.throwIfAborted();
    const part = each.figures === null ? each : await partBetween(each.ref, each.figures, between);
    if (part !== undefined) inside.push(part);
  }
  return inside;
}

async function partBetween(ref: SessionRef, whole: Figures, between: Between): Promise<SessionFigures | undefined> {
  const first = msOf(whole.metadata.firstTimestamp);
  const last = msOf(whole.metadata.lastTimestamp);
  const since = between.since?.getTime() ?? Number.NEGATIVE_INFINITY;
  const until = between.until?.getTime() ?? Number.POSITIVE_INFINITY;
  if (first === null || last === null || last < since || first >= until) return undefined;
  if (first >= since && last < until) return { ref, figures: whole, problem: null };
  const part = await readFigures(ref, { between });
  return part.figures?.stats.total_messages === 0 ? undefined : part;
}
