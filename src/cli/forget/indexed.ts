/** What the index has of a session. */
import { hostname } from "node:os";
import type { SessionRef } from "../../sessions/session-ref.ts";
import type { StoredSession } from "../../store/model.ts";
import type { Store } from "../../store/store.ts";

export interface Indexed {
  sessions: StoredSession[];
  events: number;
  snippets: number;
}

/** The sessions of these files, and all that the index knows to be below them. */
export async function indexedOf(store: Store, refs: readonly SessionRef[], alsoId?: string): Promise<Indexed> {
  const all = await store.sessions();
  const here = hostname();
  const isOne = ({ session_id: id, path, host }: StoredSession): boolean =>
    id === alsoId ||
    (host === here &&
      refs.some((ref) => (ref.path ?? ref.database) === path && (id === ref.id || id.startsWith(`${ref.id}@`))));
  const chosen = new Set(all.filter(isOne));
  for (let before = -1; before !== chosen.size;) {
    before = chosen.size;
    for (const session of all) if (isBelow(session, chosen)) chosen.add(session);
  }
  let events = 0;
  let snippets = 0;
  for (const { session_id, state } of chosen) {
    events += state.events;
    const counts = await store.countSnippets(session_id);
    snippets += Object.values(counts).reduce((sum, count) => sum + count, 0);
  }
  return { sessions: [...chosen], events, snippets };
}

function isBelow({ parent_id: parent, host }: StoredSession, chosen: ReadonlySet<StoredSession>): boolean {
  return parent !== null && [...chosen].some((session) => session.session_id === parent && session.host === host);
}
