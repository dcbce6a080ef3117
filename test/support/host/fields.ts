/** Reading fields of parsed JSON without trusting its shape. */

export function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Throws if the value is no text: what it is read from is then not as this file's caller believes. */
export function text(value: unknown): string {
  if (typeof value !== "string") throw new Error(`expected a text, found ${JSON.stringify(value)}`);
  return value;
}
