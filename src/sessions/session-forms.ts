/**
 * One session in several forms: in its agent's own store, which may have copies, in our JSONL and markdown, in an export.
 * Ids of agents that have forms are unique, so those with the same id are one session. The first form that can be read answers.
 */
import { extname } from "node:path";
import { agentAt } from "../agents/registry.ts";
import { isReadFault } from "../places/reasons.ts";
import { pathOf, type SessionRef } from "../places/session-ref.ts";

/** Joins the forms of each session into one ref, with the others as its alternatives, in order of preference. */
export function joinForms(refs: readonly SessionRef[]): SessionRef[] {
  if (!refs.some(mayHaveForms)) return [...refs];
  const joined: SessionRef[] = [];
  const forms: SessionRef[] = [];
  for (const ref of refs) {
    if (mayHaveForms(ref)) forms.push({ ...ref, alternatives: [] }, ...ref.alternatives);
    else joined.push(ref);
  }
  for (const same of Map.groupBy(forms, ({ id }) => id).values()) {
    const ordered = [...new Map(same.map((form) => [pathOf(form), form])).values()].toSorted(byPreference);
    const [first, ...others] = ordered;
    if (first !== undefined) joined.push(others.reduce(completedBy, { ...first, alternatives: others }));
  }
  return joined;
}

/** Reads a session in its first form that can be read. Rejects with the error of the preferred form if none can. */
export async function inFirstForm<Result>(
  ref: SessionRef,
  read: (form: SessionRef) => Promise<Result>,
): Promise<Result> {
  let fault: unknown;
  for (const form of [ref, ...ref.alternatives]) {
    try {
      return await read({ ...form, labelTitle: ref.labelTitle });
    } catch (error) {
      if (!isReadFault(error)) throw error;
      fault ??= error;
    }
  }
  throw fault;
}

/** Returns whether a session may be in several forms; any file may be one. */
export function mayHaveForms({ place }: { place: SessionRef["place"] }): boolean {
  const agent = agentAt({ place });
  return agent === undefined ? place !== "stdin" : agent.hasForms === true;
}

function byPreference(a: SessionRef, b: SessionRef): number {
  return rankOf(a) - rankOf(b) || byProgress(a, b);
}

/** Orders copies of a session: the one that went on comes first. Files only grow, and a copy may have any time. */
export function byProgress(a: SessionRef, b: SessionRef): number {
  return (b.bytes ?? 0) - (a.bytes ?? 0) || saidMs(b) - saidMs(a) || b.modifiedMs - a.modifiedMs;
}

function rankOf({ place, database, path }: SessionRef): number {
  if (database !== null) return 0;
  if (place === "file") return 3;
  return extname(path ?? "") === ".jsonl" ? 1 : 2;
}

/** A copy that was only renamed or archived since has a newer time, and no newer message. */
function saidMs({ modifiedMs, lastMs }: SessionRef): number {
  return lastMs ?? modifiedMs;
}

/** Adds fields that only another form has. */
function completedBy(first: SessionRef, other: SessionRef): SessionRef {
  return {
    ...first,
    agent: first.agent ?? other.agent,
    project: first.project ?? other.project,
    projectLabel: first.projectLabel || other.projectLabel,
    parentId: first.parentId ?? other.parentId,
    title: first.title ?? other.title,
    startedMs: first.startedMs ?? other.startedMs,
  };
}
