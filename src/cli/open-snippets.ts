/** Opens the store for commands about snippets and tags. */
import type { SnippetSetting } from "../snippets/session-lookup.ts";
import { openStore, openStoreToAsk } from "../store/open-store.ts";
import type { Store } from "../store/store.ts";
import type { CommandContext } from "./context.ts";

/** Runs the work with the store, which is opened and closed. */
export async function withSnippets<T>(
  context: CommandContext,
  work: (setting: SnippetSetting) => Promise<T>,
  open: Promise<Store> = openStore(context),
): Promise<T> {
  const store = await open;
  try {
    return await work({ store, where: context, signal: context.signal });
  } finally {
    await store.close();
  }
}

/** Like `withSnippets`, for work that only reads: this user may lack write permission. */
export function readingSnippets<T>(context: CommandContext, work: (setting: SnippetSetting) => Promise<T>): Promise<T> {
  return withSnippets(context, work, openStoreToAsk(context));
}
