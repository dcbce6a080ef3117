/** Finding the lines that hold a tool call or a result by its id. */
import { MAX_NEEDLE, NeedleSearch, rarestPlace, type ByteSearch, type Needle } from "./find-search.ts";

/** What no JSON writer escapes. */
const PLAIN_ID = /^[\w.:-]{4,200}$/;
/** Ids are sorted by this many first characters; those that share them are looked for together. */
const FAMILY_CHARACTERS = 4;
/** Looking for more kinds of ids at once takes longer than reading everything. */
const MAX_FAMILIES = 12;
const QUOTE = 0x22;

/**
 * Finds the lines that hold one of these ids as a text of its own; undefined if an id may be written in several ways,
 * so that its bytes tell nothing, or if the ids are of too many kinds.
 */
export function idSearch(ids: ReadonlySet<string>): ByteSearch | undefined {
  const families = new Map<string, string>();
  for (const id of ids) {
    if (!PLAIN_ID.test(id)) return undefined;
    const family = id.slice(0, FAMILY_CHARACTERS);
    families.set(family, sharedStart(families.get(family) ?? id, id));
  }
  return families.size === 0 || families.size > MAX_FAMILIES
    ? undefined
    : new NeedleSearch([...families.values()].map((start) => needle(start, ids)));
}

/** For the ids that begin alike. */
function needle(start: string, ids: ReadonlySet<string>): Needle {
  const place = rarestPlace(start);
  const before = Buffer.from(`"${start.slice(0, place)}`);
  return {
    text: start.slice(place, place + MAX_NEEDLE),
    confirms: (bytes, at) => {
      const from = at - before.length;
      if (from < 0 || before.some((byte, index) => bytes[from + index] !== byte)) return false;
      const end = bytes.indexOf(QUOTE, at);
      return end !== -1 && ids.has(bytes.toString("latin1", from + 1, end));
    },
  };
}

function sharedStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return a.slice(0, length);
}

const CALL = Buffer.from('tool_use"');
const RESULT = Buffer.from('tool_result"');

/** Whether a line can have a call: most of the lines that name one are reports of its progress. */
export function mayHoldCall(line: Buffer): boolean {
  return line.includes(CALL) || line.includes(0);
}

/** Whether a line can have a call or a result. */
export function mayHoldEither(line: Buffer): boolean {
  return line.includes(RESULT) || mayHoldCall(line);
}
