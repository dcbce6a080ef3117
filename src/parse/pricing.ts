/** Prices of tokens. The price table by model is that of `@pydantic/genai-prices`. */
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
  /** Fast mode of Anthropic's models. */
  speed?: "fast" | undefined;
  /** The provider's service tier. */
  tier?: string | undefined;
  /** Region that the call was restricted to. */
  geo?: string | undefined;
  /** Number of searches by the provider. */
  webSearches?: number | undefined;
}

/** Returns the cost of a call in US dollars; null if the model has no known price. */
export type Pricing = (usage: PricedUsage) => number | null;

/** Model of messages that Claude Code wrote itself, without a model call and therefore without cost. */
const SYNTHETIC_MODEL = "<synthetic>";

/** One price for all models, per million tokens: $3 in, $15 out, $0.30 cache read, $3.75 cache write. */
export const flatPricing: Pricing = ({ tokensIn, tokensOut, cacheRead, cacheWrite }) =>
  (tokensIn * 3 + tokensOut * 15 + cacheRead * 0.3 + cacheWrite * 3.75) / 1_000_000;

/**
 * Prices by model from the bundled table, as of the time of the call (now for a call without a time). Never uses the
 * network. Loading the table takes about 5 ms, so load it only if costs are needed.
 *
 * If the table lacks the provider, or a price of the provider for the model, the price of the model's maker is used.
 * Anthropic's fast mode (6 times the price of Opus 4.6 and 4.7, twice that of later models), its surcharge for inference in
 * the United States, and the discount of batches are not in the table, but in this file.
 */
export function catalogPricing(): Promise<Pricing> {
  return (catalog ??= loadCatalog());
}

let catalog: Promise<Pricing> | undefined;
const MAX_KNOWN = 1_000;

async function loadCatalog(): Promise<Pricing> {
  const { findPrice } = await import("./prices/catalog.ts");
  // Looking up a model takes up to a millisecond, so results are cached while they apply. Null: no price.
  const known = new Map<string, readonly ModelPrice[] | null>();
  const priceAt = (model: string, provider: string | null, ms: number): ModelPrice | null => {
    const key = provider === null ? model : `${provider}\0${model}`;
    const kept = known.get(key);
    if (kept === null) return null;
    const valid = kept?.find(({ from, to }) => ms >= from && ms < to);
    if (valid) return valid;
    if (known.size > MAX_KNOWN) known.clear();
    for (const [name, providerId] of namings(model, provider)) {
      const found = findPrice(name, providerId, new Date(ms));
      if (!found) continue;
      const price = modelPrice(found, model);
      if (price.to > price.from) known.set(key, [...(kept ?? []), price]);
      return price;
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

/** Returns the model without the size of the context, which Claude Code adds: `claude-opus-4-6[1m]`. */
export function withoutContextSize(model: string): string {
  return model.endsWith("]") ? model.replace(/\[\w+\]$/, "") : model;
}

/** Returns the models and providers to look up, in this order. */
function* namings(given: string, provider: string | null): Generator<[model: string, provider: string | null]> {
  const model = withoutContextSize(given);
  if (provider !== null) yield [model, provider];
  yield [model, null];
  const slash = model.indexOf("/");
  if (slash > 0) {
    // Form of OpenRouter and others: `anthropic/claude-sonnet-4.5`.
    yield [model.slice(slash + 1), model.slice(0, slash)];
    yield [model, "openrouter"];
  }
  // Form of Amazon Bedrock: `eu.anthropic.claude-sonnet-4-5-20250929-v1:0`.
  if (model.includes("anthropic.")) yield [model, "aws"];
}

type Rate = number | SteppedPrice | undefined;

/** Price of a model in a period: see `FoundPrice`. */
interface ModelPrice extends Pick<FoundPrice, "from" | "to"> {
  /** Per million tokens. */
  rates: Readonly<Record<"input" | "output" | "cacheRead" | "cacheWrite" | "cacheWrite1h", Rate>>;
  /** Per thousand. */
  requests: Rate;
  webSearches: Rate;
  isClaude: boolean;
  /** Some hosts report the fast variant as a separate model, which the table may have. */
  isNamedFast: boolean;
  fastFactor: number;
}

function modelPrice(found: FoundPrice, name: string): ModelPrice {
  const { price, from, to, modelId } = found;
  return {
    from,
    to,
    rates: {
      input: price["input_mtok"],
      output: price["output_mtok"],
      cacheRead: price["cache_read_mtok"],
      cacheWrite: price["cache_write_mtok"],
      cacheWrite1h: price["cache_write_1h_mtok"],
    },
    requests: price["requests_kcount"],
    webSearches: price["web_searches_kcount"],
    isClaude: isClaude(found),
    isNamedFast: /-fast$/i.test(name) && !/fast/i.test(modelId),
    fastFactor: /opus-4[-.][67]/i.test(modelId) ? 6 : 2,
  };
}

function costOf(price: ModelPrice, usage: PricedUsage): number | null {
  const { rates } = price;
  const { tokensIn, tokensOut, cacheRead, cacheWrite, webSearches = 0 } = usage;
  // Price tiers depend on all input tokens, and apply to all tokens of the call.
  const whole = tokensIn + cacheRead + cacheWrite;
  const input = rateOf(rates.input, whole);
  const output = rateOf(rates.output, whole);
  if (input === undefined && output === undefined) return null;
  const plain = input ?? 0;
  const write = rateOf(rates.cacheWrite, whole) ?? plain;
  const hour = rateOf(rates.cacheWrite1h, whole) ?? (price.isClaude ? plain * 2 : write);
  const writtenForAnHour = Math.min(usage.cacheWrite1h, cacheWrite);
  const millionths =
    tokensIn * plain +
    tokensOut * (output ?? 0) +
    cacheRead * (rateOf(rates.cacheRead, whole) ?? plain) +
    (cacheWrite - writtenForAnHour) * write +
    writtenForAnHour * hour;
  const thousandths = (rateOf(price.requests, whole) ?? 0) + webSearches * (rateOf(price.webSearches, whole) ?? 0);
  return (millionths * factorOf(price, usage)) / 1_000_000 + thousandths / 1_000;
}

/** Returns the multiplier for token prices, which are those of standard calls. */
function factorOf(price: ModelPrice, { speed, tier, geo }: PricedUsage): number {
  let factor = 1;
  // All large providers charge half in a batch.
  if (tier === "batch") factor *= 0.5;
  if (!price.isClaude) return factor;
  if (speed === "fast" || price.isNamedFast) factor *= price.fastFactor;
  // Anthropic charges 10% more for inference only in the United States.
  if (geo === "us") factor *= 1.1;
  return factor;
}

function rateOf(price: Rate, inputTokens: number): number | undefined {
  if (typeof price !== "object") return price;
  return price.tiers.reduce((rate, tier) => (inputTokens > tier.start ? tier.price : rate), price.base);
}

/** Anthropic charges twice the input price for an hour of caching, with any provider. */
function isClaude({ providerId, modelId }: FoundPrice): boolean {
  return providerId === "anthropic" || /claude/i.test(modelId);
}
