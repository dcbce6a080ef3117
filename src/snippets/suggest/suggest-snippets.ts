/** Snippets that a session may be worth, with their evidence. */
import { createRedactor, type Redactor } from "../../redact/redactor.ts";
import { MIN_CONTENT_BYTES } from "../../store/model.ts";
import { candidatesIn } from "./candidates.ts";
import type { ConversationRows } from "./conversation.ts";
import { suggestionOf, type SnippetSuggestion } from "./suggestion.ts";

export type { SnippetSuggestion } from "./suggestion.ts";

export interface SuggestOptions {
  /** Default: the package's own. */
  redactor?: Redactor;
  /** The file, for the citation. */
  file?: string | null;
  /** At most so many, those with the highest scores. Default 8. */
  limit?: number;
}

const DEFAULT_LIMIT = 8;

/**
 * Proposes what of a session is worth keeping: errors with what mended them, decisions with their reasons, lessons. Few
 * and good ones rather than many; the same for the same session, by rules that `reason` tells, without a model. In order
 * of their lines.
 *
 * Most rules look at what was done and at the names of things in code, so they hold in any language; those that know
 * ways of speaking know English.
 */
export async function suggestSnippets(
  result: ConversationRows & { session_id: string },
  options: SuggestOptions = {},
): Promise<SnippetSuggestion[]> {
  const suggestions = new SuggestionList(result.session_id, options);
  await suggestions.add(result);
  return suggestions.best();
}

/** Suggestions of a session that comes in parts. Of each part only what is suggested stays. */
export class SuggestionList {
  readonly #sessionId: string;
  readonly #redactor: Redactor;
  readonly #file: string | null;
  readonly #limit: number;
  #kept: SnippetSuggestion[] = [];

  constructor(sessionId: string, { redactor = createRedactor(), file = null, limit = DEFAULT_LIMIT }: SuggestOptions) {
    this.#sessionId = sessionId;
    this.#redactor = redactor;
    this.#file = file;
    this.#limit = limit;
  }

  async add(part: ConversationRows): Promise<void> {
    const earlier = this.#kept;
    const found: SnippetSuggestion[] = [];
    for (const candidate of candidatesIn(part).slice(0, this.#limit)) {
      const suggestion = await suggestionOf(candidate, this.#sessionId, this.#file, this.#redactor);
      if (Buffer.byteLength(suggestion.content) >= MIN_CONTENT_BYTES) found.push(suggestion);
    }
    // What two parts have in common is found in both; the better one may have more of it.
    const fresh = found.filter((each) => !earlier.some((known) => known.score >= each.score && isSame(known, each)));
    const left = earlier.filter((known) => !fresh.some((each) => isSame(known, each)));
    const best = [...left, ...fresh].toSorted(
      (one, other) => other.score - one.score || one.line_start - other.line_start,
    );
    this.#kept = best.slice(0, this.#limit);
  }

  best(): SnippetSuggestion[] {
    return this.#kept.toSorted((a, b) => a.line_start - b.line_start || a.line_end - b.line_end);
  }
}

/** Whether they have a line in common, of suggestions from different parts. */
function isSame(one: SnippetSuggestion, other: SnippetSuggestion): boolean {
  const lines = new Set(one.evidence.flatMap(({ line, role }) => (role === "context" ? [] : [line])));
  return other.evidence.some(({ line, role }) => role !== "context" && lines.has(line));
}
