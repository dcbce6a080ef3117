/** Our table of prices and its rules against the package that they come from. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { calcPrice, findProvider, type Provider } from "@pydantic/genai-prices";
import fc from "fast-check";
import { findPrice } from "../../src/parse/prices/catalog.ts";
import table from "../../src/parse/prices/table.json" with { type: "json" };
import { describe, runs, test } from "../support/runner.ts";

const KINDS = [
  "input_mtok",
  "output_mtok",
  "cache_read_mtok",
  "cache_write_mtok",
  "cache_write_1h_mtok",
  "requests_kcount",
];
/** Before and after changes of prices, and all around the clock. */
const TIMES = ["2023-01-01", "2024-06-15", "2025-03-01", "2025-11-30", "2026-01-15", "2027-01-01"].flatMap((day) =>
  ["00:00:00", "03:59:59.5", "08:30:00", "16:30:00", "16:29:59", "23:59:59.999"].map(
    (time) => new Date(`${day}T${time}Z`),
  ),
);

const ids = table.providers.map(({ id }) => id);
const providers = ids.map((id) => findProvider({ providerId: id })).filter((provider) => provider !== undefined);
const models = [...new Set(providers.flatMap((provider) => provider.models.map(({ id }) => id)))];

interface Told {
  provider: string;
  model: string;
  price: Record<string, unknown>;
}

function ours(model: string, provider: string | null, time: Date): Told | null {
  const found = findPrice(model, provider, time);
  return found ? { provider: found.providerId, model: found.modelId, price: plain(found.price) } : null;
}

function theirs(model: string, provider: string | null, time: Date): Told | null {
  const found = calcPrice({}, model, { timestamp: time, ...(provider === null ? {} : { providerId: provider }) });
  return found && { provider: found.provider.id, model: found.model.id, price: plain(found.model_price) };
}

/** Without what sessions have no tokens of, such as audio; steps as plain values. */
function plain(price: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kinds = KINDS.filter((kind) => price[kind] !== undefined);
  return JSON.parse(JSON.stringify(Object.fromEntries(kinds.map((kind) => [kind, price[kind]]))));
}

function timeAt(at: number): Date {
  return TIMES[at % TIMES.length] ?? new Date(0);
}

describe("the table of prices", () => {
  test("is that of the installed package; if not, run: node scripts/price-table.ts", () => {
    const bundle = fileURLToPath(import.meta.resolve("@pydantic/genai-prices"));
    const known = [...readFileSync(bundle, "utf8").matchAll(/\bid: "([^"]+)"/g)].map(([, id = ""]) => id);
    const all = new Set(known.filter((id) => findProvider({ providerId: id })?.id === id));
    assert.deepEqual(ids, [...all]);
    const counts = (of: readonly Provider[]): number[] => of.map((provider) => provider.models.length);
    assert.deepEqual(
      table.providers.map((provider) => provider.models.length),
      counts(providers),
    );
  });

  test("every model of every provider has the package's price, at any time", () => {
    for (const provider of providers) {
      for (const [at, { id, prices }] of provider.models.entries()) {
        for (const time of Array.isArray(prices) ? TIMES : [timeAt(at)]) {
          assert.deepEqual(ours(id, provider.id, time), theirs(id, provider.id, time), `${provider.id} ${id}`);
        }
      }
    }
  });

  test("every model without its provider has the package's price", () => {
    for (const [at, model] of models.entries()) {
      assert.deepEqual(ours(model, null, timeAt(at)), theirs(model, null, timeAt(at)), model);
    }
  });

  test("names close to those of a model are matched as the package does", () => {
    const part = fc.constantFrom(...models, ...ids, "litellm", "claude-opus-4-6", "gpt-5", "20251001", "latest", "x");
    const joint = fc.constantFrom("", "-", "/", ":", ".", " ", "@");
    const name = fc
      .array(fc.tuple(part, joint), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.flat().join(""))
      .chain((text) =>
        fc.constantFrom(text, text.toUpperCase(), text.slice(0, -1), `${text}20250229`, `${text}-20250228`),
      );
    const provider = fc.option(
      fc.oneof(part, fc.constantFrom("LiteLLM", "bedrock", "Anthropic ", "google-vertex", "")),
    );
    fc.assert(
      fc.property(name, provider, fc.nat(TIMES.length - 1), (model, maker, at) => {
        assert.deepEqual(ours(model, maker, timeAt(at)), theirs(model, maker, timeAt(at)));
      }),
      { numRuns: runs(3_000) },
    );
  });
});
