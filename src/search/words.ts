/** The words of a question that are worth looking for. */

/** Letters, digits and marks, with what holds identifiers, paths and numbers together, but not at their ends. */
const WORD = /[\p{L}\p{N}\p{M}_$]+(?:[.:/\\@'’+-]+[\p{L}\p{N}\p{M}_$]+)*/gu;

/** Words that say how something is asked, not what. Of English, in which most are asked. */
const ASKING = new Set(
  (
    "a about again all also am an and any are as at be because been before being but by can could did do does doing done " +
    "for from get got had has have having he her his how i if in into is it its just let like made make may me might more " +
    "most my no not of on or our out over own please she should so some such than that the their them then there these " +
    "they this those through to too up us use used using very was we were what when where which while who whom whose why " +
    "will with would you your"
  ).split(" "),
);

/** Each once, whatever its case, in order. Words that only ask are left out, unless there are no others. */
export function wordsOf(question: string): string[] {
  const found = question.match(WORD) ?? question.split(/\s+/).filter((piece) => piece !== "");
  const once = [...new Map(found.map((word) => [word.toLowerCase(), word])).values()];
  const telling = once.filter((word) => !ASKING.has(word.toLowerCase()));
  return telling.length > 0 ? telling : once;
}
