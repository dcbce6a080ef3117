/** Says how the passages that a search found match, and what to try if there are none. */
import type { Found } from "../../queries/find-passages.ts";

/** Returns a sentence if no passage has the words as they were typed; otherwise nothing. */
export function matchText(
  passages: readonly { missing: readonly string[] }[],
  { phrases }: Pick<Found["result"], "phrases">,
): string {
  if (phrases > 0 || passages.length === 0) return "";
  return passages.some(({ missing }) => missing.length === 0)
    ? "No passage has the phrase; these have all words."
    : "No passage has all words; these have most of them.";
}

/** Returns what to try if there is no passage. */
export function nothingFoundText({ absent, present }: Found["words"]): string {
  if (absent.length > 0 && present.length > 0)
    return `No passage has ${absent.join(" or ")}. Try the rest: ${present.join(" ")}.`;
  return present.length > 0
    ? "Each word is in some passage, but not with the others: try fewer words."
    : "Try another word, or the beginning of one.";
}
