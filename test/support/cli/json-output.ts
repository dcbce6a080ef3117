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
import type { FixesOutput } from "../../../src/cli/commands/fixes.ts";
import type { ForgetOutput } from "../../../src/cli/commands/forget.ts";
import type { IndexOutput } from "../../../src/cli/commands/index-sessions.ts";
import type { InitOutput } from "../../../src/cli/commands/init.ts";
import type { ListOutput } from "../../../src/cli/commands/list.ts";
import type { PushOutput } from "../../../src/cli/commands/push.ts";
import type { StatsOutput } from "../../../src/cli/stats-text.ts";
import type { TagOutput } from "../../../src/cli/commands/tag.ts";
import type { TimelineOutput } from "../../../src/cli/commands/timeline.ts";
import type { MessageOutput } from "../../../src/queries/message-row.ts";
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
  find: FindOutput;
  fixes: FixesOutput;
  forget: ForgetOutput;
  index: IndexOutput;
  init: InitOutput;
  list: ListOutput;
  push: PushOutput;
  show: MessageOutput;
  "snippets cleanup": { old: number; deleted: number };
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

/** A type of the page: the small part of TypeScript that it uses. */
type Type =
  | { kind: "name"; name: string }
  | { kind: "literal"; value: unknown }
  | { kind: "union"; types: readonly Type[] }
  | { kind: "tuple"; types: readonly Type[] }
  | { kind: "list"; of: Type }
  | { kind: "map"; of: Type }
  | { kind: "object"; extends: string | undefined; fields: ReadonlyMap<string, Field> };

interface Field {
  type: Type;
  isOptional: boolean;
}

/** Reads type declarations. */
class Declarations {
  readonly types = new Map<string, Type>();
  readonly #tokens: string[];

  constructor(source: string) {
    this.#tokens = source.replaceAll(/\/\/.*$/gm, "").match(/"[^"]*"|\w+|[^\s\w]/g) ?? [];
    while (this.#tokens.length > 0) {
      const [keyword, name] = [this.#next(), this.#next()];
      this.types.set(name, keyword === "type" ? this.#alias() : this.#interface());
    }
  }

  #alias(): Type {
    this.#expect("=");
    const type = this.#type();
    this.#expect(";");
    return type;
  }

  #interface(): Type {
    const base = this.#takes("extends") ? this.#next() : undefined;
    this.#expect("{");
    return this.#object(base);
  }

  #object(base?: string): Type {
    const fields = new Map<string, Field>();
    while (!this.#takes("}")) {
      const name = this.#next();
      const isOptional = this.#takes("?");
      this.#expect(":");
      fields.set(name, { type: this.#type(), isOptional });
      if (this.#tokens[0] !== "}") this.#expect(";");
    }
    return { kind: "object", extends: base, fields };
  }

  #type(): Type {
    const first = this.#member();
    const types = [first];
    while (this.#takes("|")) types.push(this.#member());
    return types.length === 1 ? first : { kind: "union", types };
  }

  #member(): Type {
    let type = this.#single();
    while (this.#takes("[")) {
      this.#expect("]");
      type = { kind: "list", of: type };
    }
    return type;
  }

  #single(): Type {
    if (this.#takes("[")) {
      const types = [this.#type()];
      while (this.#takes(",")) types.push(this.#type());
      this.#expect("]");
      return { kind: "tuple", types };
    }
    if (!this.#takes("{")) {
      const name = this.#next();
      return /^(?:"|(?:true|false|null)$)/.test(name)
        ? { kind: "literal", value: JSON.parse(name) }
        : { kind: "name", name };
    }
    if (this.#tokens[0] !== "[") return this.#object();
    this.#tokens.splice(0, this.#tokens.indexOf("]") + 1);
    this.#expect(":");
    const of = this.#type();
    this.#expect("}");
    return { kind: "map", of };
  }

  #next(): string {
    const token = this.#tokens.shift();
    assert(token !== undefined, "docs/json.md: a declaration ends too early");
    return token;
  }

  #takes(token: string): boolean {
    if (this.#tokens[0] !== token) return false;
    this.#tokens.shift();
    return true;
  }

  #expect(token: string): void {
    assert.equal(this.#next(), token, "docs/json.md");
  }
}

const PAGE = readFileSync(join(REPOSITORY, "docs/json.md"), "utf8");
const FENCE = /^```ts\n([^]*?)^```$/gm;
const { types: TYPES } = new Declarations(Array.from(PAGE.matchAll(FENCE), ([, code]) => code).join(""));

/** Types that commands print: the first in the section of each. */
const PRINTED = new Map(
  PAGE.split(/^### /m)
    .slice(1)
    .map((section) => [/^.*/.exec(section)?.[0] ?? "", /^interface (\w+)/m.exec(section)?.[1]]),
);

const VERSION: [string, Field] = ["version", { type: { kind: "name", name: "number" }, isOptional: false }];

/** Returns whether docs/json.md describes the command. */
export function isDocumented(command: string): command is keyof Outputs {
  return PRINTED.has(command);
}

/** Returns what differs from the page: keys that it does not have, keys that are missing, other values. */
function undocumented(command: string, value: unknown): string[] {
  const name = PRINTED.get(command === "tail" ? "show" : command) ?? "";
  return differences(value, { kind: "name", name }, name);
}

/** Returns the fields of an object, with those of the type that it extends, and `version` of one that is printed. */
function fieldsOf(type: Type | undefined, name = ""): ReadonlyMap<string, Field> {
  if (type?.kind === "name") return fieldsOf(TYPES.get(type.name), type.name);
  if (type?.kind !== "object") return new Map();
  const isVersioned = name !== PRINTED.get("errors") && Array.from(PRINTED.values()).includes(name);
  return new Map([...(isVersioned ? [VERSION] : []), ...fieldsOf(TYPES.get(type.extends ?? "")), ...type.fields]);
}

function fieldDifferences(
  object: Readonly<Record<string, unknown>>,
  fields: ReadonlyMap<string, Field>,
  path: string,
): string[] {
  const unknown = Object.keys(object).filter((key) => !fields.has(key));
  const problems = unknown.map((key) => `${path}.${key} is not documented`);
  for (const [key, { type, isOptional }] of fields) {
    if (Object.hasOwn(object, key)) problems.push(...differences(object[key], type, `${path}.${key}`));
    else if (!isOptional) problems.push(`${path}.${key} is missing`);
  }
  return problems;
}

function differences(value: unknown, type: Type, path: string): string[] {
  const wrong = [`${path} is ${JSON.stringify(value)?.slice(0, 100)}`];
  if (type.kind === "literal") return value === type.value ? [] : wrong;
  if (type.kind === "union") {
    const each = type.types.map((member) => differences(value, member, path));
    return each.some((problems) => problems.length === 0) ? [] : (each.find(([first]) => first !== wrong[0]) ?? wrong);
  }
  if (type.kind === "list" || type.kind === "tuple") {
    if (!Array.isArray(value)) return wrong;
    const list: unknown[] = value;
    if (type.kind === "list") return list.flatMap((each, index) => differences(each, type.of, `${path}[${index}]`));
    return list.length === type.types.length
      ? type.types.flatMap((each, index) => differences(list[index], each, `${path}[${index}]`))
      : wrong;
  }
  if (type.kind === "name") {
    const { name } = type;
    if (name === "unknown") return [];
    if (name === "string" || name === "number" || name === "boolean") return typeof value === name ? [] : wrong;
    if (name === "object") return isObject(value) ? [] : wrong;
    const declared = TYPES.get(name);
    assert(declared !== undefined, `docs/json.md declares no ${name}`);
    if (declared.kind !== "object") return differences(value, declared, path);
  }
  if (!isObject(value)) return wrong;
  if (type.kind === "map")
    return Object.entries(value).flatMap(([key, each]) => differences(each, type.of, `${path}.${key}`));
  return fieldDifferences(value, fieldsOf(type), path);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
