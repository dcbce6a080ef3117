import { StoreError } from "../store-error.ts";
import { MIGRATIONS } from "./index.ts";
import type { Migration } from "./migration.ts";

type Backend = "sqlite" | "postgres";

const CHECKSUM_CHARS = 16;

/** Of the SQL of a step, both ways. */
export function checksumOf(migration: Migration, backend: Backend): string {
  // Not loaded with the file: opening a current database needs no checksum.
  const { createHash } = process.getBuiltinModule("node:crypto");
  const { up, down } = migration[backend];
  return createHash("sha256").update(`${up}\n${down}`).digest("hex").slice(0, CHECKSUM_CHARS);
}

/** Throws `damaged` if a step that ran is not the one that this program has: it cannot know what the tables are like. */
export function checkApplied(
  applied: readonly { version: number; checksum: string }[],
  backend: Backend,
  place: string,
): void {
  for (const { version, checksum } of applied) {
    const migration = MIGRATIONS[version - 1];
    if (migration !== undefined && checksumOf(migration, backend) === checksum) continue;
    throw new StoreError(
      "damaged",
      `The tables of the database ${place} were made by another build of opencode-transcripts: step ${version} differs.`,
      "Use the build that made them, or move the database away and run `transcripts index`.",
    );
  }
}
