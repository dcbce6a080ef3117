/** Returns how a session is resumed in its agent. */
import { shellWord } from "../calls/shell-syntax.ts";
import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { mayBeOfProject, SESSION_FOLDER } from "../agents/claude-code/claude-sessions.ts";
import { agentOf, isSubagent, type AgentName, type SessionRef } from "./session-ref.ts";

/** Shell command, or the reason why there is none, as a clause. */
export type Resume = { command: string } | { reason: string };

const COMMANDS: Record<AgentName, (id: string) => string> = {
  "claude-code": (id) => `claude --resume ${id}`,
  opencode: (id) => `opencode -s ${id}`,
  kilo: (id) => `kilo --session ${id}`,
};

/**
 * Returns how to resume a session on this machine. `cwd`: the folder that its content names, if that is known. Agents look
 * for a session in the folder that it was started in, so the command changes to it.
 */
export function resumeOf(ref: SessionRef, cwd: string | null): Resume {
  const { archived } = ref;
  if (archived !== null)
    return { reason: archived.host === null ? "only the store has it" : `it was recorded on ${archived.host}` };
  if (isSubagent(ref)) return { reason: "it is a subagent's; the session that started it can be" };
  const kept = ref.source === "transcript" ? ref.alternatives.find(({ source }) => source === "opencode-store") : ref;
  const agent = kept === undefined ? null : agentOf(kept);
  if (kept === undefined || agent === null) return { reason: "its agent does not have it" };
  const folder = kept.source === "claude-code" ? claudeFolder(kept, cwd) : (kept.project ?? ref.project);
  if (folder === undefined) return { reason: "it is not where Claude Code keeps the sessions of its folder" };
  if (folder !== null && !existsSync(folder)) return { reason: `its folder ${folder} does not exist` };
  const command = COMMANDS[agent](shellWord(kept.id));
  return { command: folder === null ? command : `cd ${shellWord(folder)} && ${command}` };
}

/** Returns the folder in which Claude Code finds the session: it names the folder of its sessions after it. */
function claudeFolder({ id, path }: SessionRef, cwd: string | null): string | undefined {
  if (path === null || cwd === null || !SESSION_FOLDER.test(id)) return undefined;
  const place = dirname(path);
  if (basename(dirname(place)) !== "projects") return undefined;
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (mayBeOfProject(basename(place), folder) === "yes") return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
