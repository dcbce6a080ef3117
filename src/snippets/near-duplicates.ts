/** Finds snippets with the same or nearly the same content. */
import type { StoredSnippet } from "../store/stored-model.ts";
import type { NewSnippet, Store } from "../store/store.ts";

export interface SimilarSnippet {
  snippet_id: string;
  session_id: string;
  title: string;
  /** Share of their word sequences that both contain, from 0.7 to 1. */
  likeness: number;
}

/** Number of snippets compared, both of the session's newest and of the type's: a bound, however many there are. */
const LOOKED_AT = 50;
const MAX_SIMILAR = 5;
const NEAR_DUPLICATE = 0.7;
/** Contents whose lengths differ more than this are not compared. */
const MIN_LENGTH_RATIO = 0.5;
const SHINGLE_WORDS = 3;
const WORDS = /[\p{L}\p{N}_]+/gu;

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
  const shingles = shinglesOf(content);
  return [...looked.values()]
    .filter(
      ({ content: other }) =>
        Math.min(content.length, other.length) >= MIN_LENGTH_RATIO * Math.max(content.length, other.length),
    )
    .map(({ snippet_id, session_id, title, content: other }) => ({
      snippet_id,
      session_id,
      title,
      likeness: other === content ? 1 : Math.round(likeness(shingles, shinglesOf(other)) * 100) / 100,
    }))
    .filter(({ likeness }) => likeness >= NEAR_DUPLICATE)
    .toSorted((a, b) => b.likeness - a.likeness || (a.snippet_id < b.snippet_id ? -1 : 1))
    .slice(0, MAX_SIMILAR);
}

/** Returns the share of three-word sequences that both contain: 1 for the same words in the same order. */
export function likeness(first: ReadonlySet<string>, second: ReadonlySet<string>): number {
  let common = 0;
  for (const shingle of first) if (second.has(shingle)) common += 1;
  return common === 0 ? 0 : common / (first.size + second.size - common);
}

/** Returns all three-word sequences; for fewer than three words, all of them together. */
export function shinglesOf(content: string): Set<string> {
  const words = content.toLowerCase().match(WORDS) ?? [];
  const shingles = new Set<string>();
  const last = Math.max(words.length - SHINGLE_WORDS, 0);
  for (let at = 0; at <= last && words.length > 0; at++) {
    shingles.add(words.slice(at, at + SHINGLE_WORDS).join(" "));
  }
  return shingles;
}
