/** Reads the output of `--json`, and holds it against docs/json.md. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ChangesOutput } from "../../../src/cli/commands/changes.ts";
import type { DoctorOutput } from "../../../src/cli/doctor-text.ts";
import type { EntriesOutput } from "../../../src/cli/commands/entries.ts";
import type { ErrorsOutput } from "../../../src/cli/commands/errors.ts";
import type { ExportOutput } from "../../../src/cli/commands/export.ts";
import type { FindOutput } from "../../../src/cli/commands/find.ts";
import type { FailuresOutput } from "../../../src/cli/commands/failures.ts";
import type { FixesOutput } from "../../../src/cli/commands/fixes.ts";
import type { ForgetOutput } from "../../../src/cli/commands/forget.ts";
import type { IndexOutput } from "../../../src/cli/commands/index-sessions.ts";
import type { InitOutput } from "../../../src/cli/commands/init.ts";
import type { ListOutput } from "../../../src/cli/commands/list.ts";
import type { PushOutput } from "../../../src/cli/commands/push.ts";
import type { StatsOutput } from "../../../src/cli/stats-text.ts";
import type { TagOutput } from "../../../src/cli/commands/tag.ts";
import type { TimelineOutput } from "../../../src/cli/commands/timeline.ts";
import type { MessageOutput } from "../../../src/cli/message-row.ts";
import type { ExtractSnippetOutput } from "../../../src/snippets/extract-snippet.ts";
import type { QuerySnippetsOutput } from "../../../src/snippets/snippet-store.ts";
import type { SnippetSuggestion } from "../../../src/snippets/suggest.ts";
import { REPOSITORY } from "../repository.ts";

export interface Outputs {
  changes: ChangesOutput;
  doctor: DoctorOutput;
  entries: EntriesOutput;
  errors: ErrorsOutput;
  export: ExportOutput;
  failures: FailuresOutput;
  find: FindOutput;
  fixes: FixesOutput;
  forget: ForgetOutput;
  index: IndexOutput;
  init: InitOutput;
  list: ListOutput;
  push: PushOutput;
  show: MessageOutput;
  "snippets cleanup": { old: number; deleted: number };
  "snippets count": Record<string, number>;
  "snippets extract": ExtractSnippetOutput;
  "snippets query": QuerySnippetsOutput;
  "snippets suggest": SnippetSuggestion;
  stats: StatsOutput;
  tag: TagOutput;
  tail: MessageOutput;
  timeline: TimelineOutput;
}

/** Returns the objects of an output that has one on each line. */
export function rowsOf<Command extends keyof Outputs>(command: Command, stdout: string): Outputs[Command][] {
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => outputOf(command, line));
}

/** Returns an output of one object. */
export function outputOf<Command extends keyof Outputs>(command: Command, stdout: string): Outputs[Command] {
  const value = JSON.parse(stdout);
  assert.deepEqual(undocumented(command, value), []);
  return value;
}

interface Field {
  /** As the second column says: `string or null`, `list of block`. */
  value: string;
  isOptional: boolean;
}

/** Fields by their paths, such as `files[].path`, by heading. */
const TABLES = new Map<string, Map<string, Field>>();
let heading = "";
for (const line of readFileSync(join(REPOSITORY, "docs/json.md"), "utf8").split("\n")) {
  heading = /^#+ (.*)/.exec(line)?.[1] ?? heading;
  const [, path, optional, value = ""] = /^\| `([^`]+)`( \(optional\))? *\| ([^|]*?) *\|/.exec(line) ?? [];
  if (path === undefined) continue;
  const fields = TABLES.get(heading) ?? new Map<string, Field>();
  TABLES.set(
    heading,
    fields.set(path, { value: value.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1"), isOptional: optional !== undefined }),
  );
}

/** Returns whether docs/json.md describes the command. */
export function isDocumented(command: string): command is keyof Outputs {
  return TABLES.has(command) || command === "tail";
}

/** Returns what differs from the page: keys that it does not have, keys that are missing, other values. */
function undocumented(command: string, value: unknown): string[] {
  return isObject(value) ? differences(value, command === "tail" ? "show" : command, "") : ["not an object"];
}

function differences(object: Readonly<Record<string, unknown>>, table: string, prefix: string): string[] {
  const fields = fieldsOf(table, prefix);
  const unknown = Object.keys(object).filter((key) => !fields.has(key));
  const problems = unknown.map((key) => `${table}: ${prefix}${key} is not documented`);
  for (const [key, { value, isOptional }] of fields) {
    const path = `${prefix}${key}`;
    if (Object.hasOwn(object, key)) problems.push(...difference(object[key], value, table, path));
    else if (!isOptional) problems.push(`${table}: ${path} is missing`);
  }
  return problems;
}

/** Returns the fields directly under a prefix. A row for the object itself names a table whose fields it has too. */
function fieldsOf(table: string, prefix: string): Map<string, Field> {
  const all = TABLES.get(table) ?? new Map<string, Field>();
  const shared = prefix === "" ? undefined : TABLES.get(all.get(prefix.slice(0, -1))?.value ?? "");
  const own = [...all].flatMap(([path, field]) => {
    const key = path.startsWith(prefix) ? path.slice(prefix.length) : "";
    return key === "" || /[.[]/.test(key) ? [] : [[key, field] as const];
  });
  return new Map([...(shared ?? []), ...own]);
}

function difference(value: unknown, documented: string, table: string, path: string): string[] {
  const wrong = [`${table}: ${path} is ${JSON.stringify(value)?.slice(0, 100)}, not ${documented}`];
  const kind = documented.replace(/ or null$/, "");
  if (value === null) return kind === documented && kind !== "any" ? wrong : [];
  const [, element] = /^list of (.*)$/.exec(kind) ?? [];
  if (element !== undefined) {
    if (!Array.isArray(value)) return wrong;
    const list: unknown[] = value;
    return list.flatMap((each) =>
      difference(each, element.replace(/^(string|number|object)s$/, "$1"), table, `${path}[]`),
    );
  }
  if (kind === "any") return [];
  if (kind === "string" || kind === "number" || kind === "boolean") return typeof value === kind ? [] : wrong;
  if (kind === "pair") return Array.isArray(value) && value.length === 2 ? [] : wrong;
  if (kind.startsWith("`")) return JSON.stringify(value) === kind.slice(1, -1) ? [] : wrong;
  if (!isObject(value)) return wrong;
  if (kind === "numbers by name") return Object.values(value).every((each) => typeof each === "number") ? [] : wrong;
  if (TABLES.has(kind)) return differences(value, kind, "");
  // An object without documented fields may have any.
  return fieldsOf(table, `${path}.`).size === 0 ? [] : differences(value, table, `${path}.`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
