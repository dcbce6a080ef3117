import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { isWithin } from "../transcript/files/data-folder.ts";
import { encodedProject, MAX_ENCODED, mayBeOfProject } from "../agents/claude-code/claude-sessions.ts";
import { nodeSessionFiles, type SessionFiles } from "../places/session-files.ts";
import { readSessionHead } from "./session-head.ts";
import type { SessionRef, Where } from "../places/session-ref.ts";

/**
 * Returns the sessions of a project, by the working directory of each. `project` is a folder (absolute, or relative with a
 * separator, `.` or `~`), which includes folders inside it and may be a link, as may the working directories; or the name
 * of a project's folder, which is exactly the last part of its path.
 */
export async function filterByProject(
  sessions: readonly SessionRef[],
  project: string,
  { cwd, home }: Where,
  files: Pick<SessionFiles, "openRead" | "realpath"> = nodeSessionFiles,
): Promise<SessionRef[]> {
  const wanted = /[\\/]|^~?$|^\.\.?$/.test(project)
    ? await folderAsked(project, resolve(cwd, project.replace(/^~(?=$|[\\/])/, home)), files)
    : nameAsked(project);
  const kept: SessionRef[] = [];
  for (const ref of sessions) if (await isAsked(ref, wanted, files)) kept.push(ref);
  return kept;
}

interface AskedProject {
  /** Returns whether a working directory belongs to the project. */
  has(directory: string): boolean | Promise<boolean>;
  /** Returns whether a folder of Claude Code with this name may have sessions of the project; several projects can share one. */
  mayHave(label: string): boolean;
  /** The answer for a session of Claude Code without a working directory. */
  hasLabel(label: string): boolean;
  /** Whether the sessions of folders with other names belong to it, by the working directory of the first of each. */
  others: Map<string, boolean>;
}

function nameAsked(name: string): AskedProject {
  const encoded = encodedProject(name);
  return {
    has: (directory) => directory.split(/[\\/]/).findLast((part) => part !== "") === name,
    mayHave: (label) => `-${label}`.endsWith(`-${encoded}`) || label.length >= MAX_ENCODED,
    hasLabel: (label) => label === encoded,
    others: new Map(),
  };
}

/** `given`: the folder as the user wrote it. */
async function folderAsked(
  given: string,
  folder: string,
  files: Pick<SessionFiles, "realpath">,
): Promise<AskedProject> {
  const reals = new Map<string, Promise<string>>();
  const realOf = (path: string): Promise<string> => {
    const known = reals.get(path) ?? realPath(path, files);
    reals.set(path, known);
    return known;
  };
  const real = await realOf(folder);
  const folders = [...new Set([folder, real])];
  return {
    has: async (directory) => {
      // A path of another system, as in a session that was copied from there, is not relative to a folder here.
      if (!isAbsolute(directory)) return directory === given;
      return folders.some((each) => isWithin(each, directory)) || isWithin(real, await realOf(directory));
    },
    mayHave: (label) => folders.some((each) => mayBeOfProject(label, each) !== "no"),
    hasLabel: (label) => folders.some((each) => mayBeOfProject(label, each) === "yes"),
    others: new Map(),
  };
}

async function isAsked(ref: SessionRef, asked: AskedProject, files: Pick<SessionFiles, "openRead">): Promise<boolean> {
  const { project, projectLabel: label, source, path } = ref;
  if (project !== null) return asked.has(project);
  if (source !== "claude-code") return false;
  // A link, or a file that was moved, has another name: one session is asked for all under it.
  const known = asked.mayHave(label) ? undefined : asked.others.get(label);
  if (known === false) return false;
  const directory = path === null ? null : await directoryOf(path, files);
  const answer = directory === null ? asked.hasLabel(label) : await asked.has(directory);
  if (directory !== null && !asked.mayHave(label) && known === undefined) asked.others.set(label, answer);
  return answer;
}

/** Returns the working directory that a file of Claude Code names. */
async function directoryOf(path: string, files: Pick<SessionFiles, "openRead">): Promise<string | null> {
  try {
    return (await readSessionHead(path, files)).cwd;
  } catch {
    return null;
  }
}

/** Resolves links; of a path that does not exist, those on the way to it. */
async function realPath(path: string, files: Pick<SessionFiles, "realpath">): Promise<string> {
  try {
    return await files.realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realPath(parent, files), basename(path));
  }
}
