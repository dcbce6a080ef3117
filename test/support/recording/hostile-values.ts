/** Values that no sane host hands to a plugin. Each call makes new ones. */
import fc from "fast-check";

const throws = (): never => {
  throw new Error("hostile");
};

/** An object of which nothing can be asked. */
export function throwingProxy(): object {
  const traps: ProxyHandler<object> = {
    get: throws,
    set: throws,
    has: throws,
    ownKeys: throws,
    getPrototypeOf: throws,
    getOwnPropertyDescriptor: throws,
    defineProperty: throws,
    deleteProperty: throws,
    apply: throws,
    construct: throws,
    isExtensible: throws,
    preventExtensions: throws,
    setPrototypeOf: throws,
  };
  return new Proxy({}, traps);
}

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

export function nested(depth: number): object {
  let value: object = {};
  for (let n = 0; n < depth; n++) value = n % 2 === 0 ? { value } : [value];
  return value;
}

function cyclic(): object {
  const value: Record<string, unknown> = { list: [] };
  value["self"] = value;
  value["list"] = [value, value];
  return value;
}

function getters(): object {
  return Object.defineProperties(
    {},
    Object.fromEntries(
      ["id", "type", "text", "sessionID", "properties", "message"].map((key) => [
        key,
        { get: throws, enumerable: true },
      ]),
    ),
  );
}

function hostileError(): Error {
  return Object.defineProperties(new Error("x"), { message: { get: throws }, name: { get: throws } });
}

const makers: (() => unknown)[] = [
  throwingProxy,
  () => revoked({}),
  () => revoked([]),
  () => nested(10_000),
  cyclic,
  getters,
  hostileError,
  () => Object.freeze({ frozen: Object.freeze([1]) }),
  () => ({ toJSON: throws, toString: throws, valueOf: throws }),
  // oxlint-disable-next-line unicorn/no-thenable -- what `await` makes of it is the point
  () => ({ then: throws }),
  // oxlint-disable-next-line unicorn/no-thenable -- what `await` makes of it is the point
  () => Object.defineProperty({}, "then", { get: throws }),
  () => Object.create(null),
  () => JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}'),
  () => new Map([[{}, 1]]),
  () => new Set([1]),
  () => new Uint8Array(1_000),
  () => new Date(Number.NaN),
  () => new Date(8.64e15),
  () => Symbol("s"),
  () => 10n ** 30n,
  () => throws,
  () => Date,
  () => Number.NaN,
  () => Number.POSITIVE_INFINITY,
  () => 1e300,
  () => -0,
  () => "",
  () => "\0",
  () => "../../x",
  () => "\ud800",
  () => "x".repeat(10_000),
  () => null,
  () => undefined,
  () => [],
  () => [[[]]],
  () => [null, undefined, 1, "x", {}],
  () => ({}),
];

/** Makes a hostile value, or anything at all. (The values themselves would be too much for fast-check.) */
export const hostileMaker: fc.Arbitrary<() => unknown> = fc.oneof(
  fc.constantFrom(...makers),
  fc
    .anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
    })
    .map((value) => () => value),
);

/** Puts `hostile` in the place that `path` leads to in a copy of `value`; numbers choose among the fields of each level. */
export function spoiled(value: unknown, path: readonly number[], hostile: unknown): unknown {
  const [choice, ...rest] = path;
  if (choice === undefined || typeof value !== "object" || value === null) return hostile;
  const keys = Object.keys(value);
  const key = keys[choice % Math.max(1, keys.length)];
  if (key === undefined) return hostile;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [...value] : { ...value };
  Reflect.set(copy, key, spoiled(Reflect.get(value, key), rest, hostile));
  return copy;
}
