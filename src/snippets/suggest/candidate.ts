import type { SnippetType } from "../../store/model.ts";
import type { Said } from "./conversation.ts";

/** Something that may be worth keeping, before it becomes text. */
export interface Candidate {
  snippet_type: SnippetType;
  title: string;
  /** From 0 to 1. */
  score: number;
  /** Why it was picked, in one sentence. */
  reason: string;
  /** What it consists of, in order. */
  evidence: Said[];
  /** What it is about, which need not be in its lines: the prompt that it answers. */
  context: Said[];
}

/** Below this nothing is suggested. */
export const MIN_SCORE = 0.55;

export function bounded(score: number): number {
  return Math.round(Math.min(Math.max(score, 0), 1) * 100) / 100;
}
