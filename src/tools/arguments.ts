/**
 * The arguments of tools: how they are described, and how a model's arguments are read.
 *
 * JSON schemas are made with our registry of descriptions. opencode has a copy of zod of its own, which does not see that
 * registry but reads the property `description`; it does not apply defaults either. So each description states its default, and the work applies it.
 *
 * Bounds are checked here and not told in the schema: they would cost tokens in every request, and a host that checks
 * them would answer in its words, not in ours.
 */
import * as z from "zod/mini";
import { ToolError } from "./tool-error.ts";
import type { ArgumentShape, ToolArguments, ToolDefinition } from "./tool.ts";

/** Longest form of a wrong value in a message. */
const MAX_SHOWN_VALUE = 60;

/** A text of at least one character. */
export function text(description: string, { maxChars = 4_096 }: { maxChars?: number } = {}): z.ZodMiniString {
  return described(plainText(maxChars), description);
}

/** A whole number. */
export function integer(description: string, { min, max }: { min: number; max: number }): z.ZodMiniNumber {
  const must = `it must be a whole number from ${min} to ${max}`;
  const isAllowed = (value: number): boolean => Number.isSafeInteger(value) && value >= min && value <= max;
  return described(z.number(must).check(z.refine(isAllowed, must)), description);
}

export function flag(description: string): z.ZodMiniBoolean {
  return described(z.boolean("it must be true or false"), description);
}

export function choice<const Values extends readonly [string, ...string[]]>(description: string, values: Values) {
  const must = `it must be one of ${values.map((value) => JSON.stringify(value)).join(", ")}`;
  return described(z.enum(values, must), description);
}

export function texts(description: string, { max, maxChars }: { max: number; maxChars: number }) {
  const must = `it must be a list of at most ${max} texts`;
  const list = z.array(plainText(maxChars), must).check(z.refine((items) => items.length <= max, must));
  return described(list, description);
}

function plainText(maxChars: number): z.ZodMiniString {
  const must = `it must be a text of 1 to ${maxChars} characters`;
  return z.string(must).check(z.refine((value) => value.length >= 1 && value.length <= maxChars, must));
}

/** Any JSON object. */
export function record(description: string) {
  const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
  // What a record would tell of its keys and values is nothing.
  return described(
    z.looseObject({}, "it must be an object").check(z.refine(isObject, "it must be an object")),
    description,
  );
}

/** An argument that may be left out. */
export function optional<Schema extends z.ZodMiniType & { description?: string }>(
  schema: Schema,
): z.ZodMiniOptional<Schema> {
  return described(z.optional(schema), schema.description ?? "");
}

/** An empty description is none: the name says it all, and each word is paid for in every request. */
function described<Schema extends z.ZodMiniType>(schema: Schema, description: string): Schema {
  if (description === "") return schema;
  z.globalRegistry.add(schema, { description });
  return Object.assign(schema, { description });
}

/**
 * Reads the arguments of a call as a model wrote them: null is left out, a number or a truth value in quotes is taken
 * for what it says, and a number for a text. Throws a `ToolError` (`bad_arguments`) that names the argument, its value, what is allowed and an
 * example.
 */
export function readArguments<Shape extends ArgumentShape>(
  definition: ToolDefinition<Shape>,
  raw: unknown,
): ToolArguments<Shape> {
  const given = withoutNulls(raw);
  const example = `For example: ${JSON.stringify(definition.example)}`;
  if (given === undefined) {
    throw bad(`${shown(raw)} are no arguments of ${definition.name}: they must be an object.`, example);
  }
  const known = Object.keys(definition.args);
  const stranger = Object.keys(given).find((name) => !known.includes(name));
  if (stranger !== undefined) {
    throw bad(
      `${shown(stranger)}: ${definition.name} has no such argument, it has ${known.join(", ")}.`,
      example,
      stranger,
    );
  }
  const parsed = z.object(definition.args).safeParse(unquoted(definition.args, given));
  // The type of a shape that is only known to be one is not inferred any further.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  if (parsed.success) return parsed.data as ToolArguments<Shape>;
  const [issue] = parsed.error.issues;
  const [name = "arguments", ...inner] = (issue?.path ?? []).map(String);
  const value = given[name];
  const problem =
    value === undefined && inner.length === 0
      ? `${name}: it is missing; ${issue?.message ?? ""}.`
      : `${[name, ...inner].join(".")}: ${shown(value)} is not allowed; ${issue?.message ?? ""}.`;
  throw bad(problem, example, name);
}

function bad(problem: string, example: string, field?: string): ToolError {
  return new ToolError("bad_arguments", problem, `${example}.`, field === undefined ? {} : { field });
}

/** Models write null for what they leave out, and nothing at all for no arguments. */
function withoutNulls(raw: unknown): Record<string, unknown> | undefined {
  if (raw === null || raw === undefined) return {};
  if (typeof raw !== "object" || Array.isArray(raw)) return undefined;
  return Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null && value !== undefined));
}

/** Some models quote every value, and some clients make a number of every text that looks like one. */
function unquoted(shape: ArgumentShape, given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const schema = shape[name];
      const meant = otherForm(value);
      if (schema === undefined || meant === undefined || schema.safeParse(value).success) return [name, value];
      return [name, schema.safeParse(meant).success ? meant : value];
    }),
  );
}

function otherForm(value: unknown): unknown {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string") return undefined;
  return /^-?\d{1,15}$/.test(value) ? Number(value) : { true: true, false: false }[value];
}

function shown(value: unknown): string {
  const line = JSON.stringify(value) ?? "nothing";
  return line.length > MAX_SHOWN_VALUE ? `${line.slice(0, MAX_SHOWN_VALUE)}…` : line;
}
