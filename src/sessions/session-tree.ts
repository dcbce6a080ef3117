import { reasonOf } from "./reasons.ts";
import type { SessionNode } from "./session-family.ts";
import { FigureSum, type SessionFigures, type SessionTotals } from "./session-figures.ts";
import type { SessionRef } from "./session-ref.ts";

export interface SessionTree {
  ref: SessionRef;
  /** Id of the call that started it; null of the topmost, and if no call names it. */
  startedBy: string | null;
  /** Why it could not be read. Its own totals are then 0. */
  problem: string | null;
  /** Of what its own file holds. */
  alone: SessionTotals;
  /**
   * With all below it. A message that stands in several files (forks, the sidechains of a compaction) is counted once,
   * so this can be less than the sum of the parts.
   */
  withBelow: SessionTotals;
  children: SessionTree[];
}

/** A node whose session was read. */
interface ReadNode {
  ref: SessionRef;
  figures: SessionFigures;
  problem: string | null;
  parent: ReadNode | undefined;
  children: ReadNode[];
  startedBy: string | null;
}

/**
 * The totals of a session and of all below it. `figuresOfSession` reads one session (see `figuresOf`); it is called for
 * each once, one after the other, and where it rejects the node says so. A subagent is put under the one whose call
 * started it, which only the content tells where a program lays all subagents of a session in one folder.
 */
export async function sessionTree(
  family: SessionNode,
  figuresOfSession: (ref: SessionRef) => Promise<SessionFigures>,
): Promise<SessionTree> {
  const nodes: ReadNode[] = [];
  const root = await readNode(family, undefined, figuresOfSession, nodes);
  linkCalls(nodes);
  return totalled(root).tree;
}

async function readNode(
  { ref, children }: SessionNode,
  parent: ReadNode | undefined,
  figuresOfSession: (ref: SessionRef) => Promise<SessionFigures>,
  nodes: ReadNode[],
): Promise<ReadNode> {
  const node: ReadNode = {
    ref,
    figures: { messages: [], started: [] },
    problem: null,
    parent,
    children: [],
    startedBy: null,
  };
  nodes.push(node);
  try {
    node.figures = await figuresOfSession(ref);
  } catch (error) {
    node.problem = reasonOf(error);
  }
  for (const child of children) node.children.push(await readNode(child, node, figuresOfSession, nodes));
  return node;
}

function linkCalls(nodes: readonly ReadNode[]): void {
  const byId = new Map(nodes.flatMap((node) => idsOf(node.ref).map((id) => [id, node] as const)));
  // A parent's own word goes first: the sidechain of a compaction repeats calls that are not its own.
  for (const node of nodes) {
    for (const { id, toolUseId } of node.figures.started) {
      const child = byId.get(id);
      if (child?.parent === node) child.startedBy ??= toolUseId;
    }
  }
  for (const node of nodes) {
    for (const { id, toolUseId } of node.figures.started) {
      const child = byId.get(id);
      if (child?.parent === undefined || child.startedBy !== null || isBelow(node, child)) continue;
      child.startedBy = toolUseId;
      child.parent.children = child.parent.children.filter((other) => other !== child);
      child.parent = node;
      node.children.push(child);
    }
  }
}

function idsOf({ id, agentId }: SessionRef): string[] {
  return agentId === null ? [id] : [id, agentId];
}

/** Whether a node is the other one or stands below it. */
function isBelow(node: ReadNode, top: ReadNode): boolean {
  for (let at: ReadNode | undefined = node; at !== undefined; at = at.parent) {
    if (at === top) return true;
  }
  return false;
}

function totalled({ ref, figures, problem, startedBy, children }: ReadNode): { tree: SessionTree; sum: FigureSum } {
  const sum = new FigureSum();
  sum.add(figures.messages);
  const alone = sum.totals();
  const below = children.map(totalled);
  for (const child of below) sum.add(child.sum.messages());
  const tree = { ref, startedBy, problem, alone, withBelow: sum.totals(), children: below.map((child) => child.tree) };
  return { tree, sum };
}
