/** A passage of a session, and whether it is worth keeping as a snippet. How they were made: README.md. */
export interface SnippetLabel {
  /** Path below the corpus. */
  file: string;
  /** First and last line of the file, from 1, both included. */
  lines: readonly [from: number, to: number];
  worth: boolean;
  /** Of what is worth keeping; `null` for all else. */
  type: SnippetLabelType | null;
  /** One sentence: what would be lost, or why nothing would. */
  why: string;
}

export type SnippetLabelType = "error_reasoning" | "decision_rationale" | "learning_pattern";

export function keep(
  type: SnippetLabelType,
  file: string,
  lines: readonly [from: number, to: number],
  why: string,
): SnippetLabel {
  return { file, lines, worth: true, type, why };
}

export function pass(file: string, lines: readonly [from: number, to: number], why: string): SnippetLabel {
  return { file, lines, worth: false, type: null, why };
}
