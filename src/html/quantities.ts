/** Formats numbers for people, in English like the page. */

/** Created on demand, because the first use of `Intl` takes longer than many commands. */
let shortened: Intl.NumberFormat | undefined;

/** Formats `12,345`. */
export function count(value: number): string {
  // Not with `Intl`, whose first use takes as long as a search.
  return String(value).replace(/^-?\d+/, (whole) => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ","));
}

/** Formats `12,345 messages`, `1 message`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** Formats `12.3K`, `1.2M`. */
export function compact(value: number): string {
  if (isShort(value)) return String(value);
  shortened ??= new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
  return shortened.format(value);
}

/** Formats US dollars: `$12.30`, `$0.0042`. */
export function dollars(value: number): string {
  if (value === 0 || value >= 0.1) return `$${count(Number(value.toFixed(2)))}`.replace(/\.\d$/, "$&0");
  return `$${Number(value.toPrecision(2))}`;
}

/** Formats `4.2 s`, `3 min 20 s`, `1 h 12 min`, `2 d 3 h`. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1_000;
  if (seconds < 10) return `${Number(seconds.toFixed(1))} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3_600) return twoUnits(seconds, 60, "min", "s");
  if (seconds < 86_400) return twoUnits(seconds / 60, 60, "h", "min");
  return twoUnits(seconds / 3_600, 24, "d", "h");
}

function twoUnits(amount: number, size: number, large: string, small: string): string {
  const whole = Math.floor(amount);
  const rest = whole % size;
  return `${Math.floor(whole / size)} ${large}${rest === 0 ? "" : ` ${rest} ${small}`}`;
}

function isShort(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < 1_000;
}
