/** Finds a model's price in the table, by the rules of the package that the table comes from. */
import table from "./table.json" with { type: "json" };

export interface FoundPrice {
  providerId: string;
  modelId: string;
  price: Price;
  /**
   * Period in which it applies, in milliseconds: from `from` until before `to`. Equal if it applies only at the
   * requested moment.
   */
  from: number;
  to: number;
}

/** A provider in `table.json`. */
export interface PricedProvider {
  id: string;
  provider_match?: Match;
  model_match?: Match;
  fallback_model_providers?: readonly string[];
  models: readonly Model[];
}

interface Model {
  id: string;
  match: Match;
  prices: Prices;
}

/** Conditions that match model names in the table. */
type Match =
  | { or: Match[] }
  | { and: Match[] }
  | { equals: string }
  | { starts_with: string }
  | { ends_with: string }
  | { contains: string }
  | { regex: string };

/**
 * US dollars per million tokens of each kind, some in tiers; `requests_kcount` and `web_searches_kcount` are per
 * thousand.
 */
type Price = Readonly<Record<string, number | SteppedPrice | undefined>>;

export interface SteppedPrice {
  base: number;
  /** In ascending order of `start`: the number of tokens above which the price changes. */
  tiers: readonly { start: number; price: number }[];
}

interface DatedPrice {
  constraint?:
    | { type: "start_date"; start_date: string }
    | { type: "time_of_date"; start_time: string; end_time: string };
  prices: Price;
}

/** One price, or several of which the last applicable one is used. */
type Prices = Price | readonly DatedPrice[];

const PROVIDERS = table.providers;

/** A model's name may have a date without hyphens where the table has them. */
const DAY = /-(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)/g;

/**
 * Returns the price at a time, or undefined if the table has none. If `provider` is null, uses the price of the model's
 * maker.
 */
export function findPrice(model: string, provider: string | null, time: Date): FoundPrice | undefined {
  const name = model.toLowerCase().trim();
  const slash = name.indexOf("/");
  if (provider?.toLowerCase() === "litellm" && slash > 0 && slash < name.length - 1) {
    const inner = providerNamed(name.slice(0, slash));
    if (inner) return priced(inner, name.slice(slash + 1), time);
  }
  const known = provider === null || provider === "" ? undefined : providerNamed(provider);
  if (known) return priced(known, name, time);
  if (provider !== null && provider !== "" && provider.toLowerCase() !== "litellm") return undefined;
  const maker = PROVIDERS.find(({ model_match: match }) => match && matches(match, name));
  return maker && priced(maker, name, time);
}

function providerNamed(provider: string): PricedProvider | undefined {
  const name = provider.toLowerCase().trim();
  return (
    PROVIDERS.find(({ id }) => id === name) ??
    PROVIDERS.find(({ provider_match: match }) => match && matches(match, name))
  );
}

function priced(provider: PricedProvider, name: string, time: Date): FoundPrice | undefined {
  const model = modelOf(provider, name) ?? modelOf(provider, withHyphens(name));
  if (!model) return undefined;
  const { id: modelId, prices } = model;
  return { providerId: provider.id, modelId, price: chosenPrice(prices, time), ...validity(prices, time.getTime()) };
}

/** Returns the provider's own model with this name, or that of a maker whose models it sells. */
function modelOf(provider: PricedProvider, name: string): Model | undefined {
  const makers = (provider.fallback_model_providers ?? []).flatMap(
    (id) => PROVIDERS.find((each) => each.id === id) ?? [],
  );
  for (const { models } of [provider, ...makers]) {
    const model = models.find(({ match }) => matches(match, name));
    if (model) return model;
  }
  return undefined;
}

function withHyphens(name: string): string {
  return name.replace(DAY, (text, year: string, month: string, day: string) => {
    const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
    const exists = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
    return exists ? `-${year}-${month}-${day}` : text;
  });
}

/** Returns true if a lower-case name meets a condition. */
function matches(match: Match, name: string): boolean {
  if ("or" in match) return match.or.some((part) => matches(part, name));
  if ("and" in match) return match.and.every((part) => matches(part, name));
  if ("equals" in match) return name === match.equals.toLowerCase();
  if ("starts_with" in match) return name.startsWith(match.starts_with.toLowerCase());
  if ("ends_with" in match) return name.endsWith(match.ends_with.toLowerCase());
  if ("contains" in match) return name.includes(match.contains.toLowerCase());
  return new RegExp(match.regex).test(name);
}

function isDated(prices: Prices): prices is readonly DatedPrice[] {
  return Array.isArray(prices);
}

function chosenPrice(prices: Prices, time: Date): Price {
  if (!isDated(prices)) return prices;
  const chosen = prices.findLast(({ constraint }) => {
    if (constraint === undefined) return true;
    if (constraint.type === "start_date") return time >= new Date(constraint.start_date);
    return isWithin(secondsOf(time), constraint.start_time, constraint.end_time);
  });
  return (chosen ?? prices[0])?.prices ?? {};
}

function validity(prices: Prices, ms: number): { from: number; to: number } {
  let [from, to] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const { constraint } of isDated(prices) ? prices : []) {
    // Some makers charge less at night.
    if (constraint?.type === "time_of_date") return { from: ms, to: ms };
    const start = Date.parse(constraint?.start_date ?? "");
    if (start <= ms) from = Math.max(from, start);
    else if (start > ms) to = Math.min(to, start);
  }
  return { from, to };
}

const DAY_SECONDS = 86_400;
const TIME_OF_DAY = /^(\d{2}):(\d{2}):(\d{2}(?:\.\d+)?)(?:Z|([+-])(\d{2}):(\d{2}))$/;

function secondsOf(time: Date): number {
  const minutes = time.getUTCHours() * 60 + time.getUTCMinutes();
  return minutes * 60 + time.getUTCSeconds() + time.getUTCMilliseconds() / 1_000;
}

/** Spans may extend past midnight. */
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
