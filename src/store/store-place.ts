import { existsSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";

/** What decides where the store is: the environment of the process and the user's home. */
export interface StoreWhere {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
}

export interface StorePlace {
  backend: "sqlite" | "postgres";
  /** The file, or the address without its password. */
  place: string;
  /** Of a file; an address is taken to be there. */
  exists: boolean;
}

/**
 * Where the store is, by a look at the environment: PostgreSQL at `TRANSCRIPTS_DATABASE_URL`, or else the file
 * `TRANSCRIPTS_DATABASE`, by default `transcripts.db` in `opencode-transcripts` of `XDG_DATA_HOME` or `~/.local/share`.
 */
export function storePlace(where: StoreWhere): StorePlace {
  const url = databaseUrl(where);
  if (url !== undefined) return { backend: "postgres", place: withoutPassword(url), exists: true };
  const place = databaseFile(where);
  return { backend: "sqlite", place, exists: existsSync(place) };
}

export function databaseUrl({ env }: StoreWhere): string | undefined {
  return env["TRANSCRIPTS_DATABASE_URL"] || undefined;
}

export function databaseFile({ env, home }: StoreWhere): string {
  const named = env["TRANSCRIPTS_DATABASE"] ?? "";
  if (named !== "") return resolve(named.replace(/^~(?=$|[\\/])/, home));
  const given = env["XDG_DATA_HOME"] ?? "";
  // The XDG specification has relative ones ignored.
  const data = isAbsolute(given) ? given : join(home, ".local", "share");
  return join(data, "opencode-transcripts", "transcripts.db");
}

/** Scheme, user, host, port and database. Nothing of what cannot be understood, as it may hold a password anywhere. */
export function withoutPassword(address: string): string {
  if (!isPostgresAddress(address)) return "postgres://…";
  const { protocol, username, host, pathname } = new URL(address);
  return `${protocol}//${username === "" ? "" : `${username}@`}${host}${pathname}`;
}

export function isPostgresAddress(address: string): boolean {
  return URL.canParse(address) && /^postgres(?:ql)?:$/.test(new URL(address).protocol);
}
