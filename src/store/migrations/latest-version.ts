import { StoreError } from "../store-error.ts";

/** The version that this program works with: how many steps there are. By itself, as opening a store needs no more. */
export const LATEST_VERSION = 7;

/** Throws `newer_version` for tables that a later version of this program made. */
export function checkVersion(version: number, place: string): void {
  if (version <= LATEST_VERSION) return;
  throw new StoreError(
    "newer_version",
    `The database ${place} was made by a newer version of opencode-transcripts (its tables have version ${version}, this program knows ${LATEST_VERSION}).`,
    "Update this program, or name another database in TRANSCRIPTS_DATABASE or TRANSCRIPTS_DATABASE_URL.",
  );
}
