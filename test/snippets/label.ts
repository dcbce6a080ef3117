/** A passage of a session, and whether it is worth keeping as a snippet. How they were made: README.md. */
import type { SnippetType } from "../../src/store/stored-model.ts";

export interface SnippetLabel {
  /** Path below the folder with the sessions. */
  file: string;
  /** First and last line of the file, from 1, both included. */
  lines: readonly [from: number, to: number];
  /** Null: not worth keeping. */
  type: SnippetType | null;
  /** One sentence: what would be lost, or why nothing would. */
  why: string;
}

export function keep(type: SnippetType, file: string, lines: SnippetLabel["lines"], why: string): SnippetLabel {
  return { file, lines, type, why };
}

export function pass(file: string, lines: SnippetLabel["lines"], why: string): SnippetLabel {
  return { file, lines, type: null, why };
}
