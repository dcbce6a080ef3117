/** Longer texts are compared by length, this many evenly spread characters, and their end. */
const SAMPLES = 96;
const TAIL = 32;

/**
 * Returns a short text that represents `text`: the text itself if it is short. Two different long texts practically
 * never have the same one. Ids of stored rows are derived from it and snippets cite them, so it must not change.
 */
export function fingerprint(text: string): string {
  if (text.length <= SAMPLES + TAIL) return text;
  const step = text.length / SAMPLES;
  let hash = 0x811c9dc5;
  let second = 0x1000193;
  for (let at = 0; at < text.length - TAIL; at += step) {
    const code = text.charCodeAt(Math.trunc(at));
    hash = Math.imul(hash ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x85ebca6b) ^ (second >>> 13);
  }
  return `${text.length} ${hash} ${second} ${text.slice(-TAIL)}`;
}
