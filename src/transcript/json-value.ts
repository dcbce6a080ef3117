/**
 * Deep copies of host data as plain JSON values.
 *
 * The host's objects are live, may change after the hook returns, and may contain cycles, getters that throw, functions
 * or a million keys. So they are copied at once, with bounds.
 */

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** Maximum depth copied; deeper values become a marker. Real tool inputs stay below 20. */
const MAX_DEPTH = 200;
/** Maximum number of values copied of one object graph; more is hostile or a bug of the host. */
const MAX_VALUES = 200_000;
/** Marker for the values beyond that. */
const TOO_MUCH = "[too much]";

/**
 * Copies `value` as JSON, up to `maxValues` values. Never throws. Values that JSON cannot represent become a readable
 * marker.
 */
export function toJsonValue(value: unknown, maxValues = MAX_VALUES): JsonValue {
  try {
    return copy(value, { seen: new Set(), left: maxValues }, 0);
  } catch {
    return "[unreadable]";
  }
}

interface CopyState {
  seen: Set<object>;
  left: number;
}

function copy(value: unknown, state: CopyState, depth: number): JsonValue {
  state.left -= 1;
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return Number.isFinite(value) ? (value === 0 ? 0 : value) : String(value);
  if (value === undefined) return null;
  if (typeof value === "object") return copyObject(value, state, depth);
  return typeof value === "bigint" || typeof value === "symbol" ? String(value) : "[function]";
}

function copyObject(value: object, state: CopyState, depth: number): JsonValue {
  if (state.seen.has(value)) return "[circular]";
  if (depth >= MAX_DEPTH) return "[too deep]";
  if (state.left <= 0) return TOO_MUCH;
  state.seen.add(value);
  try {
    return copyMembers(value, state, depth);
  } catch {
    return "[unreadable]";
  } finally {
    state.seen.delete(value);
  }
}

function copyMembers(source: object, state: CopyState, depth: number): JsonValue {
  if (Array.isArray(source)) return copyItems(source, state, depth);
  if (source instanceof URL) return source.href;
  if (source instanceof Date) return Number.isNaN(source.getTime()) ? null : source.toISOString();
  if (source instanceof Error) return `${source.name}: ${source.message}`;
  if (ArrayBuffer.isView(source)) return `[${source.byteLength} bytes]`;
  const result: Record<string, JsonValue> = {};
  for (const key of Object.keys(source)) {
    if (state.left <= 0) break;
    const member = memberOf(source, key);
    if (member === undefined) continue;
    const value = copy(member, state, depth + 1);
    // A plain assignment would set the prototype.
    if (key === "__proto__") Object.defineProperty(result, key, { value, enumerable: true });
    else result[key] = value;
  }
  return result;
}

/** Copies by index: a host array may misreport its length or have billions of holes. */
function copyItems(value: readonly unknown[], state: CopyState, depth: number): JsonValue[] {
  const { length } = value;
  const result: JsonValue[] = [];
  for (let at = 0; at < length; at++) {
    if (state.left <= 0) return [...result, TOO_MUCH];
    result.push(copy(memberOf(value, String(at)), state, depth + 1));
  }
  return result;
}

function memberOf(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    return "[unreadable]";
  }
}
