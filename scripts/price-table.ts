/**
 * Writes `src/parse/prices/table.json`: the part of `@pydantic/genai-prices` that costs of sessions are computed from.
 * The package itself takes some 45 ms and 13 MB to load, the table a few. Run it after an update of the package; a test
 * fails until that is done.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findProvider, type ModelPrice, type Provider } from "@pydantic/genai-prices";

const TABLE = join(import.meta.dirname, "../src/parse/prices/table.json");
const KINDS = new Set([
  "input_mtok",
  "output_mtok",
  "cache_read_mtok",
  "cache_write_mtok",
  "cache_write_1h_mtok",
  "requests_kcount",
  "web_searches_kcount",
]);

/** The package has no list of its providers: every id in it is tried. Their order is that of the file. */
function providers(bundle: string): Provider[] {
  const ids = new Set(Array.from(bundle.matchAll(/\bid: "([^"]+)"/g), ([, id = ""]) => id));
  return [...ids].flatMap((id) => {
    const provider = findProvider({ providerId: id });
    return provider?.id === id ? [provider] : [];
  });
}

function usedKinds(price: ModelPrice): ModelPrice {
  return Object.fromEntries(Object.entries(price).filter(([kind]) => KINDS.has(kind)));
}

function tableRow({ id, provider_match, model_match, fallback_model_providers, models }: Provider): string {
  const rows = models.map(({ id: model, match, prices }) => ({
    id: model,
    match,
    prices: Array.isArray(prices)
      ? prices.map(({ constraint, prices: price }) => ({ constraint, prices: usedKinds(price) }))
      : usedKinds(prices),
  }));
  return JSON.stringify({ id, provider_match, model_match, fallback_model_providers, models: rows });
}

const bundle = fileURLToPath(import.meta.resolve("@pydantic/genai-prices"));
const manifest = join(dirname(bundle), "../package.json");
const { name, version }: { name: string; version: string } = JSON.parse(readFileSync(manifest, "utf8"));
const rows = providers(readFileSync(bundle, "utf8")).map(tableRow);
writeFileSync(TABLE, `{"source":"${name} ${version}","providers":[\n${rows.join(",\n")}\n]}\n`);
