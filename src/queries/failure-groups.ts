/** Errors of all sessions, each once, the most frequent first. */
import { given } from "../given.ts";
import { errorSignature } from "../fixes/signature.ts";
import type { Where } from "../places/session-ref.ts";
import type { FailureGroup } from "../store/store.ts";
import type { CurrentIndex } from "./current-index.ts";
import { filterOf, type SessionsQuery } from "./listed-sessions.ts";

export async function failureGroups(
  index: Pick<CurrentIndex, "store" | "elsewhere">,
  where: Where,
  {
    project,
    agent,
    tags,
    since,
    until,
    limit,
  }: Pick<SessionsQuery, "project" | "agent" | "tags" | "since" | "until" | "limit">,
): Promise<FailureGroup[]> {
  const sessions = await filterOf(index, where, { project, agent, ...given({ tags }) });
  return index.store.failureGroups({ limit, sessions, ...given({ since, until }) });
}

/** Returns a function that finds the group of an error by its text. */
export function groupFinder(groups: readonly FailureGroup[]): (error: string) => FailureGroup | undefined {
  const bySignature = new Map(groups.map((group) => [group.signature, group]));
  return (error) => bySignature.get(errorSignature(error));
}
