/** Guesses the type of a text from its wording. Only a hint: the person or agent who stores the snippet decides. */
import { SNIPPET_TYPES, type SnippetType } from "../store/stored-model.ts";

export interface TypeHint {
  snippet_type: SnippetType;
  /** Share of the evidence for this type, above 0 and at most 1. */
  confidence: number;
  /** Evidence as it appears in the text; at most 5. */
  because: string[];
}

interface Sign {
  pattern: RegExp;
  weight: number;
}

const SIGNS: Readonly<Record<SnippetType, readonly Sign[]>> = {
  error_reasoning: [
    { pattern: /\b(?:errors?|exceptions?|traceback|stack trace|panic(?:ked)?|segfault)\b/gi, weight: 1 },
    // `ENOENT`, `EADDRINUSE`.
    { pattern: /\bE[A-Z]{4,}\b/g, weight: 1 },
    { pattern: /\b\w*(?:Error|Exception)\b/g, weight: 1 },
    { pattern: /\b(?:fail(?:s|ed|ing|ure)?|crash(?:es|ed)?|broken?|bug)\b/gi, weight: 1 },
    { pattern: /\b(?:fix(?:es|ed)?|resolv(?:es|ed)|repaired|worked around|solved)\b/gi, weight: 1 },
    { pattern: /\b(?:caused by|because of a|the (?:cause|problem|issue|culprit) (?:is|was))\b/gi, weight: 2 },
    { pattern: /^! .+ failed \(line \d+\)/gm, weight: 3 },
    { pattern: /\bexit (?:code|status) [1-9]/gi, weight: 1 },
  ],
  decision_rationale: [
    {
      pattern: /\b(?:decid(?:es?|ed|ing)|decision|chos(?:e|en)|choos(?:e|ing)|opt(?:ed)? for|went with|go with)\b/gi,
      weight: 2,
    },
    { pattern: /\b(?:instead of|rather than|in favou?r of|as opposed to|over the alternative)\b/gi, weight: 2 },
    {
      pattern: /\b(?:alternatives?|trade-?offs?|pros and cons|options? (?:[A-D1-4]|are|were)|approach(?:es)?)\b/gi,
      weight: 1,
    },
    { pattern: /\b(?:advantages?|drawbacks?|downsides?|simpler|worth it|compared (?:to|with))\b/gi, weight: 1 },
    { pattern: /\b(?:because|since|so that|the reason)\b/gi, weight: 0.5 },
  ],
  learning_pattern: [
    { pattern: /\b(?:learn(?:ed|t)|lessons?|takeaways?|insights?|turns out|key finding)\b/gi, weight: 2 },
    { pattern: /\b(?:always|never|whenever|every time|from now on|in general|as a rule)\b/gi, weight: 1.5 },
    { pattern: /\b(?:patterns?|convention|best practice|technique|rule of thumb|guideline|reusable)\b/gi, weight: 1 },
    {
      pattern: /\b(?:must (?:be|not|always)|should (?:always|never)|make sure|remember|note that|beware|gotcha)\b/gi,
      weight: 1,
    },
    { pattern: /\b(?:root cause|the key is|the trick is|important to)\b/gi, weight: 1.5 },
  ],
};

/** Maximum number of times that a sign counts. */
const MAX_COUNT = 3;
const MIN_SCORE = 2;
const MAX_SHOWN = 5;

/** Returns undefined if there is no evidence for any type, or equal evidence for two. */
export function detectSnippetType(content: string): TypeHint | undefined {
  const scored = SNIPPET_TYPES.map((type) => ({ type, ...scoreOf(content, SIGNS[type]) }));
  const [best, second] = scored.toSorted((a, b) => b.score - a.score);
  if (best === undefined || best.score < MIN_SCORE || best.score === second?.score) return undefined;
  const total = scored.reduce((sum, { score }) => sum + score, 0);
  return {
    snippet_type: best.type,
    confidence: Math.round((best.score / total) * 100) / 100,
    because: best.found.slice(0, MAX_SHOWN),
  };
}

function scoreOf(content: string, signs: readonly Sign[]): { score: number; found: string[] } {
  let score = 0;
  const found = new Set<string>();
  for (const { pattern, weight } of signs) {
    const matches = content.match(pattern) ?? [];
    score += Math.min(matches.length, MAX_COUNT) * weight;
    for (const match of matches.slice(0, MAX_COUNT)) found.add(match.toLowerCase().slice(0, 40));
  }
  return { score, found: [...found] };
}

export const SNIPPET_TYPE_MEANINGS: Readonly<Record<SnippetType, string>> = {
  error_reasoning: "Why an error occurred, what was tried, and how it was resolved.",
  decision_rationale: "Why a particular approach was chosen, and what the alternatives were.",
  learning_pattern: "A pattern, technique or rule that will be of use again.",
};
