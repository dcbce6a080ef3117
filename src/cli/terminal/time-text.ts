/** Formats times in local time. */

/** Formats `2026-01-31 14:03`; empty without a time. */
export function dayAndTime(time: string | number | null): string {
  const date = dateOf(time);
  return date === undefined ? "" : `${day(date)} ${clock(date).slice(0, 5)}`;
}

/** Formats `14:03:22`; empty without a time. */
export function clockTime(time: string | number | null): string {
  const date = dateOf(time);
  return date === undefined ? "" : clock(date);
}

function dateOf(time: string | number | null): Date | undefined {
  if (time === null) return undefined;
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function day(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function clock(date: Date): string {
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
