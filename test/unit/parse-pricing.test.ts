import assert from "node:assert/strict";
import { calcPrice, findProvider, type Provider } from "@pydantic/genai-prices";
import fc from "fast-check";
import { catalogPricing, flatPricing, type PricedUsage } from "../../src/parse/pricing.ts";
import { describe, test } from "../support/runner.ts";

const MILLION = 1_000_000;

function usage(model: string | null, fields: Partial<PricedUsage> = {}): PricedUsage {
  return {
    model,
    provider: null,
    timestamp: "2026-01-15T12:00:00.000Z",
    tokensIn: 0,
    tokensOut: 0,
    cacheRead: 0,
    cacheWrite: 0,
    cacheWrite1h: 0,
    ...fields,
  };
}

function close(actual: number | null, expected: number): void {
  assert.ok(actual !== null && Math.abs(actual - expected) <= 1e-9 * Math.max(1, expected), `${actual} != ${expected}`);
}

describe("pricing", () => {
  test("the flat prices apply to any model", () => {
    close(flatPricing(usage("anything", { tokensIn: MILLION })), 3);
    close(flatPricing(usage(null, { tokensOut: MILLION })), 15);
    close(flatPricing(usage("a", { cacheRead: MILLION })), 0.3);
    close(flatPricing(usage("a", { cacheWrite: MILLION, cacheWrite1h: MILLION })), 3.75);
  });

  test("each kind of token has its price: input does not include what a cache gave or took", async () => {
    const price = await catalogPricing();
    const tokens = { tokensIn: 1e5, tokensOut: 1e6, cacheRead: 3e4, cacheWrite: 4e4 };
    close(price(usage("claude-opus-4-5", tokens)), 0.5 + 25 + 0.015 + 0.25);
    close(price(usage("claude-opus-4-5", { ...tokens, cacheWrite1h: 4e4 })), 0.5 + 25 + 0.015 + 0.4);
    close(price(usage("claude-opus-4-5", { cacheWrite: 4e4, cacheWrite1h: 2e4 })), 0.125 + 0.2);
  });

  test("where the table has no price for an hour in a cache, it is twice the input price for Anthropic's models", async () => {
    const price = await catalogPricing();
    const written = { cacheWrite: MILLION, cacheWrite1h: MILLION };
    const bedrock = usage("claude-opus-4-6", { provider: "amazon-bedrock", ...written });
    close(
      price(bedrock),
      2 * (price(usage("claude-opus-4-6", { provider: "amazon-bedrock", tokensIn: MILLION })) ?? 0),
    );
  });

  test("a whole call costs more once its input passes a step of the price", async () => {
    const price = await catalogPricing();
    const below = price(usage("claude-sonnet-4-5-20250929", { cacheRead: 200_000, tokensOut: 10 })) ?? 0;
    const above = price(usage("claude-sonnet-4-5-20250929", { cacheRead: 200_001, tokensOut: 10 })) ?? 0;
    assert.ok(above > below * 1.5, `${above} against ${below}`);
  });

  test("fast mode, a batch, a region and searches each have their price", async () => {
    const price = await catalogPricing();
    const tokens = { tokensIn: 1e5, tokensOut: 1e6, cacheRead: 3e4, cacheWrite: 4e4, cacheWrite1h: 1e4 };
    const of = (model: string, terms: Partial<PricedUsage> = {}): number =>
      price(usage(model, { ...tokens, ...terms })) ?? Number.NaN;
    const factors: [model: string, terms: Partial<PricedUsage>, factor: number][] = [
      ["claude-opus-4-6", { speed: "fast" }, 6],
      ["claude-opus-4-7", { speed: "fast" }, 6],
      ["claude-opus-4-8", { speed: "fast" }, 2],
      ["claude-opus-5", { speed: "fast" }, 2],
      ["claude-opus-5-5", { speed: "fast" }, 2],
      ["claude-opus-4-8", { tier: "batch" }, 0.5],
      ["claude-opus-4-8", { tier: "priority" }, 1],
      ["claude-opus-4-8", { tier: "standard", geo: "not_available" }, 1],
      ["claude-opus-4-8", { geo: "us" }, 1.1],
      ["claude-opus-4-8", { geo: "us", speed: "fast" }, 2.2],
    ];
    for (const [model, terms, factor] of factors) close(of(model, terms), factor * of(model));
    // Searches are charged by number, whatever the tokens cost.
    close(of("claude-opus-4-8", { webSearches: 3 }), of("claude-opus-4-8") + 0.03);
    close(of("claude-opus-4-8", { webSearches: 3, tier: "batch" }), of("claude-opus-4-8", { tier: "batch" }) + 0.03);
  });

  test("a fast variant with its own price is not charged twice", async () => {
    const price = await catalogPricing();
    const fast = price(usage("anthropic/claude-opus-5-fast", { provider: "openrouter", tokensIn: MILLION }));
    close(fast, 10);
    close(price(usage("claude-opus-4-8-fast", { provider: "anthropic", tokensIn: MILLION })), 10);
  });

  test("Claude Code's own messages cost nothing; an unknown model has no price", async () => {
    const price = await catalogPricing();
    assert.equal(price(usage("<synthetic>", { tokensOut: 5 })), 0);
    for (const model of ["claude-haiku-4", "no-such-model", "__proto__", "", null]) {
      assert.equal(price(usage(model, { tokensIn: 5 })), null, String(model));
    }
  });

  test("a provider that is unknown, or does not list the model, counts as not given", async () => {
    const price = await catalogPricing();
    const tokens = { tokensIn: 1_000, tokensOut: 1_000 };
    const expected = price(usage("claude-opus-4-6", tokens)) ?? 0;
    for (const provider of ["anthropic", "github-copilot", "my-own-gateway", "openrouter"]) {
      close(price(usage("claude-opus-4-6", { ...tokens, provider })), expected);
    }
    assert.ok((price(usage("claude-opus-4-6", { ...tokens, provider: "amazon-bedrock" })) ?? 0) > expected);
  });

  test("models are found under the names that gateways give them", async () => {
    const price = await catalogPricing();
    const names = [
      "anthropic/claude-sonnet-4.5",
      "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "claude-opus-4-6[1m]",
    ];
    for (const name of names) assert.ok((price(usage(name, { tokensIn: 1_000 })) ?? 0) > 0, name);
  });

  test("any usage of any model of some providers costs what the table's own function says", async () => {
    const price = await catalogPricing();
    const providers = ["anthropic", "openai", "google", "deepseek", "openrouter", "aws", "x-ai", "zai", "moonshotai"]
      .map((providerId) => findProvider({ providerId }))
      .filter((provider): provider is Provider => provider !== undefined);
    assert.equal(providers.length, 9);
    const models = providers.flatMap(({ id, models }) => models.map((model) => ({ provider: id, model: model.id })));
    const tokens = fc.nat({ max: 300_000 });
    const day = fc.date({ min: new Date("2025-01-01"), max: new Date("2026-12-31"), noInvalidDate: true });
    fc.assert(
      fc.property(
        fc.constantFrom(...models),
        tokens,
        tokens,
        tokens,
        tokens,
        day,
        (named, tin, out, read, write, date) => {
          const expected = calcPrice(
            {
              input_tokens: tin + read + write,
              output_tokens: out,
              cache_read_tokens: read,
              cache_write_tokens: write,
            },
            named.model,
            { providerId: named.provider, timestamp: date },
          );
          const fields = { tokensIn: tin, tokensOut: out, cacheRead: read, cacheWrite: write };
          const actual = price(
            usage(named.model, { ...fields, provider: named.provider, timestamp: date.toISOString() }),
          );
          if (expected === null) return;
          const { model_price } = expected;
          if (model_price["input_mtok"] === undefined && model_price["output_mtok"] === undefined) return;
          close(actual, expected.total_price);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("a call without a readable time is priced as of now", async () => {
    const price = await catalogPricing();
    for (const timestamp of [null, "yesterday", ""]) {
      assert.ok((price(usage("deepseek-chat", { timestamp, tokensIn: MILLION })) ?? 0) > 0);
    }
  });
});
