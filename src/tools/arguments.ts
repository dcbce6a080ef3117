/**
 * Describes the arguments of tools and reads those of a model's call.
 *
 * JSON schemas are generated with our registry of descriptions. opencode has its own copy of zod, which ignores that
 * registry and reads the property `description`; it does not apply defaults either. So each description states its
 * default, and the tool applies it. Bounds are checked here instead of in the schema: there they would cost tokens in
 * every request, and a host that checks them would reply with its own message.
 */
import { given } from "../given.ts";
import * as z from "zod/mini";
import type { ArgumentShape, ToolArguments, ToolDefinition } from "./tool.ts";
import { shortened } from "../neutral-text.ts";
import { textOf, wholeNumber } from "../snippets/snippet-input.ts";
import { TranscriptsError } from "../transcripts-error.ts";

/** Maximum length of an invalid value in a message. */
const MAX_SHOWN_VALUE = 60;

export function text(description: string, { maxChars = 4_096 }: { maxChars?: number } = {}): z.ZodMiniString {
  return described(textOf(1, maxChars), description);
}

export function integer(description: string, { min, max }: { min: number; max: number }): z.ZodMiniNumber {
  return described(wholeNumber(min, max), description);
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
  definition: ToolDefinition<Shape>,
  raw: unknown,
): ToolArguments<Shape> {
  const passed = withoutNulls(raw);
  const example = `For example: ${JSON.stringify(definition.example)}`;
  if (passed === undefined) {
    throw bad(`${shown(raw)} are not valid arguments for ${definition.name}: they must be an object.`, example);
  }
  const known = Object.keys(definition.args);
  const stranger = Object.keys(passed).find((name) => !known.includes(name));
  if (stranger !== undefined) {
    throw bad(
      `${definition.name} has no such argument, it has ${known.join(", ")}.`,
      example,
      shortened(stranger, MAX_SHOWN_VALUE),
    );
  }
  const parsed = z.object(definition.args).safeParse(unquoted(definition.args, passed));
  // TypeScript cannot infer the type for a generic shape.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  if (parsed.success) return parsed.data as ToolArguments<Shape>;
  const [issue] = parsed.error.issues;
  const [name = "arguments", ...inner] = (issue?.path ?? []).map(String);
  const value = passed[name];
  const isMissing = value === undefined && inner.length === 0;
  const problem = `${isMissing ? "it is missing" : `${shown(value)} is not allowed`}; ${issue?.message ?? ""}.`;
  throw bad(problem, example, [name, ...inner].join("."));
}

function bad(problem: string, example: string, field?: string): TranscriptsError {
  return new TranscriptsError("bad_arguments", problem, `${example}.`, given({ field }));
}

/** Models pass null for arguments they leave out, and nothing at all for no arguments. */
export function withoutNulls(raw: unknown): Record<string, unknown> | undefined {
  if (raw === null || raw === undefined) return {};
  if (typeof raw !== "object" || Array.isArray(raw)) return undefined;
  return Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null && value !== undefined));
}

/** Some models quote every value, and some clients turn any text that looks like a number into one. */
function unquoted(shape: ArgumentShape, passed: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(passed).map(([name, value]) => {
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
  return shortened(JSON.stringify(value) ?? "nothing", MAX_SHOWN_VALUE);
}
