/** Reads driver rows. A value whose type does not match its column means that the database is damaged. */
export type Row = Readonly<Record<string, unknown>>;

/** Internal: each backend reports it as damage to its own database (`asStoreError`). */
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

/** SQLite stores booleans as 0 and 1. */
export function booleanIn(row: Row, column: string): boolean {
  const value = row[column];
  if (value === true || value === 1) return true;
  return value === false || value === 0 ? false : unexpected(column);
}

export function booleanOrNullIn(row: Row, column: string): boolean | null {
  return row[column] === null ? null : booleanIn(row, column);
}

/** Returns one of a closed set of words. */
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
