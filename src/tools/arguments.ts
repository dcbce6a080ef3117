/**
 * Describes the arguments of tools and reads those of a model's call.
 *
 * JSON schemas are generated with our registry of descriptions. opencode has its own copy of zod, which ignores that
 * registry and reads the property `description`; it does not apply defaults either. So each description states its
 * default, and the tool applies it. Bounds are checked here instead of in the schema: there they would cost tokens in
 * every request, and a host that checks them would reply with its own message.
 */
import * as z from "zod/mini";
import type { ArgumentShape, ToolArguments, ToolDefinition } from "./tool.ts";
import { integerField, readFields, textField } from "../read-fields.ts";

export function text(description: string, { maxChars = 4_096 }: { maxChars?: number } = {}): z.ZodMiniString {
  return described(textField(1, maxChars), description);
}

export function integer(description: string, { min, max }: { min: number; max: number }): z.ZodMiniNumber {
  return described(integerField(min, max), description);
}

export function flag(description: string): z.ZodMiniBoolean {
  return described(z.boolean("it must be true or false"), description);
}

export function choice<const Values extends readonly [string, ...string[]]>(description: string, values: Values) {
  const must = `it must be one of ${values.map((value) => JSON.stringify(value)).join(", ")}`;
  return described(z.enum(values, must), description);
}

export function optional<Schema extends z.ZodMiniType & { description?: string }>(
  schema: Schema,
): z.ZodMiniOptional<Schema> {
  return described(z.optional(schema), schema.description ?? "");
}

/** Returns a copy of the shape in which each field has a description. */
export function withDescriptions<Shape extends ArgumentShape>(
  shape: Shape,
  descriptions: Readonly<Record<keyof Shape, string>>,
): Shape {
  const fields = Object.entries(shape).map(([name, schema]) => [
    name,
    described(z.clone(schema), descriptions[name] ?? ""),
  ]);
  // The fields are those of the shape.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(fields) as Shape;
}

export function described<Schema extends z.ZodMiniType>(schema: Schema, description: string): Schema {
  z.globalRegistry.add(schema, { description });
  return Object.assign(schema, { description });
}

/**
 * Reads the arguments of a call as a model wrote them: ignores nulls, converts quoted numbers and booleans, and numbers
 * given for texts. Throws a `TranscriptsError` (`bad_arguments`) that names the argument, its value, what is allowed
 * and an example.
 */
export function readArguments<Shape extends ArgumentShape>(
  { args, example }: Pick<ToolDefinition<Shape>, "args" | "example">,
  raw: unknown,
): ToolArguments<Shape> {
  const schema = z.strictObject(args, "it must be an object");
  const given = isObject(raw ?? {}) ? meantBy(args, Object.entries(raw ?? {})) : raw;
  // TypeScript cannot infer the type for a generic shape.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return readFields(schema, given, {
    code: "bad_arguments",
    example: `For example: ${JSON.stringify(example)}.`,
  }) as ToolArguments<Shape>;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && !Array.isArray(value);
}

/**
 * Models pass null for arguments they leave out, and nothing at all for no arguments. Some quote every value, and some
 * clients turn any text that looks like a number into one.
 */
function meantBy(shape: ArgumentShape, passed: readonly [string, unknown][]): Record<string, unknown> {
  const given = passed.filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => {
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
