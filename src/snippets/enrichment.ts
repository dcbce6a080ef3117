/** What is worked out from a content: its length for a reader. */

/** Words a minute of a careful reader. */
const READING_PACE = 200;
const WORDS = /[\p{L}\p{N}_]+(?:['’.-][\p{L}\p{N}_]+)*/gu;
/** Scripts without spaces between words: two characters are about a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;

/** Words, and the time that they take to read, in whole seconds of at least 1. */
export function readingFigures(content: string): { word_count: number; read_time_seconds: number } {
  const unspaced = content.match(UNSPACED)?.length ?? 0;
  const spaced = content.replaceAll(UNSPACED, " ").match(WORDS)?.length ?? 0;
  const words = spaced + Math.ceil(unspaced / 2);
  return { word_count: words, read_time_seconds: Math.max(1, Math.ceil((words * 60) / READING_PACE)) };
}
