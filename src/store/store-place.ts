import { randomUUID } from "node:crypto";
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { TranscriptsError } from "../transcripts-error.ts";
import { configuredFolder, createFolder, userDataFolder, type UserPlace } from "../user-folders.ts";

/** Inputs that determine which store is asked. */
export interface StoreWhere extends UserPlace {
  /** The team's database instead of the store of this machine. */
  team?: boolean;
  /** Tells the user what happened to the store while it was opened. */
  note?: (text: string) => void;
}

export interface StorePlace {
  backend: "sqlite" | "postgres";
  /** The file, or the address without its password. */
  place: string;
  /** Whether the file exists; always true for an address. */
  exists: boolean;
}

/**
 * Returns where the store is, without opening it: the file `TRANSCRIPTS_DATABASE`, by default
 * `opencode-transcripts/transcripts.db` in `XDG_DATA_HOME` or `~/.local/share`; a team's is PostgreSQL at
 * `TRANSCRIPTS_DATABASE_URL`. Throws a `TranscriptsError` without that address.
 */
export function storePlace(where: StoreWhere): StorePlace {
  if (where.team === true) return { backend: "postgres", place: withoutPassword(teamUrl(where)), exists: true };
  const place = databaseFile(where);
  return { backend: "sqlite", place, exists: existsSync(place) };
}

export function teamUrl({ env }: StoreWhere): string {
  const url = env["TRANSCRIPTS_DATABASE_URL"] ?? "";
  if (url !== "") return url;
  throw new TranscriptsError(
    "unavailable",
    "TRANSCRIPTS_DATABASE_URL is not set, so there is no team's database.",
    "Set it to postgres://user:password@host:5432/database.",
  );
}

export function databaseFile({ env, home }: StoreWhere): string {
  const named = env["TRANSCRIPTS_DATABASE"] ?? "";
  if (named !== "") return configuredFolder("", named, home);
  return join(userDataFolder({ env, home }), "transcripts.db");
}

/** This machine, as the rows of its sessions name it. */
export interface Machine {
  /** Random id, stored in the data folder. Null if there is none yet and none can be written. */
  id: string | null;
  /** Host name, for display: it may change, and other machines may have the same. */
  host: string;
  /** Random key of `StoredBlock.raw_hash`, in no database. Another one each time if none can be stored. */
  hashKey: string;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Returns this machine. `create`: stores a new id and key if there are none. */
export function thisMachine(where: StoreWhere, { create }: { create: boolean }): Machine {
  const folder = userDataFolder(where);
  return {
    id: storedUuid(folder, "machine-id", create),
    host: hostname(),
    hashKey: storedUuid(folder, "hash-key", create) ?? randomUUID(),
  };
}

/** Returns the UUID in a file. `create`: stores a new one if there is none. */
function storedUuid(folder: string, name: string, create: boolean): string | null {
  const path = join(folder, name);
  const known = uuidIn(path);
  if (known !== null || !create) return known;
  const draft = `${path}.${randomUUID()}`;
  try {
    createFolder(folder);
    try {
      writeFileSync(draft, `${randomUUID()}\n`, { mode: 0o600 });
      place(draft, path);
    } finally {
      rmSync(draft, { force: true });
    }
  } catch {
    // The folder cannot be written.
  }
  return uuidIn(path);
}

/** Puts a whole file at a path, unless another program was faster. Replaces one without an id, as a full disk left it. */
function place(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch {
    // There is such a file, or the file system has no links.
    if (uuidIn(path) === null) renameSync(draft, path);
  }
}

function uuidIn(path: string): string | null {
  try {
    const id = readFileSync(path, "utf8").trim();
    return UUID.test(id) ? id : null;
  } catch {
    return null;
  }
}

/**
 * Returns scheme, user, host, port and database. Shows nothing of an invalid address, which may contain a password
 * anywhere.
 */
export function withoutPassword(address: string): string {
  if (!isPostgresAddress(address)) return "postgres://…";
  const { protocol, username, host, pathname } = new URL(address);
  return `${protocol}//${username === "" ? "" : `${username}@`}${host}${pathname}`;
}

export function isPostgresAddress(address: string): boolean {
  return URL.canParse(address) && /^postgres(?:ql)?:$/.test(new URL(address).protocol);
}
