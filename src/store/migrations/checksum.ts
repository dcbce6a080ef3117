import { MIGRATIONS } from "./migrations.ts";
import type { Migration } from "./migration.ts";
import { TranscriptsError } from "../../transcripts-error.ts";

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
