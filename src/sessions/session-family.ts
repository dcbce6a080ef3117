import { basename, dirname, sep } from "node:path";
import { scanClaudeFamily } from "./claude-code.ts";
import { findSessions } from "./find-sessions.ts";
import { limitedMap } from "./limited-map.ts";
import { isAbsent, reasonOf } from "./reasons.ts";
import { nodeSessionFiles, type SessionFiles } from "./session-files.ts";
import { readSessionHead } from "./session-head.ts";
import type { SessionRef, SessionRoot, Unreadable, Where } from "./session-ref.ts";
import { sessionRoots } from "./session-roots.ts";
import { projectOf, transcriptsFolderOf } from "./transcripts.ts";

/** A session and those that it started, oldest first. */
export interface SessionNode {
  ref: SessionRef;
  children: SessionNode[];
}

export interface SessionFamily {
  root: SessionNode;
  unreadable: Unreadable[];
}

const HEADS_AT_ONCE = 16;

/**
 * A session with all below it, at any depth. Of Claude Code: what lies in the session's own folder, and files of older
 * versions beside it that name it. Of opencode: our transcripts (in the folder that the session's is in, too) and the
 * store together. A subagent stands in the tree once, whatever circles its parents make.
 */
export async function sessionFamily(
  ref: SessionRef,
  where: Where,
  files: SessionFiles = nodeSessionFiles,
): Promise<SessionFamily> {
  switch (ref.source) {
    case "claude-code":
      return claudeFamily(ref, files);
    case "transcript":
    case "opencode-store":
      return opencodeFamily(ref, where, files);
    default:
      return { root: { ref, children: [] }, unreadable: [] };
  }
}

async function opencodeFamily(ref: SessionRef, where: Where, files: SessionFiles): Promise<SessionFamily> {
  const roots = (await sessionRoots(where, files)).filter(({ source }) => source !== "claude-code");
  const own = ref.path === null ? undefined : transcriptsFolderOf(ref.path, ref.parentId);
  const isKnown = own === undefined || roots.some(({ path }) => path === own);
  const within = own === undefined ? undefined : (projectOf(own) ?? own);
  const first: SessionRoot[] = isKnown ? [] : [{ source: "transcript", path: own, ...(within ? { within } : {}) }];
  const { sessions, unreadable } = await findSessions({ ...where, roots: [...first, ...roots] }, { all: true, files });
  return { root: treeOf(ref, sessions), unreadable };
}

async function claudeFamily(ref: SessionRef, files: SessionFiles): Promise<SessionFamily> {
  if (ref.path === null) return { root: { ref, children: [] }, unreadable: [] };
  const { folder, sessionId } = claudePlace(ref, ref.path);
  const { sessions, unreadable } = await scanClaudeFamily(folder, sessionId, files);
  const known = await limitedMap(sessions, HEADS_AT_ONCE, (each) => withParent(each, files, unreadable));
  return { root: treeOf(ref, known), unreadable };
}

/** The project's folder, and the session at the top, of a session's or a subagent's file. */
function claudePlace(ref: SessionRef, path: string): { folder: string; sessionId: string } {
  const names = path.split(sep);
  const place = names.lastIndexOf("subagents");
  const top = place > 1 && ref.parentId !== null ? names[place - 1] : undefined;
  if (top === undefined) return { folder: dirname(path), sessionId: ref.parentId ?? basename(path, ".jsonl") };
  return { folder: names.slice(0, place - 1).join(sep), sessionId: top };
}

/** A subagent of an older version with its parent, which only its content names. */
async function withParent(ref: SessionRef, files: SessionFiles, unreadable: Unreadable[]): Promise<SessionRef> {
  if (ref.agentId === null || ref.parentId !== null || ref.path === null) return ref;
  try {
    const { sessionId } = await readSessionHead(ref.path, files);
    return { ...ref, parentId: sessionId };
  } catch (error) {
    if (!isAbsent(error)) unreadable.push({ path: ref.path, reason: reasonOf(error) });
    return ref;
  }
}

function treeOf(top: SessionRef, sessions: readonly SessionRef[]): SessionNode {
  const oldestFirst = sessions.toSorted((a, b) => startOf(a) - startOf(b) || (a.id < b.id ? -1 : 1));
  const byParent = Map.groupBy(oldestFirst, ({ parentId }) => parentId);
  const placed = new Set([top.id]);
  const nodeOf = (ref: SessionRef): SessionNode => {
    const fresh = (byParent.get(ref.id) ?? []).filter(({ id }) => !placed.has(id));
    for (const { id } of fresh) placed.add(id);
    return { ref, children: fresh.map(nodeOf) };
  };
  return nodeOf(top);
}

function startOf({ startedMs, modifiedMs }: SessionRef): number {
  return startedMs ?? modifiedMs;
}
