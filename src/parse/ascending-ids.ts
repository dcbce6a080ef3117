/** Ids for rows. */
import { ulid } from "ulid";

/** Crockford's base 32, which ULIDs are written in. */
const DIGITS = [..."0123456789ABCDEFGHJKMNPQRSTVWXYZ"];
const PAIRS = DIGITS.flatMap((first) => DIGITS.map((second) => first + second));
/** The digits at the end of an id that count; the 20 before them are its time and chance. */
const COUNTING = 6;
const LAST = 32 ** COUNTING;

/**
 * ULIDs that ascend, so that their order is that of the conversation. They share the time and the first 50 of their
 * random bits, and count on in the rest.
 */
export function ascendingIds(now = Date.now()): () => string {
  let time = now;
  let count = 0;
  let start = ulid(time).slice(0, -COUNTING);
  /** All but the last two digits. */
  let head = "";
  return () => {
    if (count === LAST) {
      count = 0;
      time += 1;
      start = ulid(time).slice(0, -COUNTING);
    }
    if (count % PAIRS.length === 0) head = start + pair(count >>> 20) + pair(count >>> 10);
    count += 1;
    return head + pair(count - 1);
  };
}

function pair(bits: number): string {
  return PAIRS[bits % PAIRS.length] ?? "";
}
