/** A question that somebody asks of old sessions, and the passages that answer it. How they were made: README.md. */
export interface RankingLabel {
  /** In full, as it would be asked of a person. */
  question: string;
  /** What is typed into a search box for it: 1 to 5 words. */
  query: string;
  /** What somebody types who remembers less of it. */
  halfRemembered?: string;
  filters?: RankingFilters;
  /** Every passage in the corpus that answers the question. A hit is right if its line is in one of them. */
  answers: readonly RankingAnswer[];
}

export interface RankingFilters {
  role?: "user" | "assistant" | "tool";
  tool?: string;
  errors?: true;
}

export interface RankingAnswer {
  /** Path below the corpus. */
  file: string;
  /** First and last line of the file, or messages of an opencode export, from 1, both included. */
  lines: readonly [from: number, to: number];
}

export function passage(file: string, from: number, to = from): RankingAnswer {
  return { file, lines: [from, to] };
}
