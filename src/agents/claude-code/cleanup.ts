/** When Claude Code deletes sessions. */
import { basename, dirname, join } from "node:path";
import { countOf, recordIn } from "../../parse/json-fields.ts";
import { currentProject } from "../../places/project-folder.ts";
import { nodeSessionFiles, textOfFile } from "../../places/session-files.ts";
import type { Where } from "../../places/session-ref.ts";
import type { Retention } from "../agent.ts";

const SETTING = "cleanupPeriodDays";
const DEFAULT_DAYS = 30;

/** Returns the rule for the sessions of a configuration folder. */
export async function cleanupOf(folder: string, where: Where): Promise<Retention> {
  const files = await settingsFiles(folder, where);
  const given = await settingIn(files);
  return {
    folder,
    days: given?.days ?? DEFAULT_DAYS,
    setting: SETTING,
    file: given?.file ?? files.at(-1) ?? folder,
    isDefault: given === undefined,
  };
}

/** Returns the files that may have the setting for a configuration folder: the first one that has it counts. */
async function settingsFiles(folder: string, where: Where): Promise<string[]> {
  const project = join(currentProject(where), ".claude");
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
