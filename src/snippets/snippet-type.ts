/** Guesses the type of a text from its wording. Only a hint: the person or agent who stores the snippet decides. */
import { SNIPPET_TYPES, type SnippetType } from "../store/stored-model.ts";

export interface TypeHint {
  snippet_type: SnippetType;
  /** This type's share of the words found for any type, above 0 and at most 1. */
  confidence: number;
  /** The words found for it, at most 5. */
  because: string[];
}

/** Words that are typical of each type. */
const SIGNS: Readonly<Record<SnippetType, readonly RegExp[]>> = {
  error_reasoning: [
    /\b(?:errors?|exceptions?|traceback|stack trace|panic(?:ked)?|segfault|fail(?:s|ed|ing|ures?)?|crash(?:es|ed)?|broken?|bug|fix(?:es|ed)?|resolv(?:es|ed)|worked around|caused by|the (?:cause|problem|issue|culprit) (?:is|was)|exit (?:code|status) [1-9])\b/gi,
    // `TypeError`, `ENOENT`
    /\b(?:\w+(?:Error|Exception)|E[A-Z]{4,})\b/g,
  ],
  decision_rationale: [
    /\b(?:decid(?:es?|ed|ing)|decision|chos(?:e|en)|choos(?:e|ing)|opt(?:ed)? for|went with|instead of|rather than|in favou?r of|alternatives?|trade-?offs?|pros and cons|approach(?:es)?|advantages?|drawbacks?|downsides?|compared (?:to|with)|because|the reason)\b/gi,
  ],
  learning_pattern: [
    /\b(?:learn(?:ed|t)|lessons?|takeaways?|insights?|turns out|always|never|whenever|every time|from now on|in general|as a rule|patterns?|convention|best practice|technique|rule of thumb|guideline|make sure|remember|beware|gotcha|the (?:key|trick) is)\b/gi,
  ],
};

/** Minimum number of different words. */
const MIN_WORDS = 2;
const MAX_SHOWN = 5;

/** Returns undefined if there is no evidence for any type, or equal evidence for two. */
export function detectSnippetType(content: string): TypeHint | undefined {
  const found = SNIPPET_TYPES.map((type) => ({ type, words: wordsFor(type, content) }));
  const [best, second] = found.toSorted((a, b) => b.words.length - a.words.length);
  if (best === undefined || best.words.length < MIN_WORDS || best.words.length === second?.words.length)
    return undefined;
  const total = found.reduce((sum, { words }) => sum + words.length, 0);
  return {
    snippet_type: best.type,
    confidence: Math.round((best.words.length / total) * 100) / 100,
    because: best.words.slice(0, MAX_SHOWN),
  };
}

function wordsFor(type: SnippetType, content: string): string[] {
  const words = SIGNS[type].flatMap((sign) => content.match(sign) ?? []);
  return [...new Set(words.map((word) => word.toLowerCase().slice(0, 40)))];
}

export const SNIPPET_TYPE_MEANINGS: Readonly<Record<SnippetType, string>> = {
  error_reasoning: "Why an error occurred, what was tried, and how it was resolved.",
  decision_rationale: "Why a particular approach was chosen, and what the alternatives were.",
  learning_pattern: "A pattern, technique or rule that will be of use again.",
};
