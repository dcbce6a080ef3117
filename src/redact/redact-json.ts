import { addCounts, type RedactionCounts } from "./finding.ts";
import type { RedactionInput, Redactor } from "./redactor.ts";

type Container = Record<string, unknown> | unknown[];

/** Shorter names of properties are not searched: no secret is that short. */
const SHORTEST_SECRET_NAME = 8;

/** Puts a redacted string where the original stood. */
interface Leaf {
  /** Index of the value that the string belongs to. */
  owner: number;
  input: RedactionInput;
  put: (text: string) => void;
}

/**
 * Redacts every string in each of `values`, with its key as context, and the keys themselves.
 *
 * The results are copies of the same shape; cycles and shared parts stay so. An item of an array has the array's key.
 * In `{"name": "DB_PASSWORD", "value": "…"}` the name counts as the value's key. Values that JSON does not know
 * (functions, dates) are passed on as they are.
 */
export async function redactJson(
  redactor: Redactor,
  values: readonly unknown[],
): Promise<{ value: unknown; counts: RedactionCounts }[]> {
  const leaves: Leaf[] = [];
  const results = values.map((value, owner) => {
    const root: { value: unknown; counts: RedactionCounts } = { value: undefined, counts: {} };
    copyInto(value, owner, leaves, (copy) => (root.value = copy));
    return root;
  });
  const redacted = await redactor.redact(leaves.map(({ input }) => input));
  for (const [i, { owner, put }] of leaves.entries()) {
    const { text = "", counts = {} } = redacted[i] ?? {};
    put(text);
    const result = results[owner];
    if (result !== undefined) addCounts(result.counts, counts);
  }
  return results;
}

interface Task {
  value: unknown;
  key: string | undefined;
  put: (copy: unknown) => void;
}

/** Copies without recursion, so that deep nesting cannot exhaust the stack. */
function copyInto(root: unknown, owner: number, leaves: Leaf[], putRoot: (copy: unknown) => void): void {
  const copies = new Map<object, Container>();
  const tasks: Task[] = [{ value: root, key: undefined, put: putRoot }];
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    const { value, key, put } = task;
    if (typeof value === "string") {
      const input = key === undefined ? { text: value } : { text: value, key };
      leaves.push({ owner, input, put });
    } else if (isContainer(value)) {
      put(copies.get(value) ?? copyContainer(value, key, owner, { copies, leaves, tasks }));
    } else put(value);
  }
}

function isContainer(value: unknown): value is Container {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

interface Work {
  copies: Map<object, Container>;
  leaves: Leaf[];
  tasks: Task[];
}

function copyContainer(value: Container, key: string | undefined, owner: number, work: Work): Container {
  if (Array.isArray(value)) {
    const copy: unknown[] = Array.from({ length: value.length });
    work.copies.set(value, copy);
    for (const [i, item] of value.entries()) work.tasks.push({ value: item, key, put: (done) => (copy[i] = done) });
    return copy;
  }
  const copy: Record<string, unknown> = {};
  work.copies.set(value, copy);
  const named = nameOfPair(value);
  for (const [name, item] of Object.entries(value)) {
    const place = { name };
    define(copy, name, undefined);
    if (name.length >= SHORTEST_SECRET_NAME) {
      work.leaves.push({ owner, input: { text: name }, put: (text) => rename(copy, place, text) });
    }
    const itemKey = name === "value" && named !== undefined ? named : name;
    work.tasks.push({ value: item, key: itemKey, put: (done) => define(copy, place.name, done) });
  }
  return copy;
}

/** The name in `{"name": …, "value": …}`, as lists of environment variables and headers have it. */
function nameOfPair(value: Record<string, unknown>): string | undefined {
  if (!("value" in value)) return undefined;
  const name = value["name"] ?? value["key"];
  return typeof name === "string" ? name : undefined;
}

/** Defines even `__proto__` as a plain property. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

/** Gives a property its redacted name; a second one with that name gets a number, so that none is lost. */
function rename(target: Record<string, unknown>, place: { name: string }, redacted: string): void {
  if (redacted === place.name) return;
  const value = target[place.name];
  delete target[place.name];
  let name = redacted;
  for (let count = 2; Object.hasOwn(target, name); count++) name = `${redacted} (${count})`;
  define(target, name, value);
  place.name = name;
}
