/** Returns how a session is resumed in its agent. */
import { existsSync } from "node:fs";
import { agentNamed } from "../agents/registry.ts";
import { shellWord } from "../calls/shell-syntax.ts";
import { isSubagent, type SessionRef } from "../places/session-ref.ts";

/**
 * Returns the shell command that resumes a session on this machine, or the reason why there is none, as a clause. `cwd`: the
 * working directory that its content names, if that is known. Agents look for a session in the folder that it was started
 * in, so the command changes to it.
 */
export function resumeOf(ref: SessionRef, cwd: string | null): { command: string } | { reason: string } {
  const { archived } = ref;
  if (archived !== null)
    return { reason: archived.host === null ? "only the store has it" : `it was recorded on ${archived.host}` };
  if (isSubagent(ref)) return { reason: "it is a subagent's; the session that started it can be" };
  const [resume] = [ref, ...ref.alternatives].flatMap((form) => agentNamed(form.agent)?.resume?.(form, cwd) ?? []);
  if (resume === undefined) {
    const name = agentNamed(ref.agent)?.displayName ?? "its agent";
    return { reason: `${name} does not have it on this machine` };
  }
  if ("reason" in resume) return resume;
  const folder = resume.folder ?? ref.project;
  if (folder !== null && !existsSync(folder)) return { reason: `its folder ${folder} does not exist` };
  return { command: folder === null ? resume.command : `cd ${shellWord(folder)} && ${resume.command}` };
}
