/** Parses dates typed by people. */
const HOURS = { h: 1, d: 24, w: 168 } as const;
const HOUR_MS = 3_600_000;

/**
 * Parses `today` and `yesterday` (their start, local time), an age (`12h`, `7d`, `4w`), a day (`2026-01-31`, local time) or
 * an ISO time. Undefined for anything else.
 */
export function readDate(text: string, now: Date): Date | undefined {
  if (text === "today") return startOfDay(now, 0);
  if (text === "yesterday") return startOfDay(now, -1);
  const [, count, unit] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  if (unit === "h" || unit === "d" || unit === "w")
    return new Date(now.getTime() - Number(count) * HOURS[unit] * HOUR_MS);
  if (!/^\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/.test(text)) return undefined;
  // A date without a time would be parsed as UTC.
  const date = new Date(text.length === 10 ? `${text}T00:00:00` : text);
  if (Number.isNaN(date.getTime())) return undefined;
  // 2026-02-31 would become a day in March.
  return text.length > 10 || date.getDate() === Number(text.slice(8)) ? date : undefined;
}

/** Like `readDate`, for the end of a range: for a day, returns the start of the next one. */
export function readEndDate(text: string, now: Date): Date | undefined {
  const date = readDate(text, now);
  const isDay = text === "today" || text === "yesterday" || text.length === 10;
  return date !== undefined && isDay ? startOfDay(date, 1) : date;
}

function startOfDay(now: Date, days: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
}
