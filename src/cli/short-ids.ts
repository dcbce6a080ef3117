/** The shortest form of each id that means no other one. */

/** Shorter ones are hard to tell apart for people. */
const MIN_LENGTH = 8;

export function shortIds(ids: readonly string[]): Map<string, string> {
  const sorted = [...new Set(ids)].sort();
  return new Map(
    sorted.map((id, at) => {
      const shared = Math.max(sharedLength(id, sorted[at - 1]), sharedLength(id, sorted[at + 1]));
      return [id, id.slice(0, Math.max(MIN_LENGTH, shared + 1))];
    }),
  );
}

/** Characters that both begin with. */
function sharedLength(id: string, other = ""): number {
  let length = 0;
  while (length < id.length && id[length] === other[length]) length += 1;
  return length;
}
