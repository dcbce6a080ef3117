/**
 * Reads fields of host objects that may be missing, be of another type, or throw when read. Each reader then returns
 * `undefined` (`false`, an empty list), so that one unexpected field does not cost the whole entry.
 */

export type Fields = Readonly<Record<string, unknown>>;

/** Maximum number of list items read, far more than any real list has. */
const MAX_ITEMS = 100_000;

export function isFields(value: unknown): value is Fields {
  try {
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
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

/** Reads a non-empty string. */
export function id(value: unknown, key: string): string | undefined {
  const found = text(value, key);
  return found === "" ? undefined : found;
}

/** Reads a finite number; -0, which JSON lacks, becomes 0. */
export function number(value: unknown, key: string): number | undefined {
  const found = read(value, key);
  return typeof found === "number" && Number.isFinite(found) ? found + 0 : undefined;
}

export function flag(value: unknown, key: string): boolean {
  return read(value, key) === true;
}

/** Returns a copy of a list, or an empty one. */
export function list(value: unknown, key: string): readonly unknown[] {
  const found = read(value, key);
  const items: unknown[] = [];
  try {
    if (!Array.isArray(found)) return [];
    const length = Math.min(found.length, MAX_ITEMS);
    while (items.length < length) items.push(itemOf(found, items.length));
  } catch {
    // A revoked proxy, or one without a length.
  }
  return items;
}

function itemOf(items: readonly unknown[], at: number): unknown {
  try {
    return items[at];
  } catch {
    return undefined;
  }
}
