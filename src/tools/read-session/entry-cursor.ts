/**
 * Encodes the place in a session where a page ended. It stays valid while the session grows: it names the unit that was
 * read last (a line of a file, a message of a store) and how much of it was shown.
 */
import type { Entry, Unit } from "../../queries/session-units.ts";
import { badCursor, SEPARATOR, shortHash } from "../page-of.ts";
import { fieldError, type TranscriptsError } from "../../transcripts-error.ts";

export interface Cursor {
  withTools: boolean;
  withThinking: boolean;
  /** Only the rest of one entry is requested. */
  isRest: boolean;
  untilTurn: number | undefined;
  /** The unit. `digest` verifies that it is unchanged. */
  unitId: string;
  digest: string;
  /** Entries of the unit already shown, including a partly shown one that continues at `offset`. */
  passed: readonly string[];
  /** Number of characters of the next entry already shown. */
  offset: number;
}

const VERSION = "1";
const KEY_CHARS = 4;
const FORM = /^1([trh]*)(?:u(\d{1,9}))?\/(.{1,200})\/([\w-]{6})\/((?:[\w-]{4})*)\/(\d{1,12})$/s;

/** Returns a cursor. `entry` is the first one that was not shown completely. */
export function cursorAt(
  unit: Unit,
  entry: Entry | undefined,
  rest: Pick<Cursor, "withTools" | "withThinking" | "isRest" | "untilTurn" | "offset">,
): string {
  const at = entry === undefined ? unit.entries.length : unit.entries.indexOf(entry);
  const flags = (rest.withTools ? "t" : "") + (rest.isRest ? "r" : "") + (rest.withThinking ? "h" : "");
  const until = rest.untilTurn === undefined ? "" : `u${rest.untilTurn}`;
  const passed = unit.entries.slice(0, at).map(keyHash).join("");
  return [`${VERSION}${flags}${until}`, unit.id, digestOf(unit), passed, rest.offset].join(SEPARATOR);
}

export function readCursor(text: string): Cursor {
  const match = FORM.exec(text.trim());
  if (match === null) throw badCursor("not a cursor of this tool");
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

/**
 * Returns the entries of the unit that are still to come; undefined if this is not the unit that the cursor was made
 * in.
 */
export function entriesLeft(unit: Unit, { digest, passed }: Cursor): Entry[] | undefined {
  if (digestOf(unit) !== digest) return undefined;
  const seen = new Set(passed);
  return unit.entries.filter((entry) => !seen.has(keyHash(entry)));
}

/** Returns the error for a cursor whose place no longer exists. */
export function staleCursor(): TranscriptsError {
  const problem = "the session was replaced or cut since that page, so its lines have moved.";
  return fieldError("stale_cursor", "cursor", problem, "Read it again without a cursor, with from_line or turns.");
}

function keyHash({ key }: Entry): string {
  return shortHash(key, KEY_CHARS);
}

function digestOf(unit: Unit): string {
  return unit.isFixed ? unitDigest(unit) : shortHash(unit.id, 6);
}

/** Returns a short base64url hash that shows whether an unchangeable unit is still the same. */
function unitDigest({ id, entries }: Unit): string {
  return shortHash(
    entries
      .map(({ key, block }) =>
        [key, block.content_text, block.thinking_text, block.result_text, JSON.stringify(block.tool_input)].join("\0"),
      )
      .concat(id)
      .join("\0"),
    6,
  );
}
