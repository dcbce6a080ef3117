import { basename, dirname, sep } from "node:path";
import { scanClaudeFamily } from "./claude-sessions.ts";
import { findSessions } from "./find-sessions.ts";
import { isAbsent, reasonOf } from "./reasons.ts";
import { mapFiles, nodeSessionFiles, type SessionFiles } from "./session-files.ts";
import { readSessionHead } from "./session-head.ts";
import type { SessionRef, SessionRoot, Unreadable, Where } from "./session-ref.ts";
import { sessionRoots } from "./session-roots.ts";
import { projectOf, transcriptsFolderOf } from "./transcripts.ts";

/** Session and those that it started, oldest first. */
export interface SessionNode {
  ref: SessionRef;
  children: SessionNode[];
}

export interface SessionFamily {
  root: SessionNode;
  unreadable: Unreadable[];
}

/** Returns a session and all below it, parents before children. */
export function refsIn({ ref, children }: SessionNode): SessionRef[] {
  return [ref, ...children.flatMap(refsIn)];
}

/**
 * Returns a session with all sessions below it, at any depth. For Claude Code: files in the session's own folder, and
 * files of older versions beside it that name it. For opencode: our transcripts (also those in the folder of the session's
 * transcript) and the store together. With `where.archive`, also those that only our store has. A subagent is in the tree
 * once, even if parents form a cycle.
 */
export async function sessionFamily(
  ref: SessionRef,
  where: Where,
  files: SessionFiles = nodeSessionFiles,
): Promise<SessionFamily> {
  switch (ref.source) {
    case "claude-code":
      return claudeFamily(ref, where, files);
    case "transcript":
    case "opencode-store":
      return opencodeFamily(ref, where, files);
    default:
      return { root: { ref, children: [] }, unreadable: [] };
  }
}

/** Returns the sessions that only our store has, besides those found. */
async function archivedBesides(where: Where, files: SessionFiles): Promise<SessionRef[]> {
  if (where.archive === undefined) return [];
  const { sessions } = await findSessions(where, { all: true, archived: true, files });
  return sessions.filter(({ archived }) => archived !== null);
}

async function opencodeFamily(ref: SessionRef, where: Where, files: SessionFiles): Promise<SessionFamily> {
  const roots = (await sessionRoots(where, files)).filter(({ source }) => source !== "claude-code");
  const own = ref.path === null ? undefined : transcriptsFolderOf(ref.path, ref.parentId);
  const isKnown = own === undefined || roots.some(({ path }) => path === own);
  const within = own === undefined ? undefined : (projectOf(own) ?? own);
  const first: SessionRoot[] = isKnown ? [] : [{ source: "transcript", path: own, ...(within ? { within } : {}) }];
  const { sessions, unreadable } = await findSessions(
    { ...where, roots: [...first, ...roots] },
    { all: true, archived: true, files },
  );
  return { root: treeOf(ref, sessions), unreadable };
}

async function claudeFamily(ref: SessionRef, where: Where, files: SessionFiles): Promise<SessionFamily> {
  const archived = await archivedBesides(where, files);
  if (ref.path === null) return { root: treeOf(ref, archived), unreadable: [] };
  const { folder, sessionId } = claudePlace(ref, ref.path);
  const { sessions, unreadable } = await scanClaudeFamily(folder, sessionId, files);
  const known = await mapFiles(sessions, (each) => withParent(each, files, unreadable));
  return { root: treeOf(ref, [...known, ...archived]), unreadable };
}

/** Returns the project's folder and the topmost session for a session's or a subagent's file. */
function claudePlace(ref: SessionRef, path: string): { folder: string; sessionId: string } {
  const names = path.split(sep);
  const place = names.lastIndexOf("subagents");
  const top = place > 1 && ref.parentId !== null ? names[place - 1] : undefined;
  if (top === undefined) return { folder: dirname(path), sessionId: ref.parentId ?? basename(path, ".jsonl") };
  return { folder: names.slice(0, place - 1).join(sep), sessionId: top };
}

/** Adds the parent to a subagent of an older version, from its content. */
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

/** Sessions of other machines than that of `top` are not below it: their parents have its id, but may have other content. */
function treeOf(top: SessionRef, sessions: readonly SessionRef[]): SessionNode {
  const isWithTop = ({ archived }: SessionRef): boolean =>
    archived === null || archived.host === (top.archived?.host ?? null);
  const oldestFirst = sessions.filter(isWithTop).toSorted((a, b) => startOf(a) - startOf(b) || (a.id < b.id ? -1 : 1));
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
