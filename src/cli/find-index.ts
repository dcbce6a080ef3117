/** Asks the store about many sessions, after adding what is new. */
import { askStore, type CurrentIndex, type CurrentIndexOptions } from "../queries/current-index.ts";
import { counted } from "../quantities.ts";
import { openStoreToAsk } from "../store/open-store.ts";
import type { Store } from "../store/store.ts";
import type { CommandContext } from "./context.ts";
import { noteUnread } from "./session-input.ts";
import { withSessionsBar } from "./terminal/progress.ts";

/** Asks the current store and prints the answer. See `askStore`. */
export async function askedOfStore<Answer, Result>(
  context: CommandContext,
  needs: Omit<CurrentIndexOptions, "signal" | "maxMs" | "onProgress">,
  ask: (index: CurrentIndex) => Promise<Answer>,
  print: (index: CurrentIndex, answer: Answer) => Promise<Result>,
): Promise<Result> {
  const access = {
    open: () => openStoreToAsk(context),
    close: (store: Store) => store.close(),
    note: (text: string) => context.note(text),
  };
  return withSessionsBar(context, (onProgress) =>
    askStore(access, context, { ...needs, signal: context.signal, onProgress }, ask, (index, answer) => {
      noteUnread(context, index.unreadable);
      return print(index, answer);
    }),
  );
}

/** Returns the end of a scope line that says what the store lacks; empty if it lacks nothing. */
export function missingNote(index: CurrentIndex): string {
  return index.missing.length === 0 ? "" : `; ${missingText(index)}`;
}

/** Returns what the store lacks, and the command that adds it. */
export function missingText({ missing, fault }: CurrentIndex): string {
  const bytes = missing.reduce((sum, session) => sum + session.bytes, 0);
  const what = `${counted(missing.length, "session")} (${(bytes / 1e6).toFixed(1)} MB) that may have more`;
  const next = fault === undefined ? "`transcripts index` adds them" : fault.message;
  return `not in the store yet: ${what}; ${next}`;
}
