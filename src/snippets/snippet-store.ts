/** Stores, finds and deletes snippets, for programs that use the library. */
import { given } from "../given.ts";
import type { SnippetType, StoredSnippet } from "../store/stored-model.ts";
import { extractSnippet } from "./extract-snippet.ts";
import { DEFAULT_LIMIT, type ExtractSnippetInput, type QuerySnippetsInput, readQueryInput } from "./snippet-input.ts";
import { knownSessionId, type SnippetSetting } from "./session-lookup.ts";
import { fieldError } from "../transcripts-error.ts";

const DAY_MS = 86_400_000;
const MAX_DAYS = 36_500;

/**
 * Programmatic access to the snippets of a store. All methods reject with a `TranscriptsError`, which names the field
 * unless the store fails.
 */
export class SnippetStore {
  readonly #setting: SnippetSetting;

  constructor(setting: SnippetSetting) {
    this.#setting = setting;
  }

  /**
   * Stores a snippet, redacted and with word count and reading time, and returns it. The same content is stored once.
   */
  async insertSnippet(input: ExtractSnippetInput): Promise<StoredSnippet> {
    const { snippet_id: id } = await extractSnippet(this.#setting, input);
    const snippet = await this.#setting.store.snippet(id);
    if (snippet === undefined) throw new Error(`Snippet ${id} was deleted as soon as it was stored.`);
    return snippet;
  }

  /** Returns snippets newest first; 50 unless `limit` says otherwise, at most 500. */
  querySnippets(input: QuerySnippetsInput = {}): Promise<QuerySnippetsOutput> {
    return querySnippets(this.#setting, input);
  }

  /** Returns counts for one session or all, for all three types, including zeros. */
  async countByType(sessionId?: string): Promise<Record<SnippetType, number>> {
    const { store } = this.#setting;
    if (sessionId === undefined) return store.countSnippets();
    return store.countSnippets(await knownSessionId(this.#setting, sessionId));
  }

  /** Deletes snippets created more than `retentionDays` days before `now`. */
  async cleanupOldSnippets(retentionDays: number, now: Date = new Date()): Promise<{ deleted: number }> {
    const deleted = await this.#setting.store.deleteSnippetsBefore(retentionStart(retentionDays, now));
    return { deleted };
  }
}

/**
 * Returns the time before which snippets are deleted. Throws a `TranscriptsError` unless the days are a whole number
 * above 0.
 */
export function retentionStart(retentionDays: number, now: Date): Date {
  if (Number.isInteger(retentionDays) && retentionDays >= 1 && retentionDays <= MAX_DAYS) {
    return new Date(now.getTime() - retentionDays * DAY_MS);
  }
  const problem = `${String(retentionDays)} is not allowed.`;
  throw fieldError("invalid", "retentionDays", problem, `Give a whole number of days from 1 to ${MAX_DAYS}.`);
}

export interface QuerySnippetsOutput {
  success: true;
  snippets: StoredSnippet[];
  /** Number of all matches, regardless of `limit` and `offset`. */
  total_count: number;
  has_more: boolean;
}

/**
 * Returns the snippets that match all given filters. Throws a `TranscriptsError`, which names the field unless the
 * store fails, also for a session that neither the store nor this machine has.
 */
export async function querySnippets(
  setting: SnippetSetting,
  raw: QuerySnippetsInput = {},
): Promise<QuerySnippetsOutput> {
  const {
    session_id,
    limit = DEFAULT_LIMIT,
    offset = 0,
    start_date: _s,
    end_date: _e,
    ...filters
  } = readQueryInput(raw);
  const { snippets, total_count } = await setting.store.querySnippets({
    ...given(filters),
    ...(session_id === undefined ? {} : { session_id: await knownSessionId(setting, session_id) }),
    limit,
    offset,
  });
  const has_more = offset + snippets.length < total_count;
  return { success: true, snippets, total_count, has_more };
}
