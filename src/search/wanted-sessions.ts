/** Which sessions a search looks through in the index, and which it reads. */
import type { StaleSession } from "../indexing/stale-sessions.ts";
import type { SessionRef, Where } from "../sessions/session-ref.ts";
import type { StoredSession } from "../store/model.ts";
import type { Store } from "../store/store.ts";
import { placedRef } from "./stored-ref.ts";

export interface WantedSessions {
  /** Undefined: all that the index has. */
  ids: string[] | undefined;
  /** To be read. */
  changed: readonly StaleSession[];
  /** Rows of the store, as far as they had to be looked at. */
  stored: ReadonlyMap<string, StoredSession>;
}

/** The sessions of a project, as `findSessions` tells them; those that changed since they were indexed are read. */
export async function wantedSessions(
  store: Store,
  where: Where,
  { project, changed }: { project: string | undefined; changed: readonly StaleSession[] },
): Promise<WantedSessions> {
  if (project === undefined && changed.length === 0) return { ids: undefined, changed, stored: new Map() };
  const stored = new Map((await store.sessions()).map((session) => [session.session_id, session]));
  const isOfProject = await projectFilter(project, where);
  const read = new Set(changed.map(({ sessionId }) => sessionId));
  const indexed = [...stored.values()].filter(({ session_id }) => !read.has(session_id));
  const ofProject = await isOfProject(indexed.map(placedRef));
  const ids = indexed.filter((_, at) => ofProject[at] === true).map(({ session_id }) => session_id);
  const toRead = await isOfProject(changed.map(({ ref }) => ref));
  return { ids, changed: changed.filter((_, at) => toRead[at] === true), stored };
}

type ProjectFilter = (refs: readonly SessionRef[]) => Promise<boolean[]>;

async function projectFilter(project: string | undefined, where: Where): Promise<ProjectFilter> {
  if (project === undefined) return (refs) => Promise.resolve(refs.map(() => true));
  const { filterByProject } = await import("../sessions/project-filter.ts");
  const { nodeSessionFiles } = await import("../sessions/session-files.ts");
  return async (refs) => {
    const kept = new Set(await filterByProject(refs, project, where, nodeSessionFiles));
    return refs.map((ref) => kept.has(ref));
  };
}
