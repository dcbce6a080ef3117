import { TranscriptsError } from "../../transcripts-error.ts";

/**
 * Table version of this program: the number of migrations. Kept apart from them so that opening a store loads no SQL.
 */
export const LATEST_VERSION = 13;

/** Throws `newer_version` if a later version of this program created the tables. */
export function checkVersion(version: number, place: string): void {
  if (version <= LATEST_VERSION) return;
  throw new TranscriptsError(
    "newer_version",
    `The database ${place} was created by a newer version of opencode-transcripts (table version ${version}; this program supports ${LATEST_VERSION}).`,
    "Update this program, or name another database in TRANSCRIPTS_DATABASE or TRANSCRIPTS_DATABASE_URL.",
  );
}
