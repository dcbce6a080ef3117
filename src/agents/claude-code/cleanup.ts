/** When Claude Code deletes sessions. */
import { join } from "node:path";
import { countOf, recordIn } from "../../parse/json-fields.ts";
import { currentProject } from "../../places/project-folder.ts";
import { nodeSessionFiles, textOfFile } from "../../places/session-files.ts";
import type { Where } from "../../places/session-ref.ts";
import type { Retention } from "../agent.ts";

const SETTING = "cleanupPeriodDays";
const DEFAULT_DAYS = 30;

/** Returns the rule for the sessions of a configuration folder, from the first of its files that has the setting. */
export async function cleanupOf(folder: string, where: Where): Promise<Retention> {
  const project = join(currentProject(where), ".claude");
  const own = join(folder, "settings.json");
  for (const file of [join(project, "settings.local.json"), join(project, "settings.json"), own]) {
    // A settings file that we cannot read is one that Claude Code cannot read either.
    const text = await textOfFile(file, nodeSessionFiles).catch(() => undefined);
    const days = countOf(recordIn(text ?? ""), SETTING);
    if (days !== undefined) return { folder, days, setting: SETTING, file, isDefault: false };
  }
  return { folder, days: DEFAULT_DAYS, setting: SETTING, file: own, isDefault: true };
}
