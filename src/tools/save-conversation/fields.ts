/** Reading fields of JSON values that may have any shape. */

export function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

export function textOf(value: unknown, key: string): string | undefined {
  const found = fieldOf(value, key);
  return typeof found === "string" ? found : undefined;
}

export function numberOf(value: unknown, key: string): number | undefined {
  const found = fieldOf(value, key);
  return typeof found === "number" ? found : undefined;
}
