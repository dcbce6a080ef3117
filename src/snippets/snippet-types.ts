/** What the three types of snippets are for. */
import type { SnippetType } from "../store/model.ts";

export const SNIPPET_TYPE_MEANINGS: Readonly<Record<SnippetType, string>> = {
  error_reasoning: "Why an error occurred, what was tried, and how it was resolved.",
  decision_rationale: "Why a particular approach was chosen, and what the alternatives were.",
  learning_pattern: "A pattern, technique or rule that will be of use again.",
};
