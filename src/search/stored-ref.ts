/** Rows of the store as sessions on a machine. */
import { existsSync } from "node:fs";
import { sessionRef, type SessionRef } from "../sessions/session-ref.ts";
import type { StoredSession } from "../store/model.ts";

export function storedRef({
  session_id,
  source,
  path,
  project,
  parent_id,
  agent_id,
  title,
}: StoredSession): SessionRef {
  const isFolder = project !== null && /[\\/]/.test(project);
  return sessionRef({
    id: session_id.replace(/@[0-9a-f]{8}$/, ""),
    source,
    ...(source === "opencode-store" ? { database: path } : { path }),
    project: isFolder ? project : null,
    projectLabel: project ?? "",
    parentId: parent_id,
    agentId: agent_id,
    title,
  });
}

/** The same as a look at the disk sees it: of a file of Claude Code the folder that it is in says whose it is. */
export function placedRef(stored: StoredSession): SessionRef {
  const ref = storedRef(stored);
  if (stored.source !== "claude-code" || !existsSync(stored.path)) return ref;
  const names = stored.path.split(/[\\/]/);
  const subagents = names.lastIndexOf("subagents", -2);
  return { ...ref, project: null, projectLabel: names.at(subagents > 1 ? subagents - 2 : -2) ?? "" };
}
