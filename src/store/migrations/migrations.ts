/** All migrations, in order. */
import { sessionsAndEvents } from "./001-sessions-and-events.ts";
import { conversationSnippets } from "./002-conversation-snippets.ts";
import { eventSearch } from "./003-event-search.ts";
import { cachedValues } from "./004-cached-values.ts";
import { snippetLookup } from "./005-snippet-lookup.ts";
import { snippetLists } from "./006-snippet-lists.ts";
import { snippetSearch } from "./007-snippet-search.ts";
import { modelRows } from "./008-model-rows.ts";
import { forgottenAndFigures } from "./009-forgotten-and-figures.ts";
import { fewerIndexes } from "./010-fewer-indexes.ts";
import type { Migration } from "./migration.ts";

export const MIGRATIONS: readonly Migration[] = [
  sessionsAndEvents,
  conversationSnippets,
  eventSearch,
  cachedValues,
  snippetLookup,
  snippetLists,
  snippetSearch,
  modelRows,
  forgottenAndFigures,
  fewerIndexes,
];
