/**
 * References from a section's comment to the section's visible text, so that no text is in a file twice.
 *
 * In the comment's JSON, `{"$text": "content"}` means the whole named text, and `{"$text": ["content", 3, 10]}` its UTF-16
 * units 3 to 9. An object whose only key is `$text`, `$$text` and so on is written with one more `$`.
 */
const KEY = "$text";
const ESCAPED_KEY = /^\$+text$/;
/** Minimum length of a referenced string. Shorter ones occur by chance, and a reference would be harder to read. */
const MIN_SLICE_LENGTH = 16;
/** Maximum number of characters searched for slices in one entry. Beyond it only consecutive slices are found. */
const SEARCH_BUDGET = 4_000_000;

interface Source {
  name: string;
  text: string;
  /** End of the last slice found, since parts are usually consecutive. */
  cursor: number;
}

/** Returns the name under which a string is shown as a text, or undefined if it stays in the comment. */
export type Adopt = (text: string, key: string | undefined, owner: object | undefined) => string | undefined;

/** Texts of a section, for replacing strings of its comment by references. */
export class TextReferences {
  readonly #sources: Source[] = [];
  #budget = SEARCH_BUDGET;

  add(name: string, text: string): void {
    if (text !== "") this.#sources.push({ name, text, cursor: 0 });
  }

  /** Copies a JSON value with references in it. Throws if the value cannot be traversed (a cycle, a getter). */
  encode(value: unknown, adopt?: Adopt, key?: string, owner?: object): unknown {
    if (typeof value === "string") return this.#reference(value, key, owner, adopt) ?? value;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item: unknown) => this.encode(item, adopt));
    const entries = Object.entries(value).map(([name, inner]): [string, unknown] => [
      name,
      this.encode(inner, adopt, name, value),
    ]);
    const only = entries.length === 1 ? entries[0] : undefined;
    if (only !== undefined && ESCAPED_KEY.test(only[0])) only[0] = `$${only[0]}`;
    return Object.fromEntries(entries);
  }

  #reference(text: string, key?: string, owner?: object, adopt?: Adopt): object | undefined {
    if (text === "") return undefined;
    for (const source of this.#sources) {
      if (source.text === text) return { [KEY]: source.name };
    }
    for (const source of this.#sources) {
      const start = this.#find(source, text, key === "text" ? 1 : MIN_SLICE_LENGTH);
      if (start === -1) continue;
      source.cursor = start + text.length;
      return { [KEY]: [source.name, start, source.cursor] };
    }
    const name = adopt?.(text, key, owner);
    if (name === undefined) return undefined;
    this.add(name, text);
    return { [KEY]: name };
  }

  #find(source: Source, text: string, minLength: number): number {
    if (text.length < minLength || text.length > source.text.length) return -1;
    for (const start of [source.cursor, source.cursor + 1, 0]) if (source.text.startsWith(text, start)) return start;
    if (this.#budget <= 0) return -1;
    this.#budget -= source.text.length;
    return source.text.indexOf(text);
  }
}

/** Replaces references by texts. `damaged` is called for each reference without a matching text. */
export function resolveReferences(value: unknown, texts: ReadonlyMap<string, string>, damaged: () => void): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => resolveReferences(item, texts, damaged));
  const entries = Object.entries(value);
  const only = entries.length === 1 ? entries[0] : undefined;
  if (only?.[0] === KEY) return resolve(only[1], texts, damaged);
  return Object.fromEntries(
    entries.map(([name, inner]): [string, unknown] => [
      only !== undefined && ESCAPED_KEY.test(name) ? name.slice(1) : name,
      resolveReferences(inner, texts, damaged),
    ]),
  );
}

function resolve(reference: unknown, texts: ReadonlyMap<string, string>, damaged: () => void): string {
  const [name, from, to]: unknown[] = Array.isArray(reference) ? reference : [reference];
  const text = typeof name === "string" ? texts.get(name) : undefined;
  const whole = !Array.isArray(reference);
  const fits = whole || (typeof from === "number" && typeof to === "number" && to <= (text?.length ?? -1));
  if (text === undefined || !fits) damaged();
  if (text === undefined) return "";
  return typeof from === "number" && typeof to === "number" ? text.slice(from, to) : text;
}
