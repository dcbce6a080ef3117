/** Names of sessions for people, and for the next command. */
import { shellWord } from "../calls/shell-syntax.ts";
import { argumentOf, hostOf, type SessionRef } from "../places/session-ref.ts";

/** Returns the shell arguments for exactly this session: its path, or its id if it has none or the id is unique. */
export function argumentFor(ref: SessionRef, isOnlyId = false): string {
  const argument = ref.place === "stdin" ? "-" : shellWord(argumentOf(ref, isOnlyId));
  return hostOf(ref) === null ? argument : `${argument} --team`;
}

/** Returns the shell arguments for a session of the store. */
export function storedArgument({ session_id: id, host }: { session_id: string; host: string | null }): string {
  return shellWord(id) + (host === null ? "" : " --team");
}

/** Returns the command that shows a session, or one of its lines. `argument`: see `argumentFor`. */
export function showCommand(argument: string, line: number | null, superseded = false): string {
  return `transcripts show ${argument}${line === null ? "" : ` --line ${line}`}${superseded ? " --superseded" : ""}`;
}

/** Minimum length of a shortened id, as shorter ones are hard to distinguish. */
const MIN_ID_LENGTH = 8;

/** Shortens ids as far as they stay unique among all. */
export function shortIds(ids: readonly string[], all: readonly string[]): Map<string, string> {
  const beginnings = new Set(ids.map((id) => id.slice(0, MIN_ID_LENGTH)));
  const alike = all.filter((id) => beginnings.has(id.slice(0, MIN_ID_LENGTH)));
  const sorted = [...new Set([...ids, ...alike])].sort();
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
