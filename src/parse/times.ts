/** Parses times in sessions. */

const ISO_UTC_MS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const ISO_UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/;

/** Other texts are parsed as the runtime pleases: "20436" would be a year. */
const ISO_DATE = /^\d{4}-\d{2}-\d{2}(?!\d)/;
/** From the year 10000 on, times have another form, and no longer sort as texts. */
const END_MS = Date.UTC(10_000, 0);

/** Returns a time as ISO 8601. Valid texts are unchanged, numbers are milliseconds or seconds. */
export function timeOf(value: unknown): string | undefined {
  if (typeof value === "string") {
    return ISO_UTC.test(value) || (ISO_DATE.test(value) && Date.parse(value) < END_MS) ? value : undefined;
  }
  if (typeof value !== "number" || !(value > 0)) return undefined;
  // Seconds are below this until the year 5138.
  const ms = value < 1e11 ? value * 1_000 : value;
  return ms < END_MS ? new Date(ms).toISOString() : undefined;
}

/** Returns a time in milliseconds since 1970; null for none, and for an invalid one. */
export function msOf(time: string | null | undefined): number | null {
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? null : ms;
}

/** Returns a valid time as ISO 8601 in UTC, in milliseconds. */
export function inUtc(time: string | null): string | null {
  return time === null || ISO_UTC_MS.test(time) ? time : new Date(time).toISOString();
}

/** Longer pauses do not count as active time. */
const MAX_PAUSE_MS = 5 * 60 * 1_000;

/** Tracks the earliest and latest of times in any order, and the time between without long pauses. */
export class TimeSpan {
  first: string | null = null;
  last: string | null = null;
  activeMs = 0;
  #firstMs = Number.POSITIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;

  add(time: string): void {
    const ms = Date.parse(time);
    if (Number.isNaN(ms)) return;
    if (ms < this.#firstMs) {
      this.#firstMs = ms;
      this.first = time;
    }
    if (ms > this.#lastMs) {
      if (ms - this.#lastMs <= MAX_PAUSE_MS) this.activeMs += ms - this.#lastMs;
      this.#lastMs = ms;
      this.last = time;
    }
  }

  get durationMs(): number {
    return this.first === null ? 0 : this.#lastMs - this.#firstMs;
  }
}

/** Decides what is in a range of time, from `since` on and before `until`. Without a range, everything is. */
export class TimeFilter {
  readonly #range: { since?: Date | undefined; until?: Date | undefined } | undefined;
  /** Latest time of `isNextIn`. */
  #time = "";

  constructor(range: { since?: Date | undefined; until?: Date | undefined } | undefined) {
    this.#range = range;
  }

  isIn(time: string): boolean {
    if (this.#range === undefined) return true;
    const { since, until } = this.#range;
    const ms = Date.parse(time);
    return (since === undefined || ms >= since.getTime()) && (until === undefined || ms < until.getTime());
  }

  /** Called for messages in order: one without a time has that of the previous one. */
  isNextIn(time: string | null): boolean {
    this.#time = time ?? this.#time;
    return this.isIn(this.#time);
  }
}
