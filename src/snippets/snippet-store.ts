import type { SnippetType, StoredSnippet } from "../store/model.ts";
import { keepSnippet } from "./extract-snippet.ts";
import type { ExtractSnippetInput, QuerySnippetsInput } from "./input.ts";
import { querySnippets, shown, type QuerySnippetsOutput } from "./query-snippets.ts";
import { knownSessionId } from "./session-lookup.ts";
import type { SnippetSetting } from "./setting.ts";
import { SnippetError } from "./snippet-error.ts";

const DAY_MS = 86_400_000;
const MAX_DAYS = 36_500;

/**
 * Snippets over a store, for programs. All methods reject with a `SnippetError` that names the field for what they are
 * given, and with a `StoreError` for what happens to the store.
 */
export class SnippetStore {
  readonly #setting: SnippetSetting;

  constructor(setting: SnippetSetting) {
    this.#setting = setting;
  }

  /** The snippet as it is stored: redacted, with word count and reading time; of the same content once. */
  async insertSnippet(input: ExtractSnippetInput): Promise<StoredSnippet> {
    return shown((await keepSnippet(this.#setting, input)).snippet);
  }

  /** Newest first; 50 unless `limit` says otherwise, at most 500. */
  querySnippets(input: QuerySnippetsInput = {}): Promise<QuerySnippetsOutput> {
    return querySnippets(this.#setting, input);
  }

  /** Of one session, or of all. All three types, zeros too. */
  async countByType(sessionId?: string): Promise<Record<SnippetType, number>> {
    const { store } = this.#setting;
    if (sessionId === undefined) return store.countSnippets();
    return store.countSnippets(await knownSessionId(this.#setting, sessionId));
  }

  /** Deletes snippets that were made more than so many days before `now`. */
  async cleanupOldSnippets(retentionDays: number, now: Date = new Date()): Promise<{ deleted: number }> {
    const deleted = await this.#setting.store.deleteSnippetsBefore(retentionStart(retentionDays, now));
    return { deleted };
  }
}

/** Since when snippets are kept. Throws a `SnippetError`: days are whole and above 0. */
export function retentionStart(retentionDays: number, now: Date): Date {
  if (Number.isInteger(retentionDays) && retentionDays >= 1 && retentionDays <= MAX_DAYS) {
    return new Date(now.getTime() - retentionDays * DAY_MS);
  }
  const problem = `${String(retentionDays)} is not allowed.`;
  throw new SnippetError("invalid", "retentionDays", problem, `Give a whole number of days from 1 to ${MAX_DAYS}.`);
}
