/** Levels of a host's event down to the members of a call's metadata, the only place where values are a tool's own. */
const LEVELS = 6;
const NOT_JSON = "[not JSON]";

/**
 * Copies what a host passed as plain JSON, because its objects are live and may change after the hook returns. What JSON
 * cannot represent, such as a cycle, becomes a short text; the members beside it are kept. Never throws.
 *
 * Strings, most of what a host passes, are immutable and need no copy.
 */
export function jsonCopy(value: unknown): unknown {
  return copy(value, LEVELS);
}

function copy(value: unknown, levels: number): unknown {
  if (typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)) return value;
  try {
    if (typeof value === "bigint") return String(value);
    if (levels === 0 || !isContainer(value)) return roundTrip(value);
    if (Array.isArray(value)) return Array.from(value, (member) => copy(member, levels - 1) ?? null);
    const members = Object.entries(value).map(([key, member]) => [key, copy(member, levels - 1)] as const);
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  } catch {
    return NOT_JSON;
  }
}

/** Returns true unless the object has a JSON form of its own, like a date. */
function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null && !("toJSON" in value);
}

function roundTrip(value: unknown): unknown {
  const json: string | undefined = JSON.stringify(value);
  return json === undefined ? undefined : JSON.parse(json);
}
