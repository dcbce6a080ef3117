import { agentAt, agentNamed } from "../agents/registry.ts";
import { isAbsent, isReadFault, reasonOf } from "../places/reasons.ts";
import { isWithin } from "../transcript/files/data-folder.ts";
import { completedBy, findSessions, sessionRoots } from "./find-sessions.ts";
import { mapFiles, nodeSessionFiles, type SessionFiles } from "../places/session-files.ts";
import { readHead } from "./file-ref.ts";
import { type SessionRef, type Place, type Unreadable, type Where } from "../places/session-ref.ts";

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
 * Returns a session with all sessions below it, at any depth: those of its place (see `Agent.placeOf`), and of all places with
 * forms if it may have some. With `where.archive`, also those that only our store has. A subagent is in the tree once, even if
 * parents form a cycle.
 */
export async function sessionFamily(
  ref: SessionRef,
  where: Where,
  files: SessionFiles = nodeSessionFiles,
): Promise<SessionFamily> {
  const agent = agentAt(ref);
  if (agent === undefined) return { root: { ref, children: [] }, unreadable: [] };
  const { hasForms } = agent;
  const mayHave = ({ agent: name }: Place): boolean =>
    hasForms ? agentNamed(name)?.hasForms === true : name === agent.name;
  const roots = (await sessionRoots(where, files)).filter(mayHave);
  const own = ref.path === null ? undefined : agent.placeOf?.(ref.path, ref);
  // Without other forms, all of a session is in one place. The others only show which sessions of the store are nowhere
  // else.
  const others = !hasForms && own !== undefined && where.archive === undefined ? [] : roots;
  const first = own === undefined || (hasForms && roots.some(({ path }) => path === own.path)) ? [] : [own];
  const searched = await findSessions({ ...where, roots: [...first, ...others] }, { files });
  const found = await completedBy(where, searched, (session) => session.parent_id !== null);
  if (hasForms) return { root: treeOf(ref, found.sessions), unreadable: found.unreadable };
  const isInPlace = (path: string): boolean => own === undefined || isWithin(own.path, path);
  const unreadable = found.unreadable.filter(({ path }) => isInPlace(path));
  const known = await mapFiles(found.sessions, async (each) => {
    if (each.path === null || !isInPlace(each.path)) return each;
    // The label is that of the place below the root that was searched.
    const member = own === undefined ? each : { ...each, projectLabel: ref.projectLabel };
    // What was last written before the session began is not below it.
    const mayBeBelow = ref.startedMs === null || each.modifiedMs >= ref.startedMs;
    if (!mayBeBelow || each.parentId !== null || agent.isParentInContent?.(each) !== true) return member;
    try {
      return { ...member, parentId: (await readHead(each, files)).parentId };
    } catch (error) {
      if (!isReadFault(error)) throw error;
      if (!isAbsent(error.cause)) unreadable.push({ path: each.path, reason: reasonOf(error.cause) });
      return member;
    }
  });
  const ids = new Set(known.map(({ id }) => id));
  const parts = ref.archived === null ? ((await agent.parts?.(ref, files)) ?? []) : [];
  return { root: treeOf(ref, [...known, ...parts.filter(({ id }) => !ids.has(id))]), unreadable };
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
