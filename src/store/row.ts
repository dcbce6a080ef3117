/** Reads rows as the drivers give them. What has another type than its column is a damaged database. */
export type Row = Readonly<Record<string, unknown>>;

/** Not for callers of a store: each backend tells it as the damage of its own database (`asStoreError`). */
export class UnexpectedValue extends Error {
  override readonly name = "UnexpectedValue";
}

export function textIn(row: Row, column: string): string {
  const value = row[column];
  return typeof value === "string" ? value : unexpected(column);
}

export function textOrNullIn(row: Row, column: string): string | null {
  return row[column] === null ? null : textIn(row, column);
}

export function numberIn(row: Row, column: string): number {
  const value = row[column];
  return typeof value === "number" ? value : unexpected(column);
}

export function numberOrNullIn(row: Row, column: string): number | null {
  return row[column] === null ? null : numberIn(row, column);
}

/** SQLite has 0 and 1 for it. */
export function booleanIn(row: Row, column: string): boolean {
  const value = row[column];
  if (value === true || value === 1) return true;
  return value === false || value === 0 ? false : unexpected(column);
}

export function bytesIn(row: Row, column: string): Uint8Array {
  const value = row[column];
  return value instanceof Uint8Array ? value : unexpected(column);
}

export function bytesOrNullIn(row: Row, column: string): Uint8Array | null {
  return row[column] === null ? null : bytesIn(row, column);
}

/** One of a closed set of words. */
export function wordIn<const Word extends string>(row: Row, column: string, words: readonly Word[]): Word {
  const value = row[column];
  return words.find((word) => word === value) ?? unexpected(column);
}

export function wordOrNullIn<const Word extends string>(row: Row, column: string, words: readonly Word[]): Word | null {
  return row[column] === null ? null : wordIn(row, column, words);
}

function unexpected(column: string): never {
  throw new UnexpectedValue(`a value in the column ${column} that this program did not write`);
}
