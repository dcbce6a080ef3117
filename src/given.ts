/** `T` with every field optional and none undefined. */
export type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out the fields that are undefined. */
export function given<T extends object>(fields: T): Given<T> {
  const result: Given<T> = {};
  for (const key in fields) {
    const value = fields[key];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- just checked; TypeScript cannot narrow T[key]
    if (value !== undefined) result[key] = value as Exclude<T[typeof key], undefined>;
  }
  return result;
}
