/** Errors of all sessions, each once: how often it came up, where, and what fixed it. */
import { errorText } from "../calls/result-texts.ts";
import { errorSignature } from "../fixes/signature.ts";
import { given } from "../given.ts";
import type { Where } from "../places/session-ref.ts";
import type { FailureGroup, FailureQuery, Store } from "../store/store.ts";
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

/** How often an error came up in all sessions. */
export interface SeenTimes {
  signature: string;
  count: number;
  session_count: number;
}

/** Returns how often the errors of failed calls came up, by message. */
export async function timesSeen(
  store: Pick<Store, "failures">,
  errors: readonly string[],
): Promise<Map<string, SeenTimes>> {
  const signatures = new Map(errors.map((error) => [error, errorSignature(error)]));
  const wanted = [...new Set(signatures.values())].filter((signature) => signature !== "");
  const counts = wanted.length === 0 ? [] : await store.failures(wanted);
  const bySignature = Map.groupBy(counts, ({ signature }) => signature);
  return new Map(
    [...signatures].flatMap(([error, signature]) => {
      const found = bySignature.get(signature);
      if (found === undefined) return [];
      const count = found.reduce((sum, each) => sum + each.count, 0);
      return [[error, { signature, count, session_count: found.length }] as const];
    }),
  );
}
