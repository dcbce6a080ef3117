/** What tokens cost. The table of prices by model is that of `@pydantic/genai-prices`. */
import type { FoundPrice, SteppedPrice } from "./prices/catalog.ts";

/** Tokens of one model call. `cacheWrite` includes `cacheWrite1h`. */
export interface PricedUsage {
  model: string | null;
  provider: string | null;
  /** Time of the call, since prices change; ISO 8601. */
  timestamp: string | null;
  tokensIn: number;
  tokensOut: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h: number;
  /** Premium speed of Anthropic's models. */
  speed?: "fast" | undefined;
  /** The provider's service tier. */
  tier?: string | undefined;
  /** Region that the call was restricted to. */
  geo?: string | undefined;
  /** Searches that the provider made for the answer. */
  webSearches?: number | undefined;
}

/** US dollars of a call; null if the model has no known price. */
export type Pricing = (usage: PricedUsage) => number | null;

/** The model of messages that Claude Code wrote itself: no call was made, so nothing was paid. */
const SYNTHETIC_MODEL = "<synthetic>";

/** One price for all models: $3 in, $15 out, $0.30 from a cache and $3.75 into one, a million tokens. */
export const flatPricing: Pricing = ({ tokensIn, tokensOut, cacheRead, cacheWrite }) =>
  (tokensIn * 3 + tokensOut * 15 + cacheRead * 0.3 + cacheWrite * 3.75) / 1_000_000;

/**
 * Prices by model from the bundled table, as of the time of the call where a price changed (a call without a time: as
 * of now). Never asks the network. The table takes some 5 ms to load, so load it only where costs are wanted.
 *
 * A provider that the table does not know, or that it has no price of this model for, counts as not given: the model
 * is then priced as its maker does. Anthropic's fast mode (6 times the price of Opus 4.6 and 4.7, twice that of later
 * models), its surcharge for inference in the United States, and the discount of batches are in no table.
 */
export async function catalogPricing(): Promise<Pricing> {
  const { findPrice } = await import("./prices/catalog.ts");
  // To look a model up takes up to a millisecond, so what was found is kept for as long as it applies. Null: no price.
  const known = new Map<string, readonly FoundPrice[] | null>();
  const priceAt = (model: string, provider: string | null, ms: number): FoundPrice | null => {
    const key = `${provider ?? ""}\0${model}`;
    const kept = known.get(key);
    if (kept === null) return null;
    const valid = kept?.find(({ from, to }) => ms >= from && ms < to);
    if (valid) return valid;
    for (const [name, providerId] of namings(model, provider)) {
      const found = findPrice(name, providerId, new Date(ms));
      if (!found) continue;
      if (found.to > found.from) known.set(key, [...(kept ?? []), found]);
      return found;
    }
    known.set(key, null);
    return null;
  };
  return (usage) => {
    const { model, provider } = usage;
    if (model === SYNTHETIC_MODEL) return 0;
    if (model === null) return null;
    const ms = Date.parse(usage.timestamp ?? "");
    const found = priceAt(model, provider, Number.isNaN(ms) ? Date.now() : ms);
    return found === null ? null : costOf(found, usage);
  };
}

/** Under what model and provider to look, in this order. */
function* namings(model: string, provider: string | null): Generator<[model: string, provider: string | null]> {
  if (provider !== null) yield [model, provider];
  yield [model, null];
  const slash = model.indexOf("/");
  if (slash > 0) {
    // As OpenRouter and others write it: `anthropic/claude-sonnet-4.5`.
    yield [model.slice(slash + 1), model.slice(0, slash)];
    yield [model, "openrouter"];
  }
  // As Amazon Bedrock writes it: `eu.anthropic.claude-sonnet-4-5-20250929-v1:0`.
  if (model.includes("anthropic.")) yield [model, "aws"];
}

function costOf(found: FoundPrice, usage: PricedUsage): number | null {
  const { price } = found;
  const { tokensIn, tokensOut, cacheRead, cacheWrite, webSearches = 0 } = usage;
  // Steps of a price are told by all tokens of the input, and hold for all tokens of the call.
  const whole = tokensIn + cacheRead + cacheWrite;
  const rate = (key: string): number | undefined => rateOf(price[key], whole);
  const input = rate("input_mtok");
  const output = rate("output_mtok");
  if (input === undefined && output === undefined) return null;
  const plain = input ?? 0;
  const write = rate("cache_write_mtok") ?? plain;
  const hour = rate("cache_write_1h_mtok") ?? (isClaude(found) ? plain * 2 : write);
  const writtenForAnHour = Math.min(usage.cacheWrite1h, cacheWrite);
  const millionths =
    tokensIn * plain +
    tokensOut * (output ?? 0) +
    cacheRead * (rate("cache_read_mtok") ?? plain) +
    (cacheWrite - writtenForAnHour) * write +
    writtenForAnHour * hour;
  const thousandths = (rate("requests_kcount") ?? 0) + webSearches * (rate("web_searches_kcount") ?? 0);
  return (millionths * factorOf(found, usage)) / 1_000_000 + thousandths / 1_000;
}

/** Multiplier on the prices of tokens, which hold for plain calls. */
function factorOf(found: FoundPrice, { model, speed, tier, geo }: PricedUsage): number {
  let factor = 1;
  // All large providers charge half in a batch.
  if (tier === "batch") factor *= 0.5;
  if (!isClaude(found)) return factor;
  // Some hosts name the fast variant as a model of its own, which the table may have.
  const isFast = speed === "fast" || (/-fast$/i.test(model ?? "") && !/fast/i.test(found.modelId));
  if (isFast) factor *= /opus-4[-.][67]/i.test(found.modelId) ? 6 : 2;
  // Anthropic adds a tenth for inference in the United States only.
  if (geo === "us") factor *= 1.1;
  return factor;
}

function rateOf(price: number | SteppedPrice | undefined, inputTokens: number): number | undefined {
  if (typeof price !== "object") return price;
  return price.tiers.reduce((rate, tier) => (inputTokens > tier.start ? tier.price : rate), price.base);
}

/** Anthropic takes twice the input price for a cache that lasts an hour, whoever sells the model. */
function isClaude({ providerId, modelId }: FoundPrice): boolean {
  return providerId === "anthropic" || /claude/i.test(modelId);
}
