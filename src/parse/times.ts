/** Times as sources give them. */

const ISO_UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/;

/** A time as ISO 8601 text: texts that can be read as a time stay as they are, numbers are milliseconds or seconds. */
export function timeOf(value: unknown): string | undefined {
  if (typeof value === "string") return ISO_UTC.test(value) || !Number.isNaN(Date.parse(value)) ? value : undefined;
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) return undefined;
  // Seconds would be below this until the year 5138.
  const date = new Date(value < 1e11 ? value * 1_000 : value);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** The earliest and the latest of some times, which need not come in order. */
export class TimeSpan {
  first: string | null = null;
  last: string | null = null;
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
      this.#lastMs = ms;
      this.last = time;
    }
  }

  get durationMs(): number {
    return this.first === null ? 0 : this.#lastMs - this.#firstMs;
  }
}
