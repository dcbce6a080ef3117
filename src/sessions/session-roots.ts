import { AGENTS } from "../agents/registry.ts";
import { nodeSessionFiles, type SessionFiles } from "../places/session-files.ts";
import type { Place, Where } from "../places/session-ref.ts";

/** Returns the places where sessions may be, even if they do not exist, the current project first; or `where.roots`. */
export async function sessionRoots(where: Where, files: SessionFiles = nodeSessionFiles): Promise<Place[]> {
  if (where.roots !== undefined) return [...where.roots];
  return (await Promise.all(AGENTS.map((agent) => agent.places(where, files)))).flat();
}
