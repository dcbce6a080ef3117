/** Times of the source, as they are shown in one time zone. What is no time is shown as it stands. */
export class Clock {
  readonly zone: string;
  readonly #format: Intl.DateTimeFormat;

  /** `zone` is an IANA name; `UTC` is one. Throws a `RangeError` if there is no such zone. */
  constructor(zone: string) {
    this.zone = zone;
    this.#format = new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "long",
      day: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
  }

  /** `14:03:22`. */
  time(timestamp: string): string {
    const parts = this.#parts(timestamp);
    return parts === undefined ? timestamp : `${parts["hour"]}:${parts["minute"]}:${parts["second"]}`;
  }

  /** `2 June 2025`; undefined of what is no time. */
  date(timestamp: string): string | undefined {
    const parts = this.#parts(timestamp);
    return parts === undefined ? undefined : `${parts["day"]} ${parts["month"]} ${parts["year"]}`;
  }

  /** `2 June 2025, 14:03`. */
  dateAndTime(timestamp: string): string {
    const date = this.date(timestamp);
    return date === undefined ? timestamp : `${date}, ${this.time(timestamp).slice(0, 5)}`;
  }

  #parts(timestamp: string): Record<string, string> | undefined {
    const date = new Date(timestamp);
    if (Number.isNaN(date.getTime())) return undefined;
    return Object.fromEntries(this.#format.formatToParts(date).map((part) => [part.type, part.value]));
  }
}
