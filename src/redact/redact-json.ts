import { addCounts, type RedactionCounts } from "./finding.ts";
import type { RedactionInput, Redactor } from "./redactor.ts";
import { isTurnOver, nextTurn } from "./event-loop-turns.ts";

type Container = Record<string, unknown> | unknown[];

/** Minimum length of a property name that is searched: shorter ones cannot be secrets. */
const SHORTEST_SECRET_NAME = 8;

/** Cost of copying a value, in characters searched in the same time. */
const VALUE_COST = 64;

/** String to redact, and where to put the result. */
interface Leaf {
  /** Index of the value that the string belongs to. */
  owner: number;
  input: RedactionInput;
  put: (text: string) => void;
}

/**
 * Redacts every string in each of `values`, with its key as context, and the keys themselves.
 *
 * Results are copies of the same shape, including cycles and shared parts. Items of an array have the array's key. In
 * `{"name": "DB_PASSWORD", "value": "…"}` the name is the key of the value. Values that JSON cannot represent
 * (functions, dates) are returned unchanged.
 */
export async function redactJson(
  redactor: Redactor,
  values: readonly unknown[],
): Promise<{ value: unknown; counts: RedactionCounts }[]> {
  const leaves: Leaf[] = [];
  const results: { value: unknown; counts: RedactionCounts }[] = [];
  for (const [owner, value] of values.entries()) {
    const root: { value: unknown; counts: RedactionCounts } = { value: undefined, counts: {} };
    results.push(root);
    await new Copier(owner, leaves).copy(value, (copy) => (root.value = copy));
  }
  const redacted = await redactor.redact(leaves.map(({ input }) => input));
  for (const [i, { owner, put }] of leaves.entries()) {
    const { text = "", counts = {} } = redacted[i] ?? {};
    put(text);
    const result = results[owner];
    if (result !== undefined) addCounts(result.counts, counts);
    if (isTurnOver(VALUE_COST)) await nextTurn();
  }
  return results;
}

/** Container whose items are being copied. */
interface Frame {
  source: Container;
  copy: Container;
  /** Key of the container, and of the items of an array. */
  key: string | undefined;
  /** Property names of an object; empty for an array. */
  names: readonly string[];
  /** The name in `{"name": …, "value": …}`. */
  named: string | undefined;
  next: number;
}

/** Copies one value and lists its strings. Not recursive, so that deep nesting cannot exhaust the stack. */
class Copier {
  readonly #owner: number;
  readonly #leaves: Leaf[];
  readonly #copies = new Map<object, Container>();
  readonly #frames: Frame[] = [];

  constructor(owner: number, leaves: Leaf[]) {
    this.#owner = owner;
    this.#leaves = leaves;
  }

  async copy(value: unknown, put: (copy: unknown) => void): Promise<void> {
    this.#copyValue(value, undefined, put);
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      const { source, copy, next } = frame;
      frame.next += 1;
      if (next >= (Array.isArray(source) ? source : frame.names).length) this.#frames.pop();
      else if (!Array.isArray(source)) this.#copyProperty(frame, source, frame.names[next] ?? "");
      else this.#copyValue(source[next], frame.key, (done) => define(copy, next, done));
      if (isTurnOver(VALUE_COST)) await nextTurn();
    }
  }

  #copyValue(value: unknown, key: string | undefined, put: (copy: unknown) => void): void {
    if (typeof value === "string") {
      const input = key === undefined ? { text: value } : { text: value, key };
      this.#leaves.push({ owner: this.#owner, input, put });
    } else if (isContainer(value)) put(this.#copies.get(value) ?? this.#copyContainer(value, key));
    else put(value);
  }

  #copyContainer(source: Container, key: string | undefined): Container {
    const isArray = Array.isArray(source);
    const copy: Container = isArray ? Array.from({ length: source.length }) : {};
    const names = isArray ? [] : Object.keys(source);
    this.#copies.set(source, copy);
    this.#frames.push({ source, copy, key, names, named: isArray ? undefined : nameOfPair(source), next: 0 });
    return copy;
  }

  #copyProperty({ copy, named }: Frame, source: Record<string, unknown>, name: string): void {
    const place = { name };
    define(copy, name, undefined);
    if (name.length >= SHORTEST_SECRET_NAME) {
      this.#leaves.push({ owner: this.#owner, input: { text: name }, put: (text) => rename(copy, place, text) });
    }
    const key = name === "value" && named !== undefined ? named : name;
    this.#copyValue(source[name], key, (done) => define(copy, place.name, done));
  }
}

function isContainer(value: unknown): value is Container {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Returns the name in `{"name": …, "value": …}`, an item in lists of environment variables and headers. */
function nameOfPair(value: Record<string, unknown>): string | undefined {
  if (!("value" in value)) return undefined;
  const name = value["name"] ?? value["key"];
  return typeof name === "string" ? name : undefined;
}

/** Defines even `__proto__` as a plain property. */
function define(target: Container, name: string | number, value: unknown): void {
  Object.defineProperty(target, name, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

/** Renames a property to its redacted name, with a number if that name is taken, so that none is lost. */
function rename(target: Container, place: { name: string }, redacted: string): void {
  if (redacted === place.name) return;
  const value: unknown = Reflect.get(target, place.name);
  Reflect.deleteProperty(target, place.name);
  let name = redacted;
  for (let count = 2; Object.hasOwn(target, name); count++) name = `${redacted} (${count})`;
  define(target, name, value);
  place.name = name;
}
