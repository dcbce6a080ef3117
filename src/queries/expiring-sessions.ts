/** Finds sessions that their agent will delete soon and that the store does not have. */
import { AGENTS } from "../agents/registry.ts";
import { staleSessions } from "../indexing/stale-sessions.ts";
import { isSubagent, type SessionRef, type Where } from "../places/session-ref.ts";
import { isWithin } from "../transcript/files/data-folder.ts";
import type { Store } from "../store/store.ts";

/** Sessions that one setting of an agent deletes. Keys as in `transcripts doctor --json`, where each is described. */
export type Expiring = Awaited<ReturnType<typeof expiringSessions>>[number];

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Sessions that go within this time are reported. */
const SOON_MS = 7 * DAY_MS;

/**
 * Returns the sessions that will be deleted within a week and whose current content is not in the store. `sessions`: those
 * on this machine; without a store, all of them are looked at.
 */
export async function expiringSessions(
  where: Where,
  { store, sessions, now }: { store: Store | undefined; sessions: readonly SessionRef[]; now: Date },
) {
  const open = store === undefined ? sessions : (await staleSessions(store, where)).stale.map(({ ref }) => ref);
  const found = [];
  for (const agent of AGENTS) {
    for (const { folder, days, setting, file, isDefault } of (await agent.retention?.(where)) ?? []) {
      const expiring = open.flatMap((ref) => {
        const deletedMs = ref.modifiedMs + days * DAY_MS;
        const isOf = ref.agent === agent.name && !isSubagent(ref) && ref.path !== null && isWithin(folder, ref.path);
        return isOf && deletedMs < now.getTime() + SOON_MS ? [{ ref, deletedMs }] : [];
      });
      if (expiring.length === 0) continue;
      found.push({
        agent: agent.name,
        setting,
        file,
        days,
        is_default: isDefault,
        sessions: expiring
          .toSorted((a, b) => a.deletedMs - b.deletedMs)
          .map(({ ref, deletedMs }) => ({
            session_id: ref.id,
            path: ref.path ?? "",
            deleted_after: new Date(deletedMs).toISOString(),
          })),
      });
    }
  }
  return found;
}
