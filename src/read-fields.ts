/** Reads the fields that a caller passed, and has schemas for the usual ones. Messages say what is allowed. */
import * as z from "zod/mini";
import { shortened } from "./neutral-text.ts";
import { type ErrorCode, fieldError } from "./transcripts-error.ts";

/** Maximum length of an invalid value in a message. */
const MAX_SHOWN_VALUE = 60;

/** A text. Its length is checked after the checks in `before`, such as trimming. */
export function textField(min: number, max: number, ...before: z.core.$ZodCheck<string>[]) {
  const must = `it must be a text of ${min} to ${max} characters`;
  const isAllowed = ({ length }: string): boolean => length >= min && length <= max;
  return z.string(must).check(...before, z.refine(isAllowed, must), withoutNul());
}

/** PostgreSQL cannot store NUL. */
export function withoutNul() {
  return z.refine<string>((text) => !text.includes("\0"), "it must not contain a NUL character (U+0000)");
}

export function integerField(min: number, max: number) {
  const must = `it must be a whole number from ${min} to ${max}`;
  const isAllowed = (value: number): boolean => Number.isSafeInteger(value) && value >= min && value <= max;
  return z.number(must).check(z.refine(isAllowed, must));
}

/**
 * Throws a `TranscriptsError` that has the field and says what is allowed. `example`: end of the message, for tools; the
 * message then does not name the field, because tools put its name before the message.
 */
export function readFields<T>(
  schema: z.ZodMiniType<T>,
  raw: unknown,
  { code = "invalid", example = "" }: { code?: ErrorCode; example?: string } = {},
): T {
  const parsed = schema.safeParse(raw, { reportInput: true });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const refused = (field: string, problem: string, allowed: string) =>
    fieldError(code, field, problem, [allowed, example].filter(Boolean).join(" "));
  if (issue?.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    const known = schema instanceof z.ZodMiniObject ? Object.keys(schema.shape).join(", ") : "";
    const name = shortened(key, MAX_SHOWN_VALUE);
    throw refused(name, `${JSON.stringify(name)} is not known.`, `Use one of these: ${known}.`);
  }
  const path = (issue?.path ?? []).map(String);
  const field = path.join(".") || "input";
  const isMissing = issue?.input === undefined && path.length === 1;
  const [name, as] = example === "" ? [field.replaceAll("_", " "), ` as ${field.replaceAll("_", " ")}`] : ["it", ""];
  const problem = isMissing ? `${name} is missing` : `${shown(issue?.input)} is not allowed${as}`;
  throw refused(field, sentence(problem), sentence(issue?.message ?? ""));
}

function sentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}

function shown(value: unknown): string {
  const given = typeof value === "string" ? value.slice(0, MAX_SHOWN_VALUE + 1) : value;
  return shortened(JSON.stringify(given) ?? "that", MAX_SHOWN_VALUE);
}
