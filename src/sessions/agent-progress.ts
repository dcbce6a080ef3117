/** Whose subagents stand nowhere but in the session's own file. */
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { limitedMap } from "./limited-map.ts";
import { isAbsent } from "./reasons.ts";
import { nodeSessionFiles } from "./session-files.ts";
import type { SessionRef } from "./session-ref.ts";

const AGENT_FILE = /^agent-.*\.jsonl$/;
const HEADS_AT_ONCE = 16;

/** Sessions that files of older versions name, by the file's path. Whose an agent's file is does not change. */
const knownParents = new Map<string, string>();

/**
 * Whether a session is to be read with `agentProgress`: one of Claude Code, at the top, without subagent files. Older
 * versions kept subagents only as copies in `progress` lines; where there are files, the copies would tell them twice.
 * False where nothing can be known: of standard input, and if a folder cannot be read.
 */
export async function needsAgentProgress(
  ref: Pick<SessionRef, "source" | "path" | "agentId" | "parentId">,
): Promise<boolean> {
  const { source, path, agentId, parentId } = ref;
  if (source !== "claude-code" || path === null || agentId !== null || parentId !== null) return false;
  const id = basename(path, ".jsonl");
  try {
    return !(await hasFolder(join(dirname(path), id, "subagents"))) && !(await isNamedBeside(dirname(path), id));
  } catch {
    return false;
  }
}

async function hasFolder(folder: string): Promise<boolean> {
  const names = await namesIn(folder, true);
  return names.some((name) => AGENT_FILE.test(basename(name)));
}

/** Whether a subagent of an older version, which lies beside the session, names it. */
async function isNamedBeside(folder: string, id: string): Promise<boolean> {
  const paths = (await namesIn(folder, false))
    .filter((name) => AGENT_FILE.test(name))
    .map((name) => join(folder, name));
  const parents = await limitedMap(paths, HEADS_AT_ONCE, parentIn);
  return parents.includes(id);
}

async function namesIn(folder: string, recursive: boolean): Promise<string[]> {
  try {
    return await readdir(folder, { recursive });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

async function parentIn(path: string): Promise<string | null> {
  const known = knownParents.get(path);
  if (known !== undefined) return known;
  // Few sessions have such files beside them, and loading what reads them takes its time.
  const { readSessionHead } = await import("./session-head.ts");
  const { sessionId } = await readSessionHead(path, nodeSessionFiles);
  if (sessionId !== null) knownParents.set(path, sessionId);
  return sessionId;
}
