/** Searching a session file of Claude Code. */
import { needsAgentProgress } from "../sessions/agent-progress.ts";
import { fileInput } from "./find-input.ts";
import { findInSession, type FindQuery, type Hit } from "./find.ts";

/** `isTop`: no other session started it, so that its subagents may stand nowhere else. */
export interface SearchedFile {
  path: string;
  isTop?: boolean;
}

/** The hits of a session file; those in subagents too, where it alone tells of them. */
export async function findInFile({ path, isTop = false }: SearchedFile, query: FindQuery): Promise<Hit[]> {
  const hits = await Array.fromAsync(findInSession(fileInput(path), query, { agentProgress: isTop }));
  // Only then can a copy be among them; looking for subagents' files first would take longer than most searches.
  if (!isTop || !hits.some((hit) => hit.is_sidechain === true)) return hits;
  if (await needsAgentProgress({ source: "claude-code", path, agentId: null, parentId: null })) return hits;
  return Array.fromAsync(findInSession(fileInput(path), query));
}
