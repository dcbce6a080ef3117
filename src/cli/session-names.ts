/** Names of sessions and projects for people, and for the next command. */
import { shellWord } from "../calls/shell-syntax.ts";
import { endOfPath } from "../texts/passage-text.ts";
import { argumentOf, type SessionRef } from "../sessions/session-ref.ts";

/** Shortens each path to its shortest unique end: `shop`, but `work/shop` if there is also a `home/shop`. */
export function shortPaths(paths: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  let open = [...new Set(paths)];
  for (let length = 1; open.length > 0; length += 1) {
    const byEnd = Map.groupBy(open, (path) => endOfPath(path, length));
    // A path without more segments stays as it is.
    open = [...byEnd].flatMap(([end, same]) => {
      const alike = same.filter((path) => same.length > 1 && endOfPath(path, length + 1) !== end);
      for (const path of same) if (!alike.includes(path)) names.set(path, end);
      return alike;
    });
  }
  return names;
}

/** Returns the shell argument for exactly this session: its path, or its id if it has none or the id is unique. */
export function argumentFor(ref: SessionRef, isOnlyId = false): string {
  return ref.source === "stdin" ? "-" : shellWord(argumentOf(ref, isOnlyId));
}

/** Minimum length of a shortened id, as shorter ones are hard to distinguish. */
const MIN_ID_LENGTH = 8;

/** Shortens ids as far as they stay unique. */
export function shortIds(ids: readonly string[]): Map<string, string> {
  const sorted = [...new Set(ids)].sort();
  return new Map(
    sorted.map((id, at) => {
      const shared = Math.max(sharedLength(id, sorted[at - 1]), sharedLength(id, sorted[at + 1]));
      return [id, id.slice(0, Math.max(MIN_ID_LENGTH, shared + 1))];
    }),
  );
}

/** Returns the length of the common prefix. */
function sharedLength(id: string, other = ""): number {
  let length = 0;
  while (length < id.length && id[length] === other[length]) length += 1;
  return length;
}
