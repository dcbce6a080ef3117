/** All migrations, in order, and the check that a database was made by them. */
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
import { TranscriptsError } from "../../transcripts-error.ts";

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

type Backend = "sqlite" | "postgres";

const CHECKSUM_CHARS = 16;

/** Returns a checksum of a migration's SQL, up and down. */
export function checksumOf(migration: Migration, backend: Backend): string {
  // Loaded on demand: opening a current database needs no checksum.
  const { createHash } = process.getBuiltinModule("node:crypto");
  const { up, down } = migration[backend];
  return createHash("sha256").update(`${up}\n${down}`).digest("hex").slice(0, CHECKSUM_CHARS);
}

/** Throws `damaged` if an applied migration differs from the one in this program, as the tables are then unknown. */
export function checkApplied(
  applied: readonly { version: number; checksum: string }[],
  backend: Backend,
  place: string,
): void {
  for (const { version, checksum } of applied) {
    const migration = MIGRATIONS[version - 1];
    if (migration !== undefined && checksumOf(migration, backend) === checksum) continue;
    throw new TranscriptsError(
      "damaged",
      `The tables of the database ${place} were created by another build of opencode-transcripts: migration ${version} differs.`,
      "Use the build that created them, or move the database away and run `transcripts index`.",
    );
  }
}
