/** Times for a person, in their own time zone. */

/** `2026-01-31 14:03`; empty if there is none. */
export function dayAndTime(time: string | number | null): string {
  const date = dateOf(time);
  return date === undefined ? "" : `${day(date)} ${clock(date).slice(0, 5)}`;
}

/** `14:03:22`; empty if there is none. */
export function clockTime(time: string | number | null): string {
  const date = dateOf(time);
  return date === undefined ? "" : clock(date);
}

/** Milliseconds since 1970; null if it is no time. */
export function millisecondsOf(time: string | null): number | null {
  const date = dateOf(time);
  return date === undefined ? null : date.getTime();
}

/** As JSON has it; null if there is none. */
export function isoTime(time: number | null): string | null {
  const date = dateOf(time);
  return date === undefined ? null : date.toISOString();
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
