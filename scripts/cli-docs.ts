/**
 * Makes docs/cli.md from the definitions of the commands and the schemas of what `--json` prints.
 * `node scripts/cli-docs.ts` writes it; a test holds the page against it.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { CommandDefinition } from "../src/cli/command.ts";
import { DEFINITIONS } from "../src/cli/definitions.ts";
import { readArguments } from "../src/cli/read-arguments.ts";
import { SCHEMAS } from "../src/cli/schemas/index.ts";

export const CLI_PAGE = join(dirname(dirname(fileURLToPath(import.meta.url))), "docs/cli.md");

const COLUMNS = 100;
const INTRODUCTION = `# The command line

\`transcripts\` reads back the sessions of coding agents. This page is made from the definitions that \`--help\` prints (\`node scripts/cli-docs.ts\`).

## What holds everywhere

- **SESSION** is a path, a session id or the beginning of one (4 characters or more; \`ses_\` and \`agent-\` may be left out), \`latest\`, or \`-\` for standard input. \`latest\` is the newest session of the project that you are in, or else of all.
- **Sessions are found** in the project's \`.openfleet/\`, in \`~/.claude/projects\` (or the folders in \`CLAUDE_CONFIG_DIR\`), and in opencode's own store.
- **Exit status**: 0 found or done, 1 nothing found, 2 an error, such as a SESSION that does not exist or cannot be read. Of several sessions those that can be read are, and the status is 2. An interrupted program ends with 130.
- **Output**: data on standard output; notes, progress and what was searched on standard error. A reader that goes away (\`| head\`) ends the program quietly.
- **Terminals**: what is printed on standard output is laid out for the width of the terminal, or for \`COLUMNS\`; notes on standard error are not, and lines in a pipe or a file stay whole. Colours are for terminals; \`NO_COLOR\` turns them off, \`FORCE_COLOR\` on. Escape sequences and control characters of a session are never printed, to a pipe or a file neither; JSON has them, escaped.
- **Times** are shown in local time, and are as the source has them in JSON.
- **JSON**: \`--json\` prints one object, or one object a line. Each begins with \`"version": 1\`; a key may be added without a new version. Only \`errors --json\` has no version: its three keys are an older contract.
- **Start**: Node keeps the program as it compiled it in \`opencode-transcripts/compiled\` under \`XDG_CACHE_HOME\` (\`~/.cache\`, on Windows \`LOCALAPPDATA\`), so that it starts sooner the next time. The folder may be deleted at any time; \`NODE_COMPILE_CACHE\` names another, and \`NODE_DISABLE_COMPILE_CACHE=1\` turns it off.
`;

/** The page. */
export function cliPage(): string {
  return [INTRODUCTION, fenced("sh", help([])), ...DEFINITIONS.map(section)].join("\n");
}

function section(definition: CommandDefinition): string {
  const parts = [`## transcripts ${definition.name}\n`, fenced("text", help(definition.name.split(" ")))];
  const schema = SCHEMAS[definition.name];
  if (definition.json !== undefined && schema !== undefined) {
    const shape = definition.json === "lines" ? "each line" : "the object";
    parts.push(`### JSON: ${shape}\n`, fields(schema));
  }
  return parts.join("\n");
}

function help(command: readonly string[]): string {
  const read = readArguments([...command, "--help"], { columns: COLUMNS, now: new Date() });
  return read.kind === "text" ? read.text : "";
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n`;
}

const schemaNode = z.object({
  type: z.string().optional(),
  description: z.string().optional(),
  const: z.unknown().optional(),
  enum: z.array(z.string()).optional(),
  get anyOf() {
    return z.array(schemaNode).optional();
  },
  get items() {
    return schemaNode.optional();
  },
  get prefixItems() {
    return z.array(schemaNode).optional();
  },
  get properties() {
    return z.record(z.string(), schemaNode).optional();
  },
  get additionalProperties() {
    return z.union([z.boolean(), schemaNode]).optional();
  },
  required: z.array(z.string()).optional(),
});

type SchemaNode = z.infer<typeof schemaNode>;

function fields(schema: z.ZodType): string {
  const json = z.toJSONSchema(schema);
  const table = ["| key | type | meaning |", "| --- | --- | --- |", ...rows(schemaNode.parse(json), "")].join("\n");
  const whole = fenced("json", laidOut(json));
  return `${table}\n\n<details><summary>JSON schema</summary>\n\n${whole}\n</details>\n`;
}

/** JSON with a line for each value that fits on one. */
function laidOut(value: unknown, indent = ""): string {
  const line = JSON.stringify(value, null, 1).replace(/\n\s*/g, " ");
  if (indent.length + line.length <= COLUMNS || typeof value !== "object" || value === null) return line;
  const inner = `${indent}  `;
  const items = Array.isArray(value)
    ? value.map((item) => inner + laidOut(item, inner))
    : Object.entries(value).map(([key, item]) => `${inner}${JSON.stringify(key)}: ${laidOut(item, inner)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return `${open}\n${items.join(",\n")}\n${indent}${close}`;
}

/** One row for each key, those of inner objects behind the key that holds them. */
function rows(node: SchemaNode, prefix: string): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, value]) => {
    const name = `${prefix}${key}`;
    const optional = node.required?.includes(key) ? "" : " (not always there)";
    const inner = objectIn(value);
    const row = `| \`${name}\` | ${typeOf(value)}${optional} | ${(value.description ?? "").replaceAll("|", "\\|")} |`;
    return [row, ...(inner ? rows(inner.node, `${name}${inner.isList ? "[]" : ""}.`) : [])];
  });
}

function objectIn(node: SchemaNode): { node: SchemaNode; isList: boolean } | undefined {
  if (node.properties) return { node, isList: false };
  if (node.items?.properties) return { node: node.items, isList: true };
  const [inner] = (node.anyOf ?? []).flatMap((each) => objectIn(each) ?? []);
  return inner;
}

function typeOf(node: SchemaNode): string {
  if (node.const !== undefined) return `\`${JSON.stringify(node.const)}\``;
  if (node.enum) return node.enum.map((value) => `\`"${value}"\``).join(", ");
  if (node.anyOf) return node.anyOf.map(typeOf).join(" or ");
  if (node.type === "array") return `list of ${node.items ? plural(typeOf(node.items)) : "values"}`;
  const { additionalProperties: values } = node;
  if (node.type === "object" && typeof values === "object" && values.type !== undefined)
    return `object of ${plural(typeOf(values))}`;
  return node.type ?? "any JSON";
}

function plural(type: string): string {
  return /^[a-z]+$/.test(type) ? `${type}s` : type;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(CLI_PAGE, cliPage());
  execFileSync("oxfmt", [CLI_PAGE]);
}
