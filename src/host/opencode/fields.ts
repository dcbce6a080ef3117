/**
 * Reading fields of host objects that may be missing, of another type, or throw when read.
 * Every reader answers `undefined` for what is not as expected: one odd field costs that field, not the entry.
 */

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function read(value: unknown, key: string): unknown {
  if (!isFields(value)) return undefined;
  try {
    return value[key];
  } catch {
    return undefined;
  }
}

export function fields(value: unknown, key: string): Fields | undefined {
  const found = read(value, key);
  return isFields(found) ? found : undefined;
}

export function text(value: unknown, key: string): string | undefined {
  const found = read(value, key);
  return typeof found === "string" ? found : undefined;
}

/** A non-empty text, as ids are. */
export function id(value: unknown, key: string): string | undefined {
  const found = text(value, key);
  return found === "" ? undefined : found;
}

export function number(value: unknown, key: string): number | undefined {
  const found = read(value, key);
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

export function flag(value: unknown, key: string): boolean {
  return read(value, key) === true;
}

export function list(value: unknown, key: string): readonly unknown[] {
  const found = read(value, key);
  return Array.isArray(found) ? found : [];
}
