/** Which of a model's prices holds at a time. */

/**
 * US dollars for a million tokens of each kind, some in steps; `requests_kcount` and `web_searches_kcount` for a
 * thousand.
 */
export type Price = Readonly<Record<string, number | SteppedPrice | undefined>>;

export interface SteppedPrice {
  base: number;
  /** In ascending order of `start`, the tokens above which the price is another. */
  tiers: readonly { start: number; price: number }[];
}

export interface DatedPrice {
  constraint?:
    | { type: "start_date"; start_date: string }
    | { type: "time_of_date"; start_time: string; end_time: string };
  prices: Price;
}

/** One price, or several of which the last one that applies holds. */
export type Prices = Price | readonly DatedPrice[];

export function isDated(prices: Prices): prices is readonly DatedPrice[] {
  return Array.isArray(prices);
}

export function chosenPrice(prices: Prices, time: Date): Price {
  if (!isDated(prices)) return prices;
  const chosen = prices.findLast(({ constraint }) => {
    if (constraint === undefined) return true;
    if (constraint.type === "start_date") return time >= new Date(constraint.start_date);
    return isWithin(secondsOf(time), constraint.start_time, constraint.end_time);
  });
  return (chosen ?? prices[0])?.prices ?? {};
}

const DAY_SECONDS = 86_400;
const TIME_OF_DAY = /^(\d{2}):(\d{2}):(\d{2}(?:\.\d+)?)(?:Z|([+-])(\d{2}):(\d{2}))$/;

function secondsOf(time: Date): number {
  const minutes = time.getUTCHours() * 60 + time.getUTCMinutes();
  return minutes * 60 + time.getUTCSeconds() + time.getUTCMilliseconds() / 1_000;
}

/** Spans may go over midnight. */
function isWithin(seconds: number, start: string, end: string): boolean {
  const [from, to] = [utcSeconds(start), utcSeconds(end)];
  return to < from ? seconds >= from || seconds < to : seconds >= from && seconds < to;
}

function utcSeconds(text: string): number {
  const [, hours, minutes, seconds, sign, zoneHours = "0", zoneMinutes = "0"] = TIME_OF_DAY.exec(text) ?? [];
  const local = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
  const zone = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60;
  return (local - (sign === "-" ? -zone : zone) + DAY_SECONDS) % DAY_SECONDS;
}
