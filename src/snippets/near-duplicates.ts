/** Finds snippets with the same or nearly the same content. */
import { textLikeness } from "../fixes/likeness.ts";
import type { StoredSnippet } from "../store/stored-model.ts";
import type { NewSnippet, Store } from "../store/store.ts";

export interface SimilarSnippet {
  snippet_id: string;
  session_id: string;
  title: string;
  /** Share of their words that they have in common, from 0.7 to 1. */
  likeness: number;
}

/** Number of snippets compared, both of the session's newest and of the type's: a bound, however many there are. */
const LOOKED_AT = 50;
const MAX_SIMILAR = 5;
const NEAR_DUPLICATE = 0.7;

/** Returns the oldest snippet of a session with this content. */
export async function identicalSnippet(
  store: Store,
  { session_id, content }: Pick<NewSnippet, "session_id" | "content">,
): Promise<StoredSnippet | undefined> {
  const { snippets } = await store.querySnippets({ session_id, content, limit: LOOKED_AT, offset: 0 });
  return snippets.at(-1);
}

/** Returns the most similar snippets, most similar first; at most 5. */
export async function similarSnippets(
  store: Store,
  { session_id, snippet_type, content }: Pick<NewSnippet, "session_id" | "snippet_type" | "content">,
): Promise<SimilarSnippet[]> {
  const ofSession = await store.querySnippets({ session_id, limit: LOOKED_AT, offset: 0 });
  const ofType = await store.querySnippets({ snippet_type, limit: LOOKED_AT, offset: 0 });
  const looked = new Map([...ofSession.snippets, ...ofType.snippets].map((each) => [each.snippet_id, each]));
  return [...looked.values()]
    .map(({ snippet_id, session_id, title, content: other }) => ({
      snippet_id,
      session_id,
      title,
      likeness: Math.round(textLikeness(content, other) * 100) / 100,
    }))
    .filter(({ likeness }) => likeness >= NEAR_DUPLICATE)
    .toSorted((a, b) => b.likeness - a.likeness || (a.snippet_id < b.snippet_id ? -1 : 1))
    .slice(0, MAX_SIMILAR);
}
