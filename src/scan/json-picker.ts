/**
 * Takes a few fields out of a JSON object in bytes, without making anything of the rest. All of it is checked, so
 * what this reads `JSON.parse` reads too, and the fields are the same.
 */
import {
  afterSpace,
  afterText,
  afterValue,
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from "./json-bytes.ts";

/**
 * What becomes of a field. `take`: it is read whole. `begin`: of a long text only the beginning is kept, and of a list
 * that it is one. `object`: the fields of the shape are read if it is an object, of a list only that it is one, and
 * anything else whole. `list`: a list of objects with that shape; anything else makes the object unreadable.
 */
type Rule = "take" | "begin" | { object: Shape } | { list: Shape };

interface Field {
  name: string;
  bytes: Uint8Array;
  rule: Rule;
}

/** Fields by the length of their names. All others are passed over. */
export type Shape = readonly (readonly Field[] | undefined)[];

export function shape(rules: Readonly<Record<string, Rule>>): Shape {
  const byLength: Field[][] = [];
  for (const [name, rule] of Object.entries(rules)) {
    const fields = (byLength[name.length] ??= []);
    fields.push({ name, bytes: Buffer.from(name), rule });
  }
  return Array.from(byLength);
}

export type Picked = Record<string, unknown>;

/** Bytes that `begin` keeps of a text at least, if it has more: 80 characters, even if each of them is escaped. */
const KEPT_BYTES = 80 * 6;

export class JsonPicker {
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;

  /**
   * The fields of an object that fills the line from `start` to `end`, where a line feed must stand. Undefined if it
   * does not, is no JSON, has a field name with an escape in it, or has not the lists that the shape wants.
   */
  pick(bytes: Buffer, start: number, end: number, wanted: Shape): Picked | undefined {
    this.#bytes = bytes;
    this.#at = start;
    if (bytes[start] !== OPEN_OBJECT) return undefined;
    const picked = this.#object(wanted);
    return picked !== undefined && afterSpace(bytes, this.#at) === end ? picked : undefined;
  }

  /** From the opening brace to after the closing one. */
  #object(wanted: Shape): Picked | undefined {
    const bytes = this.#bytes;
    const picked: Picked = {};
    let at = afterSpace(bytes, this.#at + 1);
    if (bytes[at] === CLOSE_OBJECT) {
      this.#at = at + 1;
      return picked;
    }
    for (;;) {
      if (bytes[at] !== QUOTE) return undefined;
      const name = at + 1;
      at = afterPlainName(bytes, name);
      if (at === -1) return undefined;
      const field = fieldOf(wanted, bytes, name, at - 1);
      at = afterSpace(bytes, at);
      if (bytes[at] !== COLON) return undefined;
      this.#at = afterSpace(bytes, at + 1);
      if (field === undefined) this.#at = afterValue(bytes, this.#at, 0);
      else picked[field.name] = this.#value(field.rule);
      if (this.#at === -1) return undefined;
      at = afterSpace(bytes, this.#at);
      if (bytes[at] === CLOSE_OBJECT) {
        this.#at = at + 1;
        return picked;
      }
      if (bytes[at] !== COMMA) return undefined;
      at = afterSpace(bytes, at + 1);
    }
  }

  /** Leaves `#at` after it, or at -1. */
  #value(rule: Rule): unknown {
    const byte = this.#bytes[this.#at];
    if (rule === "take") return this.#whole();
    if (rule === "begin") {
      if (byte === QUOTE) return this.#beginning();
      return byte === OPEN_LIST ? this.#emptied() : this.#whole();
    }
    if ("list" in rule) return this.#list(rule.list);
    if (byte === OPEN_LIST) return this.#emptied();
    if (byte !== OPEN_OBJECT) return this.#whole();
    const picked = this.#object(rule.object);
    if (picked === undefined) this.#at = -1;
    return picked;
  }

  #list(wanted: Shape): Picked[] {
    const bytes = this.#bytes;
    const list: Picked[] = [];
    if (bytes[this.#at] !== OPEN_LIST) return this.#failed(list);
    this.#at = afterSpace(bytes, this.#at + 1);
    if (bytes[this.#at] === CLOSE_LIST) {
      this.#at += 1;
      return list;
    }
    for (;;) {
      const item = bytes[this.#at] === OPEN_OBJECT ? this.#object(wanted) : undefined;
      if (item === undefined) return this.#failed(list);
      list.push(item);
      const at = afterSpace(bytes, this.#at);
      this.#at = at + 1;
      if (bytes[at] === CLOSE_LIST) return list;
      if (bytes[at] !== COMMA) return this.#failed(list);
      this.#at = afterSpace(bytes, at + 1);
    }
  }

  #failed(list: Picked[]): Picked[] {
    this.#at = -1;
    return list;
  }

  #emptied(): unknown[] {
    this.#at = afterValue(this.#bytes, this.#at, 0);
    return [];
  }

  #whole(): unknown {
    const start = this.#at;
    const end = afterValue(this.#bytes, start, 0);
    this.#at = end;
    if (end === -1) return undefined;
    if (this.#bytes[start] === QUOTE) return this.#text(start, end);
    return smallCount(this.#bytes, start, end) ?? JSON.parse(this.#bytes.toString("utf8", start, end));
  }

  /** A text with its quotes. */
  #text(start: number, end: number): string {
    const text = this.#bytes.toString("utf8", start + 1, end - 1);
    return text.includes("\\") ? JSON.parse(`"${text}"`) : text;
  }

  #beginning(): string {
    const start = this.#at;
    const end = afterText(this.#bytes, start + 1);
    this.#at = end;
    if (end === -1) return "";
    let cut = start + 1;
    while (cut < end - 1 && cut < start + 1 + KEPT_BYTES) cut = afterCharacter(this.#bytes, cut);
    return this.#text(start, cut + 1);
  }
}

/** A number of a few digits and nothing else, as counts of tokens are. */
function smallCount(bytes: Uint8Array, start: number, end: number): number | undefined {
  if (end - start > 9) return undefined;
  let count = 0;
  for (let at = start; at < end; at += 1) {
    const digit = (bytes[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    count = count * 10 + digit;
  }
  return count;
}

/** After the character or the escape that begins there. */
function afterCharacter(bytes: Uint8Array, start: number): number {
  if (bytes[start] === BACKSLASH) return start + (bytes[start + 1] === 0x75 ? 6 : 2);
  let at = start + 1;
  while (((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}

/** After the closing quote; -1 if there is an escape before it. */
function afterPlainName(bytes: Uint8Array, start: number): number {
  for (let at = start; ; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH || byte < 0x20) return -1;
  }
}

function fieldOf(wanted: Shape, bytes: Uint8Array, start: number, end: number): Field | undefined {
  const candidates = wanted[end - start];
  if (candidates === undefined) return undefined;
  for (const field of candidates) if (isAt(field.bytes, bytes, start)) return field;
  return undefined;
}

function isAt(name: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < name.length; at += 1) if (name[at] !== bytes[start + at]) return false;
  return true;
}
