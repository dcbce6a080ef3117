/** Gemini CLI: a folder for each project, in it a file for each session, and a folder for the subagents of each. */
import { hash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { shellWord } from "../../calls/shell-syntax.ts";
import { fieldsOf, recordIn, textOf } from "../../parse/json-fields.ts";
import { currentProject } from "../../places/project-folder.ts";
import { mapFiles, nodeSessionFiles, type SessionFiles, textOfFile } from "../../places/session-files.ts";
import type { SessionRef, Where } from "../../places/session-ref.ts";
import { agentFolder } from "../../user-folders.ts";
import type { Agent, Retention } from "../agent.ts";
import { inFiles } from "../file-layout.ts";
import { geminiDocument, geminiJournal } from "./gemini-formats.ts";

/** Bytes of a file that have the id of its session. */
const ID_BYTES = 1_024;
const ID = /"sessionId"\s*:\s*"([\w-]{1,100})"/;

/** Older versions write a document, `.json`, instead of a journal. */
const inFolders = inFiles({
  agent: "gemini-cli",
  folders: (where) => [agentFolder(where, ["GEMINI_CLI_HOME"], "")],
  places: [".gemini/tmp"],
  paths: [
    "*/chats/session-*.jsonl",
    "*/chats/session-*.json",
    "*/chats/{parent}/{id}.jsonl",
    "*/chats/{parent}/{id}.json",
  ],
});

export const gemini: Agent = {
  displayName: "Gemini CLI",
  formats: [geminiJournal, geminiDocument],
  ...inFolders,
  scan: async (place, files, options) => {
    const { sessions, unreadable } = await inFolders.scan(place, files, options);
    const [main, children] = [sessions.filter(isMain), sessions.filter((ref) => !isMain(ref))];
    const paths = new Set(main.map(({ path }) => path));
    // A document that is resumed becomes a journal of the same name.
    const latest = main.filter(({ path }) => !paths.has(`${path}l`));
    // Names have only the beginning of an id, so it is read from the file.
    const named = await mapFiles(latest, async (ref) => ({ ...ref, id: (await idIn(ref, files)) ?? ref.id }));
    return { sessions: [...named, ...children], unreadable };
  },
  beside: async (ref, files) => ({ cwd: await folderOf(ref, files) }),
  resume: ({ id }, cwd) => ({ command: `gemini --resume ${shellWord(id)}`, folder: cwd }),
  belongings: (path, { id, parentId }) => (parentId === null ? [join(dirname(path), id)] : []),
  retention,
};

/** Subagents are in a folder with the id of the session that started them. */
function isMain({ parentId }: SessionRef): boolean {
  return parentId === null;
}

/** Returns the id in a file; undefined if it cannot be read, which is said where the session is. */
async function idIn({ path }: SessionRef, files: SessionFiles): Promise<string | undefined> {
  try {
    const handle = await files.openRead(path ?? "");
    try {
      return ID.exec(Buffer.from(await handle.read(0, ID_BYTES)).toString("utf8"))?.[1];
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

/** Returns the folder that has a project's sessions and notes. */
function projectOf({ path, parentId }: SessionRef): string {
  const chats = dirname(path ?? "");
  return dirname(parentId === null ? chats : dirname(chats));
}

/** Returns the folder of a session's project. Older files do not name it, and the folder that they are in has only its hash. */
async function folderOf(ref: SessionRef, files: SessionFiles): Promise<string | undefined> {
  const project = projectOf(ref);
  const named = (await textAt(join(project, ".project_root"), files)).trim();
  if (named !== "") return named;
  const list = recordIn(await textAt(join(dirname(dirname(project)), "projects.json"), files));
  const name = basename(project);
  const folders = Object.entries(fieldsOf(list, "projects") ?? {});
  return folders.find(([folder, its]) => its === name || hash("sha256", folder) === name)?.[0];
}

const SETTING = "general.sessionRetention.maxAge";
const DEFAULT_DAYS = 30;
const DAYS: Readonly<Record<string, number>> = { h: 1 / 24, d: 1, w: 7, m: 30 };

/** Returns the rule of the project's or the user's settings; none if it is turned off. */
async function retention(where: Where): Promise<Retention[]> {
  const home = join(agentFolder(where, ["GEMINI_CLI_HOME"], ""), ".gemini");
  const user = join(home, "settings.json");
  for (const file of [join(currentProject(where), ".gemini/settings.json"), user]) {
    const settings = recordIn(await textAt(file, nodeSessionFiles));
    const set = fieldsOf(fieldsOf(settings, "general"), "sessionRetention");
    if (set?.["enabled"] === false) return [];
    const [, count, unit = ""] = /^(\d+)([hdwm])$/.exec(textOf(set, "maxAge") ?? "") ?? [];
    const days = Number(count) * (DAYS[unit] ?? 0);
    if (days > 0) return [{ folder: join(home, "tmp"), days, setting: SETTING, file, isDefault: false }];
  }
  return [{ folder: join(home, "tmp"), days: DEFAULT_DAYS, setting: SETTING, file: user, isDefault: true }];
}

/** Returns the text of a file; empty if it is missing, or not readable for the agent either. */
async function textAt(path: string, files: SessionFiles): Promise<string> {
  return (await textOfFile(path, files).catch(() => undefined)) ?? "";
}
