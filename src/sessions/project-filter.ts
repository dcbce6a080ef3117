import { resolve } from "node:path";
import { isWithin } from "../transcript/files/data-folder.ts";
import { encodedProject, mayBeOfProject } from "./claude-sessions.ts";
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
 * Returns the sessions of a project. `project` is a folder (absolute, or relative with a separator, `.` or `~`), which
 * includes folders inside it, or the name of a project's folder, in any case.
 */
export async function filterByProject(
  sessions: readonly SessionRef[],
  project: string,
  { cwd, home }: Where,
  files: Pick<SessionFiles, "openRead"> = nodeSessionFiles,
): Promise<SessionRef[]> {
  if (!/[\\/]|^~?$|^\.\.?$/.test(project)) return sessions.filter((ref) => hasName(ref, project));
  const folder = resolve(cwd, project.replace(/^~(?=$|[\\/])/, home));
  const kept: SessionRef[] = [];
  const insideByLabel = new Map<string, boolean>();
  for (const ref of sessions) {
    if (await belongs(ref, folder, insideByLabel, files)) kept.push(ref);
  }
  return kept;
}

function hasName({ project, projectLabel }: SessionRef, name: string): boolean {
  if (project !== null)
    return (
      project
        .split(/[\\/]/)
        .findLast((segment) => segment !== "")
        ?.toLowerCase() === name.toLowerCase()
    );
  return `-${projectLabel}`.toLowerCase().endsWith(`-${encodedProject(name)}`.toLowerCase());
}

async function belongs(
  ref: SessionRef,
  folder: string,
  insideByLabel: Map<string, boolean>,
  files: Pick<SessionFiles, "openRead">,
): Promise<boolean> {
  if (ref.project !== null) return isWithin(folder, ref.project);
  if (ref.source !== "claude-code") return false;
  const answer = mayBeOfProject(ref.projectLabel, folder);
  if (answer !== "inside" || ref.path === null) return answer === "yes";
  // `-a-b-c` is /a/b/c or /a/b-c: one session that names its folder decides for all under that name.
  const known = insideByLabel.get(ref.projectLabel);
  if (known !== undefined) return known;
  const cwd = await readSessionHead(ref.path, files).then(
    (head) => head.cwd,
    () => null,
  );
  if (cwd !== null) insideByLabel.set(ref.projectLabel, isWithin(folder, cwd));
  return cwd !== null && isWithin(folder, cwd);
}
