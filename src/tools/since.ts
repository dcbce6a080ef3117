/** The argument `since`, the same in all tools. */
import { readDate } from "../parse/read-date.ts";
import { ToolError } from "./tool-error.ts";

/** What the argument is told to be. */
export const SINCE = "7d, 12h, today or a date.";

/** Throws a `ToolError` (`bad_arguments`). */
export function sinceOf(text: string | undefined, now: Date): Date | undefined {
  if (text === undefined) return undefined;
  const date = readDate(text.trim(), now);
  if (date !== undefined) return date;
  const problem = `since: ${JSON.stringify(text.slice(0, 60))} is no date.`;
  const next = 'Write "12h", "7d", "4w", "today", "yesterday", "2026-01-31" or an ISO time.';
  throw new ToolError("bad_arguments", problem, next, { field: "since" });
}
