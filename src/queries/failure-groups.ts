/** Errors of all sessions, each once: how often it came up, where, and what fixed it. */
import { errorText } from "../calls/result-texts.ts";
import { errorSignature } from "../fixes/signature.ts";
import { given } from "../given.ts";
import type { Where } from "../places/session-ref.ts";
import type { FailureGroup, FailureQuery } from "../store/store.ts";
import type { CurrentIndex } from "./current-index.ts";
import { filterOf, type SessionsQuery } from "./listed-sessions.ts";
import { type PastFix, pastFixes } from "./past-fixes.ts";
import { hostIn } from "./stored-session.ts";

export interface GroupsQuery extends Omit<FailureQuery, "sessions">, Pick<SessionsQuery, "project" | "agent" | "tags"> {
  /** Also looks for what fixed each of them, which reads sessions. */
  fixes: boolean;
  signal: AbortSignal;
}

/** Keys as in `transcripts failures --json`, where each is described. */
export type FailureRow = Awaited<ReturnType<typeof failureGroups>>[number];

/** Returns the most frequent errors. Asks the store as it is. Rejects with a `TranscriptsError`. */
export async function failureGroups(
  index: Pick<CurrentIndex, "store" | "elsewhere">,
  where: Where,
  { project, agent, tags, fixes, signal, ...query }: GroupsQuery,
) {
  const { store } = index;
  const sessions = await filterOf(index, where, { project, agent, ...given({ tags }) });
  const groups = await store.failureGroups({ ...query, sessions });
  const rows = [];
  for (const group of groups) {
    signal.throwIfAborted();
    const { example, signature: _, ...counts } = group;
    const session = await store.session(example.session_id);
    rows.push({
      error: errorText(example.content),
      tool_name: example.tool_name,
      ...counts,
      session_id: example.session_id,
      host: session === undefined ? null : hostIn(store, session),
      line_number: example.line_number,
      ...(fixes ? { fixes: await fixesOf(index, where, group, { project, signal }) } : {}),
    });
  }
  return rows;
}

/** Returns what fixed an error. */
export async function fixesOf(
  { store }: Pick<CurrentIndex, "store">,
  where: Where,
  { example, count }: FailureGroup,
  { project, signal }: Pick<GroupsQuery, "project" | "signal">,
): Promise<PastFix[]> {
  if (count === 0) return [];
  const alike = await pastFixes(store, where, { error: example.content, project, signal });
  const [same] = alike.toSorted((a, b) => b.likeness - a.likeness);
  return same?.fixes ?? [];
}

/** Returns a function that finds the group of an error by its text. */
export function groupFinder(groups: readonly FailureGroup[]): (error: string) => FailureGroup | undefined {
  const bySignature = new Map(groups.map((group) => [group.signature, group]));
  return (error) => bySignature.get(errorSignature(error));
}
