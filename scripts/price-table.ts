/**
 * Writes `src/parse/prices/table.ts`: of `@pydantic/genai-prices` what costs of sessions are worked out with. The
 * package itself takes some 45 ms and 13 MB to load, the table a few. Run it after an update of the package; a test
 * fails until that is done.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findProvider, type ModelInfo, type ModelPrice, type Provider } from "@pydantic/genai-prices";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bundle = fileURLToPath(import.meta.resolve("@pydantic/genai-prices"));
const folder = dirname(dirname(bundle));
const KINDS = [
  "input_mtok",
  "output_mtok",
  "cache_read_mtok",
  "cache_write_mtok",
  "cache_write_1h_mtok",
  "requests_kcount",
  "web_searches_kcount",
] as const;

/** The package has no list of its providers: whatever has an id in it is asked for. Their order is that of the file. */
function providers(): Provider[] {
  const ids = readFileSync(bundle, "utf8").matchAll(/\bid: "([^"]+)"/g);
  return [...new Set([...ids].map(([, id = ""]) => id))].flatMap((id) => {
    const provider = findProvider({ providerId: id });
    return provider?.id === id ? [provider] : [];
  });
}

function leanPrice(price: ModelPrice): ModelPrice {
  return Object.fromEntries(KINDS.filter((kind) => price[kind] !== undefined).map((kind) => [kind, price[kind]]));
}

function leanModel({ id, match, prices }: ModelInfo): unknown {
  if (!Array.isArray(prices)) return { id, match, prices: leanPrice(prices) };
  return {
    id,
    match,
    prices: prices.map(({ constraint, prices: price }) => ({ constraint, prices: leanPrice(price) })),
  };
}

function entry({ id, provider_match, model_match, fallback_model_providers, models }: Provider): string {
  const head = JSON.stringify({ id, provider_match, model_match, fallback_model_providers });
  const table = JSON.stringify(models.map(leanModel));
  return `  [${quoted(head)}, ${quoted(table)}],`;
}

function quoted(json: string): string {
  return `'${json.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

const { version }: { version: string } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const licence = readFileSync(join(folder, "LICENSE"), "utf8").trim().split("\n");
const text = `/**
 * Prices of @pydantic/genai-prices ${version}. Made by scripts/price-table.ts: change nothing here.
 *
${licence.map((line) => ` * ${line}`.trimEnd()).join("\n")}
 */

/** What each provider is found by, and its models with their prices; both JSON, since most are never asked for. */
export const PRICE_TABLE: readonly (readonly [provider: string, models: string])[] = [
${providers().map(entry).join("\n")}
];
`;
writeFileSync(join(root, "src/parse/prices/table.ts"), text);
