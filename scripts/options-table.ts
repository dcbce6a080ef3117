/**
 * Generates the table in docs/options.md from the schema of the options. `node scripts/options-table.ts` writes it; a
 * test checks that it is up to date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { optionsJsonSchema } from "../src/config.ts";

const PAGE = join(dirname(dirname(fileURLToPath(import.meta.url))), "docs/options.md");
const TABLE = /(<!-- options -->\n)[^]*?(<!-- \/options -->)/;

const property = z.object({
  description: z.string(),
  type: z.enum(["string", "integer", "boolean", "array"]),
  default: z.unknown(),
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  items: z.object({ enum: z.array(z.string()) }).optional(),
});
const schema = z.object({ properties: z.record(z.string(), property) });

/** Returns one row per option: name, effect with its unit, allowed values, default. */
export function optionRows(): string[][] {
  const { properties } = schema.parse(optionsJsonSchema());
  return Object.entries(properties).map(([name, option]) => [
    code(name),
    option.description,
    allowed(option),
    code(JSON.stringify(option.default)),
  ]);
}

function allowed({ type, enum: values, items, minimum, maximum }: z.output<typeof property>): string {
  const listed = (values ?? items?.enum ?? []).map((value) => code(JSON.stringify(value))).join(", ");
  if (type === "array") return `a list of ${listed}`;
  if (type === "boolean") return "`true`, `false`";
  if (type === "integer") return `${minimum} to ${maximum}`;
  return listed === "" ? "a path" : listed;
}

function code(text: string): string {
  return `\`${text}\``;
}

function table(rows: readonly string[][]): string {
  const head = ["option", "effect", "values", "default"];
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return lines.join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = readFileSync(PAGE, "utf8");
  if (!TABLE.test(page)) throw new Error("docs/options.md lacks <!-- options --> … <!-- /options -->.");
  writeFileSync(
    PAGE,
    page.replace(TABLE, (_, before: string, after: string) => `${before}\n${table(optionRows())}\n${after}`),
  );
}
