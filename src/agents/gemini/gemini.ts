/** Gemini CLI: a folder for each project, in it a file for each session, and a folder for the subagents of each. */
import { hash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { shellWord } from "../../calls/shell-syntax.ts";
import type { SessionContent } from "../../parse/content.ts";
import { fieldsOf, recordIn, textOf } from "../../parse/json-fields.ts";
import type { InputUnit } from "../../parse/message-draft.ts";
import { emptyUnit } from "../../parse/record-units.ts";
import { currentProject } from "../../places/project-folder.ts";
import { mapFiles, nodeSessionFiles, type SessionFiles, textOfFile } from "../../places/session-files.ts";
import { type SessionRef, sessionRef, type Where } from "../../places/session-ref.ts";
import { walk } from "../../places/walk.ts";
import { agentFolder } from "../../user-folders.ts";
import type { Agent, NamedFile, Retention, ScannedSessions, ScanOptions } from "../agent.ts";
import { geminiDocument, geminiJournal } from "./gemini-formats.ts";

const NAME = "gemini-cli";
const CHATS = "chats";
const NAMED = /^session-.+\.jsonl?$/;
const EXTENSION = /\.jsonl?$/;
/** `{project}/chats/{parent}/{session}.jsonl` */
const DEPTH = 3;
/** Bytes of a file that have the id of its session. */
const ID_BYTES = 1_024;
const ID = /"sessionId"\s*:\s*"([\w-]{1,100})"/;

export const gemini: Agent = {
  name: NAME,
  displayName: "Gemini CLI",
  formats: [geminiJournal, geminiDocument],
  places: async (where) => [{ agent: NAME, path: join(homeOf(where), "tmp") }],
  scan: ({ path }, files, options) => scan(path, files, options),
  open: withFolder,
  head: async (ref, files, head) => ({ ...head, cwd: (await folderOf(ref, files)) ?? head.cwd }),
  fileRef: (file, { sessionId }) => refOf(file, sessionId),
  resume: ({ id }, cwd) => ({ command: `gemini --resume ${shellWord(id)}`, folder: cwd }),
  placeOf: (path) => ({ agent: NAME, path: dirname(projectOf(path)) }),
  belongings: (path, { id, parentId }) => (parentId === null ? [join(dirname(path), id)] : []),
  retention,
};

/** Returns `.gemini` in the folder that `GEMINI_CLI_HOME` names, or else in the home folder. */
function homeOf(where: Where): string {
  return join(agentFolder(where, ["GEMINI_CLI_HOME"], ""), ".gemini");
}

/** Names have only the beginning of an id, so it is read from the file. */
async function scan(root: string, files: SessionFiles, { seen }: ScanOptions): Promise<ScannedSessions> {
  const walked = walk(root, {
    files,
    depth: DEPTH,
    accepts: (name) => EXTENSION.test(name),
    enters: ([, chats = CHATS]) => chats === CHATS,
    seen,
  });
  const inChats = walked.files.filter(({ segments }) => segments[1] === CHATS);
  const paths = new Set(inChats.map(({ path }) => path));
  const main = inChats.filter(
    // A document that is resumed becomes a journal of the same name.
    ({ path, segments }) => segments.length === DEPTH && NAMED.test(basename(path)) && !paths.has(`${path}l`),
  );
  const refs = await mapFiles(main, async (file) => refOf(file, await idIn(file.path, files)));
  const children = inChats.filter(({ segments }) => segments.length > DEPTH).map((file) => refOf(file));
  return { sessions: [...largest(refs), ...children], unreadable: walked.unreadable };
}

/** Returns one file of each session: resuming one may leave another that has only the beginning. */
function largest(refs: readonly SessionRef[]): SessionRef[] {
  const byId = new Map<string, SessionRef>();
  for (const ref of refs) {
    const key = `${projectOf(ref.path ?? "")}\n${ref.id}`;
    if ((byId.get(key)?.bytes ?? -1) < (ref.bytes ?? 0)) byId.set(key, ref);
  }
  return [...byId.values()];
}

/** Returns the id in a file; undefined if it cannot be read, which is said where the session is. */
async function idIn(path: string, files: SessionFiles): Promise<string | undefined> {
  try {
    const handle = await files.openRead(path);
    try {
      return ID.exec(Buffer.from(await handle.read(0, ID_BYTES)).toString("utf8"))?.[1];
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

/** A subagent's file is in a folder with the id of the session that started it. */
function refOf({ path, bytes, modifiedMs }: NamedFile, known?: string | null): SessionRef {
  const name = basename(path).replace(EXTENSION, "");
  const id = known ?? name.replace(/^session-.*-/, "");
  const folder = dirname(path);
  const parentId = basename(dirname(folder)) === CHATS ? basename(folder) : null;
  return sessionRef({ id, place: NAME, agent: NAME, path, parentId, bytes, modifiedMs });
}

/** Returns the folder that has a project's sessions and notes. */
function projectOf(path: string): string {
  const folder = dirname(path);
  return dirname(basename(folder) === CHATS ? folder : dirname(folder));
}

/** Returns the folder of a session's project. Older files do not name it, and the folder that they are in has only its hash. */
async function folderOf({ path }: SessionRef, files: SessionFiles): Promise<string | undefined> {
  if (path === null) return undefined;
  const project = projectOf(path);
  const named = (await textAt(join(project, ".project_root"), files)).trim();
  if (named !== "") return named;
  const list = recordIn(await textAt(join(dirname(dirname(project)), "projects.json"), files));
  const name = basename(project);
  const folders = Object.entries(fieldsOf(list, "projects") ?? {});
  return folders.find(([folder, its]) => its === name || hash("sha256", folder) === name)?.[0];
}

/** Adds the folder of the project to the beginning of a session. */
function withFolder(ref: SessionRef, files: SessionFiles, content: SessionContent): SessionContent {
  return {
    open: async (options) => {
      const opened = await content.open(options);
      const cwd = await folderOf(ref, files);
      return cwd === undefined ? opened : { ...opened, units: after(cwd, opened.units) };
    },
  };
}

async function* after(cwd: string, units: AsyncGenerator<InputUnit[]>): AsyncGenerator<InputUnit[]> {
  yield [{ ...emptyUnit({ line: 1, offset: 0 }, { as: "blank" }, []), lines: 0, session: { cwd } }];
  yield* units;
}

const SETTING = "general.sessionRetention.maxAge";
const DEFAULT_DAYS = 30;
const DAYS: Readonly<Record<string, number>> = { h: 1 / 24, d: 1, w: 7, m: 30 };

/** Returns the rule of the project's or the user's settings; none if it is turned off. */
async function retention(where: Where): Promise<Retention[]> {
  const home = homeOf(where);
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
