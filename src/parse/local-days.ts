/** Days of the calendar in a time zone. */

/** Every zone in use changes its day, and its offset, on a quarter of an hour. */
const QUARTER_MS = 15 * 60 * 1000;

const zones = new Map<string, { format: Intl.DateTimeFormat; days: Map<number, string> }>();

/** The day, as `2026-01-31`, that a time (in milliseconds) falls on there. Throws a `RangeError` for an unknown zone. */
export function dayIn(timeZone: string, ms: number): string {
  let zone = zones.get(timeZone);
  if (!zone) {
    const options = { timeZone, calendar: "iso8601", year: "numeric", month: "2-digit", day: "2-digit" } as const;
    zone = { format: new Intl.DateTimeFormat("en-CA", options), days: new Map() };
    zones.set(timeZone, zone);
  }
  const quarter = Math.floor(ms / QUARTER_MS);
  let day = zone.days.get(quarter);
  if (day === undefined) {
    const parts = new Map(zone.format.formatToParts(ms).map(({ type, value }) => [type, value]));
    day = `${parts.get("year")}-${parts.get("month")}-${parts.get("day")}`;
    zone.days.set(quarter, day);
  }
  return day;
}
