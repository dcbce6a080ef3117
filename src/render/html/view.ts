import type { TranscriptMessage } from "../../parse/model.ts";
import type { Outline, PageSession } from "./outline.ts";

/** Context for rendering the parts of a page. */
export interface View {
  session: PageSession;
  outline: Outline;
  clock: Clock;
  anchors: Anchors;
}

/**
 * Anchors of the page. They consist of ordinals, so that a link stays valid when the session grows: `m12` is a message,
 * `m12b1` its second block, `s1` the first subagent's session, `s1-m3` a message in it.
 */
export class Anchors {
  readonly #prefix: string;
  readonly #given = new Set<number>();

  constructor(prefix = "") {
    this.#prefix = prefix;
  }

  message({ ordinal }: Pick<TranscriptMessage, "ordinal">): string {
    return `${this.#prefix}m${ordinal}`;
  }

  /** Returns the anchor only the first time: a message may be shown in pieces, and anchors are unique. */
  claimMessage(message: Pick<TranscriptMessage, "ordinal">): string | undefined {
    if (this.#given.has(message.ordinal)) return undefined;
    this.#given.add(message.ordinal);
    return this.message(message);
  }

  block(ordinal: number, order: number): string {
    return `${this.#prefix}m${ordinal}b${order}`;
  }

  session(index: number): string {
    return `${this.#prefix}s${index + 1}`;
  }

  /** Returns the anchors within a subagent's session. */
  within(index: number): Anchors {
    return new Anchors(`${this.session(index)}-`);
  }
}

/** Formats times of the source in one time zone. Invalid times are shown unchanged. */
export class Clock {
  readonly zone: string;
  readonly #time: Intl.DateTimeFormat;
  readonly #date: Intl.DateTimeFormat;
  readonly #day: Intl.DateTimeFormat;

  /** `zone`: IANA name, such as `UTC`. Throws a `RangeError` for an unknown zone. */
  constructor(zone: string) {
    this.zone = zone;
    this.#time = new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeStyle: "medium" });
    this.#date = new Intl.DateTimeFormat("en-GB", { timeZone: zone, dateStyle: "medium" });
    this.#day = new Intl.DateTimeFormat("en-GB", { timeZone: zone, dateStyle: "full" });
  }

  /** Formats a time as `14:03:22`. */
  time(timestamp: string): string {
    return formatted(this.#time, timestamp) ?? timestamp;
  }

  /** Formats a date as `Monday, 2 June 2025`; undefined if the time is invalid. */
  day(timestamp: string): string | undefined {
    return formatted(this.#day, timestamp);
  }

  /** Formats a time as `2 Jun 2025, 14:03`. */
  dateAndTime(timestamp: string): string {
    const date = formatted(this.#date, timestamp);
    return date === undefined ? timestamp : `${date}, ${this.time(timestamp).slice(0, 5)}`;
  }
}

function formatted(format: Intl.DateTimeFormat, timestamp: string): string | undefined {
  const date = new Date(timestamp);
  return Number.isNaN(date.getTime()) ? undefined : format.format(date);
}
