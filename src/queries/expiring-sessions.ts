/** Finds sessions that their agent will delete soon and that the store does not have. */
import { basename, dirname, join } from "node:path";
import { staleSessions } from "../indexing/stale-sessions.ts";
import { countOf, recordIn } from "../parse/json-fields.ts";
import { currentProject } from "../sessions/project-filter.ts";
import { nodeSessionFiles, textOfFile } from "../sessions/session-files.ts";
import { isSubagent, type SessionRef, type Where } from "../sessions/session-ref.ts";
import { claudeFolders } from "../sessions/session-roots.ts";
import { isWithin } from "../transcript/files/data-folder.ts";
import type { Store } from "../store/store.ts";

/** Sessions that one setting of an agent deletes. Keys as in `transcripts doctor --json`, where each is described. */
export type Expiring = Awaited<ReturnType<typeof expiringSessions>>[number];

/** The only agent that deletes its sessions. */
const AGENT = "claude-code" as const;
const SETTING = "cleanupPeriodDays";
const DEFAULT_DAYS = 30;
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
  const open = store === undefined ? sessions : await sessionsNotKept(store, where);
  const found = [];
  for (const folder of claudeFolders(where)) {
    const files = await settingsFiles(folder, where);
    const given = await settingIn(files);
    const days = given?.days ?? DEFAULT_DAYS;
    const expiring = open.flatMap((ref) => {
      const deletedMs = ref.modifiedMs + days * DAY_MS;
      const isOf = ref.source === AGENT && !isSubagent(ref) && ref.path !== null && isWithin(folder, ref.path);
      return isOf && deletedMs < now.getTime() + SOON_MS ? [{ ref, deletedMs }] : [];
    });
    if (expiring.length === 0) continue;
    found.push({
      agent: AGENT,
      setting: SETTING,
      file: given?.file ?? files.at(-1) ?? folder,
      days,
      is_default: given === undefined,
      sessions: expiring
        .toSorted((a, b) => a.deletedMs - b.deletedMs)
        .map(({ ref, deletedMs }) => ({
          session_id: ref.id,
          path: ref.path ?? "",
          deleted_after: new Date(deletedMs).toISOString(),
        })),
    });
  }
  return found;
}

/** Returns the sessions whose current content is not in the store. */
async function sessionsNotKept(store: Store, where: Where): Promise<SessionRef[]> {
  const { stale } = await staleSessions(store, where);
  return stale.map(({ ref }) => ref);
}

/** Returns the files that may have the setting for a configuration folder: the first one that has it counts. */
async function settingsFiles(folder: string, where: Where): Promise<string[]> {
  const project = join(await currentProject(where), ".claude");
  const user = basename(folder) === "projects" ? dirname(folder) : folder;
  return [join(project, "settings.local.json"), join(project, "settings.json"), join(user, "settings.json")];
}

/** Returns the setting of the first file that has it. Ignores files that are not JSON. */
async function settingIn(files: readonly string[]): Promise<{ file: string; days: number } | undefined> {
  for (const file of files) {
    const days = countOf(recordIn(await textAt(file)), SETTING);
    if (days !== undefined) return { file, days };
  }
  return undefined;
}

async function textAt(path: string): Promise<string> {
  try {
    return (await textOfFile(path, nodeSessionFiles)) ?? "";
  } catch {
    // Missing, or not readable for the agent either.
    return "";
  }
}
