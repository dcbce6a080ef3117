/** Snippets that say the same, or nearly. */
import type { StoredSnippet } from "../store/model.ts";
import { storableText } from "../store/storable.ts";
import type { NewSnippet, Store } from "../store/store.ts";
import { estimatedLikeness, likeness, NEAR_DUPLICATE } from "./likeness.ts";

export interface SimilarSnippet {
  snippet_id: string;
  session_id: string;
  title: string;
  /** Share of their word sequences that both have, from 0.7 to 1. */
  likeness: number;
}

/** Snippets that are looked at: the newest of the session, and the newest of the type. A bound, whatever the store holds. */
const LOOKED_AT = 50;
/** The store looks for a part of a content: the whole takes as long as it is. */
const PROBE_CHARS = 40;
const MAX_SIMILAR = 5;
/** An estimate may be so much too low. */
const DOUBT = 0.15;

/** The snippet of the same session with the very same content. */
export async function identicalSnippet(
  store: Store,
  { session_id, content }: Pick<NewSnippet, "session_id" | "content">,
): Promise<StoredSnippet | undefined> {
  const stored = storableText(content);
  // From the middle, as contents of a session begin alike.
  const middle = Math.floor(stored.length / 2);
  const probe = storableText(stored.slice(middle, middle + PROBE_CHARS)).replaceAll("\ufffd", "");
  const { snippets } = await store.querySnippets({
    session_id,
    ...(probe !== "" && stored.includes(probe) ? { keyword: probe } : {}),
    limit: LOOKED_AT,
    offset: 0,
  });
  return snippets.findLast(({ content }) => content === stored);
}

/** Those that have most in common with it, the likest first; at most 5. */
export async function similarSnippets(
  store: Store,
  { session_id, snippet_type, content }: Pick<NewSnippet, "session_id" | "snippet_type" | "content">,
  signature: string,
): Promise<SimilarSnippet[]> {
  const ofSession = await store.newestSnippets({ session_id }, LOOKED_AT);
  const ofType = await store.newestSnippets({ snippet_type }, LOOKED_AT);
  const looked = new Map([...ofSession, ...ofType].map((each) => [each.snippet_id, each]));
  return [...looked.values()]
    .filter(({ metadata }) => mayBeLike(metadata["signature"], signature))
    .map(({ snippet_id, session_id, title, content: other }) => ({
      snippet_id,
      session_id,
      title,
      likeness: Math.round(likeness(content, other) * 100) / 100,
    }))
    .filter(({ likeness }) => likeness >= NEAR_DUPLICATE)
    .toSorted((a, b) => b.likeness - a.likeness || (a.snippet_id < b.snippet_id ? -1 : 1))
    .slice(0, MAX_SIMILAR);
}

function mayBeLike(stored: unknown, signature: string): boolean {
  return typeof stored !== "string" || estimatedLikeness(stored, signature) >= NEAR_DUPLICATE - DOUBT;
}
