import { basename, dirname, isAbsolute, join } from "node:path";
import { configuredFolder } from "../user-folders.ts";
import { isWithin } from "../transcript/files/data-folder.ts";
import type { ProjectLabels } from "../agents/agent.ts";
import { agentAt, AGENTS } from "../agents/registry.ts";
import { nodeSessionFiles, type SessionFiles } from "../places/session-files.ts";
import { readHead } from "./file-ref.ts";
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
  files: SessionFiles = nodeSessionFiles,
): Promise<SessionRef[]> {
  const wanted = projectAsked(project, { cwd, home }, files);
  const kept: SessionRef[] = [];
  for (const ref of sessions) if (await isAsked(ref, wanted, files)) kept.push(ref);
  return kept;
}

/** Returns those of the projects in the store that are the one asked for, or inside it. See `filterByProject`. */
export function projectsNamed(
  stored: readonly string[],
  project: string,
  where: Where,
  files: Pick<SessionFiles, "realpath"> = nodeSessionFiles,
): string[] {
  const wanted = projectAsked(project, where, files);
  const named: string[] = [];
  for (const each of stored) {
    // A session whose folder is unknown has its agent's label.
    const isLabel = AGENTS.some(({ labels }) => labels !== undefined && wanted.labelled(each, labels) === "yes");
    if (/[\\/]/.test(each) ? wanted.has(each) : isLabel) named.push(each);
  }
  return named;
}

function projectAsked(
  project: string,
  { cwd, home }: Pick<Where, "cwd" | "home">,
  files: Pick<SessionFiles, "realpath">,
): AskedProject {
  return /[\\/]|^~?$|^\.\.?$/.test(project)
    ? folderAsked(project, configuredFolder(cwd, project, home), files)
    : nameAsked(project);
}

interface AskedProject {
  /** Returns whether a working directory belongs to the project. */
  has(directory: string): boolean;
  /** Returns whether a place with this label may have sessions of the project; see `ProjectLabels`. */
  labelled(label: string, labels: ProjectLabels): "yes" | "maybe" | "no";
  /** Whether the sessions of places with other labels belong to it, by the working directory of the first of each. */
  others: Map<string, boolean>;
}

function nameAsked(name: string): AskedProject {
  return {
    has: (directory) => directory.split(/[\\/]/).findLast((part) => part !== "") === name,
    labelled: (label, labels) => labels.ofName(label, name),
    others: new Map(),
  };
}

/** `given`: the folder as the user wrote it. */
function folderAsked(given: string, folder: string, files: Pick<SessionFiles, "realpath">): AskedProject {
  const reals = new Map<string, string>();
  const realOf = (path: string): string => {
    const known = reals.get(path) ?? realPath(path, files);
    reals.set(path, known);
    return known;
  };
  const real = realOf(folder);
  const folders = [...new Set([folder, real])];
  return {
    has: (directory) => {
      // A path of another system, as in a session that was copied from there, is not relative to a folder here.
      if (!isAbsolute(directory)) return directory === given;
      return folders.some((each) => isWithin(each, directory)) || isWithin(real, realOf(directory));
    },
    labelled: (label, labels) => {
      const answers = folders.map((each) => labels.ofFolder(label, each));
      return answers.find((answer) => answer === "yes") ?? answers.find((answer) => answer === "maybe") ?? "no";
    },
    others: new Map(),
  };
}

async function isAsked(ref: SessionRef, asked: AskedProject, files: SessionFiles): Promise<boolean> {
  const { project, projectLabel: label, place } = ref;
  if (project !== null) return asked.has(project);
  const agent = agentAt(ref);
  if (agent === undefined) return false;
  const labelled = agent.labels === undefined ? "no" : asked.labelled(label, agent.labels);
  // A link, or a file that was moved, has another name: one session is asked for all under it.
  const group = labelled === "no" && label !== "" ? `${place} ${label}` : undefined;
  const known = group === undefined ? undefined : asked.others.get(group);
  if (known === false) return false;
  const directory = await directoryOf(ref, files);
  const answer = directory === null ? labelled === "yes" : asked.has(directory);
  if (directory !== null && group !== undefined && known === undefined) asked.others.set(group, answer);
  return answer;
}

/** Returns the working directory that a session's content names. */
async function directoryOf(ref: SessionRef, files: SessionFiles): Promise<string | null> {
  try {
    return (await readHead({ ...ref, startedMs: null }, files)).project;
  } catch {
    return null;
  }
}

/** Resolves links; of a path that does not exist, those on the way to it. */
function realPath(path: string, files: Pick<SessionFiles, "realpath">): string {
  try {
    return files.realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent, files), basename(path));
  }
}
