/** Asks the store about many sessions, after adding what is new, for a tool. */
import { askStore, type CurrentIndex, type CurrentIndexOptions } from "../queries/current-index.ts";
import { openStoreToAsk } from "../store/open-store.ts";
import { missingText } from "../render/text/session-text.ts";
import type { Store } from "../store/store.ts";
import { isStoreError } from "../transcripts-error.ts";
import type { ToolContext } from "./tool.ts";

/** Maximum time for updating the store before a question, in milliseconds. */
const UPDATE_MS = 5_000;
/** Unreadable places that are named. */
const MAX_PLACES = 3;

export interface Asked<Answer> {
  answer: Answer;
  /** Sentences about what the answer may lack. */
  notes: string[];
}

/** Asks the current store. See `askStore`. */
export async function answerOfStore<Answer>(
  context: ToolContext,
  needs: Omit<CurrentIndexOptions, "signal" | "maxMs" | "onProgress">,
  ask: (index: CurrentIndex) => Promise<Answer>,
): Promise<Asked<Answer>> {
  const { where, signal } = context;
  const notes: string[] = [];
  const note = (text: string): void => void notes.push(`Note: ${text}`);
  let shared: Store | undefined;
  const open = async (): Promise<Store> => {
    try {
      return (shared = await context.openStore());
    } catch (error) {
      if (!isStoreError(error)) throw error;
      return openStoreToAsk({ ...where, note });
    }
  };
  const close = async (store: Store): Promise<void> => {
    if (store !== shared) await store.close();
  };
  const options = { ...needs, signal, maxMs: UPDATE_MS };
  return askStore({ open, close, note }, where, options, ask, async (index, answer) => ({
    answer,
    notes: [...notes, ...lackNotes(index)],
  }));
}

function lackNotes(index: CurrentIndex): string[] {
  const { unreadable } = index;
  return [
    ...[missingText(index)].filter(Boolean),
    ...unreadable.slice(0, MAX_PLACES).map(({ path, reason }) => `not read: ${path}: ${reason}`),
    ...(unreadable.length > MAX_PLACES ? [`not read: ${unreadable.length - MAX_PLACES} more places`] : []),
  ].map((text) => `Note: ${text}`);
}
