/** Formats numbers and local times for people, in English. */

/** Formats `12,345`. */
export function count(value: number): string {
  // Not with `Intl`, whose first use takes as long as a search.
  return String(value).replace(/^-?\d+/, (whole) => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ","));
}

/** Formats `12,345 messages`, `1 message`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** Rounds numbers above 20 down, `300+`, so that they, and the pages that show them, seldom change. */
export function roughly(value: number): string {
  if (value <= 20) return count(value);
  const unit = 10 ** Math.floor(Math.log10(value));
  return `${count(Math.floor(value / unit) * unit)}+`;
}

const UNITS = ["", "K", "M", "B", "T"];

/** Formats `12.3K`, `1.2M`, with three digits. */
export function compact(value: number): string {
  // No `Intl` here either.
  const rounded = Number(value.toPrecision(3));
  const unit = Math.min(Math.max(0, Math.floor(Math.log10(Math.abs(rounded)) / 3)), UNITS.length - 1);
  return `${Number((rounded / 1_000 ** unit).toPrecision(3))}${UNITS[unit]}`;
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

/** Formats `2026-01-31 14:03:22` in local time; empty without a time. */
export function localTime(time: string | number | Date | null): string {
  const date = new Date(time ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return "";
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`;
}

/** Formats `2026-01-31 14:03`. */
export function dayAndTime(time: string | number | null): string {
  return localTime(time).slice(0, 16);
}

/** Formats `2026-01-31 14:03 to 15:20`; empty without a time. */
export function timesText(first: string | null, last: string | null): string {
  const [from, to] = [dayAndTime(first), dayAndTime(last)];
  if (from === to || to === "") return from;
  return `${from} to ${from.slice(0, 10) === to.slice(0, 10) ? to.slice(11) : to}`;
}

/** Formats `14:03:22`. */
export function clockTime(time: string | number | null): string {
  return localTime(time).slice(11);
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
