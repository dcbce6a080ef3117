/**
 * The place in a session at which a page ended, as a short text. It holds while the session grows: it names the unit
 * that was read last (of a file its line, of a store its message) and how much of it was shown.
 */
import { shortHash, unitDigest, type Entry, type Unit } from "../conversation/entries.ts";
import { ToolError } from "../tool-error.ts";

export interface Cursor {
  withTools: boolean;
  withThinking: boolean;
  /** Nothing but the rest of one entry is wanted. */
  isRest: boolean;
  /** The last turn that is wanted. */
  untilTurn: number | undefined;
  /** The unit, and what tells that it is still the same. */
  unitId: string;
  digest: string;
  /** Of the unit's entries, those that were passed. All of an entry but what is left at `offset`. */
  passed: readonly string[];
  /** Characters of the next entry that were shown. */
  offset: number;
}

const VERSION = "1";
const KEY_CHARS = 4;
const FORM = /^1([trh]*)(?:u(\d{1,9}))?~([^~]{1,200})~([\w-]{6})~((?:[\w-]{4})*)~(\d{1,12})$/;

/** `entry`: the first that was not passed, or not wholly. */
export function cursorAt(
  unit: Unit,
  entry: Entry | undefined,
  rest: Pick<Cursor, "withTools" | "withThinking" | "isRest" | "untilTurn" | "offset">,
): string {
  const at = entry === undefined ? unit.entries.length : unit.entries.indexOf(entry);
  const flags = (rest.withTools ? "t" : "") + (rest.isRest ? "r" : "") + (rest.withThinking ? "h" : "");
  const until = rest.untilTurn === undefined ? "" : `u${rest.untilTurn}`;
  const passed = unit.entries.slice(0, at).map(keyHash).join("");
  return [`${VERSION}${flags}${until}`, unit.id, digestOf(unit), passed, rest.offset].join("~");
}

/** Throws a `ToolError` (`bad_cursor`). */
export function readCursor(text: string): Cursor {
  const match = FORM.exec(text.trim());
  if (match === null) {
    const next = "Pass the cursor of the page before as it stands there, or leave it out to start anew.";
    throw new ToolError("bad_cursor", "cursor: it is none of this tool.", next, { field: "cursor" });
  }
  const [, flags = "", until, unitId = "", digest = "", passed = "", offset = "0"] = match;
  return {
    withTools: flags.includes("t"),
    withThinking: flags.includes("h"),
    isRest: flags.includes("r"),
    untilTurn: until === undefined ? undefined : Number(until),
    unitId,
    digest,
    passed: passed.match(new RegExp(`.{${KEY_CHARS}}`, "g")) ?? [],
    offset: Number(offset),
  };
}

/** The entries of the unit that are still to come. Undefined if it is not the unit that the cursor was made in. */
export function entriesLeft(unit: Unit, { digest, passed }: Cursor): Entry[] | undefined {
  if (digestOf(unit) !== digest) return undefined;
  const seen = new Set(passed);
  return unit.entries.filter((entry) => !seen.has(keyHash(entry)));
}

/** What the cursor points into is not there any more. */
export function staleCursor(field = "cursor"): ToolError {
  return new ToolError(
    "stale_cursor",
    "cursor: the session was replaced or cut since that page, so its lines have moved.",
    "Read it again without a cursor, with from_line or turns.",
    { field },
  );
}

function keyHash({ key }: Entry): string {
  return shortHash(key, KEY_CHARS);
}

function digestOf(unit: Unit): string {
  return unit.isFixed ? unitDigest(unit) : shortHash(unit.id, 6);
}
