/** Finding the lines that hold a tool call or a result by its id. */
import type { LinePattern } from "./find-lines.ts";

/** What no JSON writer escapes. */
const PLAIN_ID = /^[\w.:-]{4,200}$/;
/** Ids are told apart by this many first characters; those that share them are looked for together. */
const FAMILY_CHARACTERS = 4;

/**
 * Matches the lines that hold one of these ids as a text of its own; undefined if an id may be written in several
 * ways, so that its bytes tell nothing.
 */
export function linesWithIds(ids: ReadonlySet<string>): LinePattern | undefined {
  const families = new Map<string, string>();
  for (const id of ids) {
    if (!PLAIN_ID.test(id)) return undefined;
    const family = id.slice(0, FAMILY_CHARACTERS);
    const shared = families.get(family);
    families.set(family, shared === undefined ? id : sharedStart(shared, id));
  }
  if (families.size === 0) return undefined;
  const starts = [...families.values()].map((start) => start.replaceAll(".", String.raw`\.`));
  return {
    pattern: new RegExp(`"((?:${starts.join("|")})[\\w.:-]{0,200})"`, "g"),
    accepts: (match) => ids.has(match[1] ?? ""),
    acceptsLine: mayHoldCall,
  };
}

function sharedStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return a.slice(0, length);
}

/** Whether a line can have a call or a result: most of the lines that name a call are reports of its progress. */
function mayHoldCall(bytes: Buffer): boolean {
  return bytes.includes('tool_use"') || bytes.includes('tool_result"');
}
