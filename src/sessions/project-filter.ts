import { basename, dirname, join, resolve } from "node:path";
import { isWithin } from "../transcript/files/data-folder.ts";
import { encodedProject, MAX_ENCODED, mayBeOfProject } from "./claude-sessions.ts";
import { nodeSessionFiles, type SessionFiles } from "./session-files.ts";
import { readSessionHead } from "./session-head.ts";
import { nearestWith } from "./session-roots.ts";
import type { SessionRef, Where } from "./session-ref.ts";

/** Returns the project folder of `cwd`: the nearest one upwards with `.openfleet` or `.git`, or else `cwd`. */
export async function currentProject(
  { cwd }: Where,
  files: Pick<SessionFiles, "stat"> = nodeSessionFiles,
): Promise<string> {
  return (await nearestWith([".openfleet", ".git"], cwd, files)) ?? cwd;
}

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
    ? await folderAsked(resolve(cwd, project.replace(/^~(?=$|[\\/])/, home)), files)
    : nameAsked(project);
  const kept: SessionRef[] = [];
  for (const ref of sessions) if (await isAsked(ref, wanted, files)) kept.push(ref);
  return kept;
}

interface AskedProject {
  /** Returns whether a working directory belongs to the project. */
  has(directory: string): boolean | Promise<boolean>;
  /**
   * Returns whether a session of Claude Code may belong to the project, by the name of the folder that its file is in, which
   * several projects can share.
   */
  mayHave(label: string, directoryOf: () => Promise<string | null>): Promise<boolean>;
  /** The answer for a session without a working directory. */
  hasLabel(label: string): boolean;
}

function nameAsked(name: string): AskedProject {
  const ending = `-${encodedProject(name)}`;
  const hasLabel = (label: string): boolean => `-${label}`.endsWith(ending);
  return {
    has: (directory) => directory.split(/[\\/]/).findLast((part) => part !== "") === name,
    mayHave: async (label) => hasLabel(label) || label.length >= MAX_ENCODED,
    hasLabel: (label) => label === encodedProject(name),
  };
}

async function folderAsked(folder: string, files: Pick<SessionFiles, "realpath">): Promise<AskedProject> {
  const reals = new Map<string, Promise<string>>();
  const realOf = (path: string): Promise<string> => {
    const known = reals.get(path) ?? realPath(path, files);
    reals.set(path, known);
    return known;
  };
  const real = await realOf(folder);
  const folders = [...new Set([folder, real])];
  const has = async (directory: string): Promise<boolean> =>
    folders.some((each) => isWithin(each, directory)) || isWithin(real, await realOf(directory));
  // Where the name of the folder says no, a link may still lead there: one session is asked for all under that name.
  const labels = new Map<string, boolean>();
  return {
    has,
    mayHave: async (label, directoryOf) => {
      if (folders.some((each) => mayBeOfProject(label, each) !== "no")) return true;
      const known = labels.get(label);
      if (known !== undefined) return known;
      const directory = await directoryOf();
      if (directory === null) return false;
      const answer = await has(directory);
      labels.set(label, answer);
      return answer;
    },
    hasLabel: (label) => folders.some((each) => mayBeOfProject(label, each) === "yes"),
  };
}

async function isAsked(ref: SessionRef, asked: AskedProject, files: Pick<SessionFiles, "openRead">): Promise<boolean> {
  const { project, projectLabel: label, source, path } = ref;
  if (project !== null) return asked.has(project);
  if (source !== "claude-code" || path === null) return source === "claude-code" && asked.hasLabel(label);
  let read: Promise<string | null> | undefined;
  const directoryOf = (): Promise<string | null> =>
    (read ??= readSessionHead(path, files).then(
      ({ cwd }) => cwd,
      () => null,
    ));
  if (!(await asked.mayHave(label, directoryOf))) return false;
  const directory = await directoryOf();
  return directory === null ? asked.hasLabel(label) : asked.has(directory);
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
