/** Reads JSON, and fields of JSON values of any shape. */

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a field of an object; undefined for anything else. */
export function fieldOf(value: unknown, key: string): unknown {
  return isFields(value) ? value[key] : undefined;
}

/** Returns a field that is an object, else undefined. */
export function fieldsOf(value: unknown, key: string): Fields | undefined {
  const field = fieldOf(value, key);
  return isFields(field) ? field : undefined;
}

/** Returns a field that is a non-empty text. */
export function textOf(value: unknown, key: string): string | undefined {
  const field = fieldOf(value, key);
  return typeof field === "string" && field !== "" ? field : undefined;
}

/** Returns a field that is a finite number of at least 0. */
export function countOf(value: unknown, key: string): number | undefined {
  const field = fieldOf(value, key);
  return typeof field === "number" && Number.isFinite(field) && field >= 0 ? field : undefined;
}

/** Returns a field that is a list, else an empty one. */
export function listOf(value: unknown, key: string): readonly unknown[] {
  const field = fieldOf(value, key);
  return Array.isArray(field) ? field : [];
}

/** Returns the value of a JSON text; undefined if it is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the object of a JSON text; undefined if it is anything else. */
export function recordIn(text: string): Fields | undefined {
  const value = parsedJson(text);
  return isFields(value) ? value : undefined;
}

/** Returns a JSON value as text, or a note if it is nested too deeply for the runtime. */
export function jsonText(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent) ?? "";
  } catch {
    return "[nested too deep to show]";
  }
}
