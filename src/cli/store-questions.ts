/** Asks the store about many sessions, after adding what is new. */
import { askStore, type CurrentIndex, type CurrentIndexOptions } from "../queries/current-index.ts";
import { missingText } from "../render/text/session-text.ts";
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
  const text = missingText(index);
  return text === "" ? "" : `; ${text}`;
}
