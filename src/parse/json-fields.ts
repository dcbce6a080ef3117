/** Reading fields of JSON values that may have any shape. */

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A field that is an object; undefined if it is anything else. */
export function fieldsOf(value: unknown, key: string): Fields | undefined {
  const field = isFields(value) ? value[key] : undefined;
  return isFields(field) ? field : undefined;
}

/** A field that is a text with something in it. */
export function textOf(value: Fields, key: string): string | undefined {
  const field = value[key];
  return typeof field === "string" && field !== "" ? field : undefined;
}

/** A field that counts something: a finite number, not below 0. */
export function countOf(value: Fields, key: string): number | undefined {
  const field = value[key];
  return typeof field === "number" && Number.isFinite(field) && field >= 0 ? field : undefined;
}
