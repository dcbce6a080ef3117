import type { SnippetType } from "../../store/model.ts";
import type { Said } from "./conversation.ts";

/**
 * What an entry is to a suggestion. `context` is what it is about and need not be in its lines, such as the prompt
 * before a decision.
 */
export type EvidenceRole =
  | "context"
  | "reported"
  | "failed"
  | "tried"
  | "explained"
  | "changed"
  | "succeeded"
  | "concluded"
  | "offered"
  | "chosen"
  | "corrected";

export interface Evidence {
  said: Said;
  role: EvidenceRole;
  /** The line of a long text that matters, which is shown with what stands around it. */
  focus?: string | undefined;
}

/** Something that may be worth keeping, before it becomes text. */
export interface Candidate {
  snippet_type: SnippetType;
  title: string;
  /** From 0 to 1. */
  score: number;
  /** Why it was picked, in one sentence. */
  reason: string;
  /** What it consists of, in any order. */
  evidence: Evidence[];
}

/** Below this nothing is suggested. */
export const MIN_SCORE = 0.55;

export function bounded(score: number): number {
  return Math.round(Math.min(Math.max(score, 0), 1) * 100) / 100;
}

/** The same role for all that there are. */
export function evidenceOf(role: EvidenceRole, ...said: readonly (Said | undefined)[]): Evidence[] {
  return said.flatMap((each) => (each === undefined ? [] : [{ said: each, role }]));
}

/** Without the context: in order, each once. */
export function core({ evidence }: Pick<Candidate, "evidence">): Said[] {
  const said = new Set(evidence.filter(({ role }) => role !== "context").map((each) => each.said));
  return [...said].toSorted((a, b) => a.at - b.at);
}
