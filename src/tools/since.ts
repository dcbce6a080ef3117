/** The arguments `since` and `until`, the same in all tools. */
import { readDate, readEndDate } from "../parse/read-date.ts";
import { ToolError } from "./tool-error.ts";

/** What the argument is told to be. */
export const SINCE = "7d, 12h, today or a date.";

export interface Between {
  since?: Date;
  /** Not included. */
  until?: Date;
}

/** Throws a `ToolError` (`bad_arguments`). */
export function betweenOf(given: { since?: string | undefined; until?: string | undefined }, now: Date): Between {
  const since = dateOf(given.since, "since", (text) => readDate(text, now));
  const until = dateOf(given.until, "until", (text) => readEndDate(text, now));
  return { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
}

function dateOf(text: string | undefined, field: string, read: (text: string) => Date | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const date = read(text.trim());
  if (date !== undefined) return date;
  const problem = `${field}: ${JSON.stringify(text.slice(0, 60))} is no date.`;
  const next = 'Write "12h", "7d", "4w", "today", "yesterday", "2026-01-31" or an ISO time.';
  throw new ToolError("bad_arguments", problem, next, { field });
}
