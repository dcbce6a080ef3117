/** Finding snippets again. */
import type { StoredSnippet } from "../store/model.ts";
import { DEFAULT_LIMIT, readQueryInput, type QuerySnippetsInput } from "./input.ts";
import { knownSessionId } from "./session-lookup.ts";
import type { SnippetSetting } from "./setting.ts";

export interface QuerySnippetsOutput {
  success: true;
  /** Newest first. */
  snippets: StoredSnippet[];
  /** All that match, whatever `limit` and `offset` are. */
  total_count: number;
  /** There are more after these. */
  has_more: boolean;
}

/**
 * The snippets that match all filters that are given. Throws a `SnippetError` that names the field, also for a session
 * that neither the store nor this machine has, or a `StoreError`.
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
    ...withoutUndefined(filters),
    ...(session_id === undefined ? {} : { session_id: await knownSessionId(setting, session_id) }),
    limit,
    offset,
  });
  const has_more = offset + snippets.length < total_count;
  return { success: true, snippets: snippets.map(shown), total_count, has_more };
}

/** Without what only finds near-duplicates. */
export function shown(snippet: StoredSnippet): StoredSnippet {
  const metadata = Object.fromEntries(Object.entries(snippet.metadata).filter(([name]) => name !== "signature"));
  return { ...snippet, metadata };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(value: T): Defined<T> {
  const defined: Defined<T> = { ...value };
  for (const key of Object.keys(defined))
    if (Reflect.get(defined, key) === undefined) Reflect.deleteProperty(defined, key);
  return defined;
}
