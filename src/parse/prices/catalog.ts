/** Finding a model's price in the table, by the rules of the package that it comes from. */
import table from "./table.json" with { type: "json" };

export interface FoundPrice {
  providerId: string;
  modelId: string;
  price: Price;
  /** When it applies, in milliseconds: from `from` until before `to`. Equal if it applies at the asked moment only. */
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

/** The conditions by which the table knows names. */
type Match =
  | { or: Match[] }
  | { and: Match[] }
  | { equals: string }
  | { starts_with: string }
  | { ends_with: string }
  | { contains: string }
  | { regex: string };

/**
 * US dollars for a million tokens of each kind, some in steps; `requests_kcount` and `web_searches_kcount` for a
 * thousand.
 */
type Price = Readonly<Record<string, number | SteppedPrice | undefined>>;

export interface SteppedPrice {
  base: number;
  /** In ascending order of `start`, the tokens above which the price is another. */
  tiers: readonly { start: number; price: number }[];
}

interface DatedPrice {
  constraint?:
    | { type: "start_date"; start_date: string }
    | { type: "time_of_date"; start_time: string; end_time: string };
  prices: Price;
}

/** One price, or several of which the last one that applies holds. */
type Prices = Price | readonly DatedPrice[];

const PROVIDERS = table.providers;

/** A model's name may end in a day without hyphens where the table has them. */
const DAY = /-(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)/g;

/** The price at a time. `provider` null: as the model's maker has it. Undefined if there is none in the table. */
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

/** The provider's own model of this name, or that of a maker whose models it sells. */
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

/** Whether a name in lower case meets a condition. */
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
