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
  return textIn(fieldOf(value, key));
}

/** Returns a value that is a non-empty text. Reading a field by its name, not through a function, is several times faster. */
export function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns a field that is a text, which may be empty. */
export function stringOf(value: unknown, key: string): string | undefined {
  const field = fieldOf(value, key);
  return typeof field === "string" ? field : undefined;
}

/** Returns a field that is a finite number. */
export function numberOf(value: unknown, key: string): number | undefined {
  const field = fieldOf(value, key);
  return typeof field === "number" && Number.isFinite(field) ? field : undefined;
}

/** Returns a field that is a finite number of at least 0. */
export function countOf(value: unknown, key: string): number | undefined {
  return countIn(fieldOf(value, key));
}

/** Returns a value that is a finite number of at least 0. */
export function countIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
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

/**
 * Returns the end of the JSON object, list or string at `start`; -1 if there is none before `limit`. A line feed ends a
 * string whose closing quote is lost, because JSON strings contain none.
 */
export function endOfJson(text: string, start: number, limit = text.length): number {
  let depth = 0;
  for (let at = start; at < limit; at += 1) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at + 1, limit);
    else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") depth -= 1;
    else continue;
    if (depth <= 0) return at < limit ? at + 1 : -1;
  }
  return -1;
}

/**
 * Returns the index of the closing quote of a string whose content begins at `start`, or of the line feed that ends it;
 * at least `limit` if there is neither before. Texts are long, so quotes are searched for; only a string with a line feed
 * is read character by character.
 */
function endOfString(text: string, start: number, limit: number): number {
  let done = start;
  for (let at = text.indexOf('"', start); at !== -1; at = text.indexOf('"', done)) {
    if (text.slice(done, at).includes("\n")) break;
    let first = at;
    while (first > start && text[first - 1] === "\\") first -= 1;
    if ((at - first) % 2 === 0) return at;
    done = at + 1;
  }
  for (let at = start; at < limit; at += 1) {
    const char = text[at];
    if (char === "\\") at += 1;
    else if (char === '"' || char === "\n") return at;
  }
  return limit;
}
