/** All migrations, in order, and what runs them. */
import { createHash } from "node:crypto";
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
import { integerKeys } from "./011-integer-keys.ts";
import { snippetQueries } from "./012-snippet-queries.ts";
import { packedTexts } from "./013-packed-texts.ts";
import { checkVersion, LATEST_VERSION } from "./latest-version.ts";
import type { Migration } from "./migration.ts";
import { numberIn, textIn } from "../columns.ts";
import { sqlState } from "../postgres/postgres-faults.ts";
import type { SqlDatabase, SqlSession } from "../sql-database.ts";
import { APPLICATION_ID } from "../sqlite/sqlite-database.ts";
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
  integerKeys,
  snippetQueries,
  packedTexts,
];

/** Table versions before and after a migration; equal if there was nothing to do. */
export interface MigrationReport {
  from: number;
  to: number;
}

/** Differences between the databases besides the SQL of the migrations. */
interface Backend {
  appliedAt: string;
  /** Statements before and after all migrations, and those with which each transaction begins and ends. */
  before: string;
  after: string;
  begin: string;
  end(version: number): string;
  /** Returns the space of rebuilt tables to the file system. */
  compact: string;
}

const BACKENDS: Readonly<Record<SqlSession["dialect"]["name"], Backend>> = {
  sqlite: {
    appliedAt: "TEXT NOT NULL) STRICT",
    // Rebuilding a table must not cascade to the rows that refer to it. The setting has no effect inside a transaction.
    before: "PRAGMA foreign_keys = OFF",
    after: "PRAGMA foreign_keys = ON",
    begin: "",
    end: (version) => `PRAGMA user_version = ${version}; PRAGMA application_id = ${APPLICATION_ID};`,
    compact: "VACUUM",
  },
  postgres: {
    appliedAt: "TIMESTAMPTZ NOT NULL DEFAULT now())",
    before: "",
    after: "",
    // Only one program at a time may change the tables. The number of the lock is specific to this one: `TRNS` twice. A
    // migration that fills an index takes longer the more rows there are.
    begin: "SET LOCAL lock_timeout = '10min'; SELECT pg_advisory_xact_lock(6075994838437842515)",
    end: () => "",
    compact: "",
  },
};

/** SQLSTATEs for an extension that we may not add, that the server lacks, or that is not visible from our schema. */
const NOT_TO_BE_HAD = new Set(["42501", "58P01", "0A000", "42704", "3F000"]);

/**
 * Migrates the tables up or down to a version, one migration and one transaction at a time. Each transaction reads the
 * version again once no other program may write, so several can do this at once. Throws `newer_version` if the tables
 * are newer than this program.
 */
export function migrate(database: SqlDatabase, target = LATEST_VERSION): Promise<MigrationReport> {
  const result = last.then(() => migrated(database, target));
  last = result.catch(() => undefined);
  return result;
}

/** A SQLite connection that waits for another one blocks the thread, so in one thread they migrate one after another. */
let last: Promise<unknown> = Promise.resolve();

async function migrated(database: SqlDatabase, target: number): Promise<MigrationReport> {
  const backend = BACKENDS[database.dialect.name];
  await checkEncoding(database);
  const from = await database.dialect.version(database, database.place);
  await database.exec(backend.before);
  let steps = -1;
  try {
    for (let done = false; !done; steps += 1) {
      done = await database.transaction((session) => step(session, { backend, place: database.place, target }));
    }
  } finally {
    await database.exec(backend.after);
  }
  // Without enough space, or beside a program that reads, the file stays as large as it is.
  if (steps > 0 && from > 0) await database.exec(backend.compact).catch(() => undefined);
  return { from, to: target };
}

/** Runs one migration. Returns true if the tables already have the target version. */
async function step(
  session: SqlSession,
  { backend, place, target }: { backend: Backend; place: string; target: number },
): Promise<boolean> {
  await session.exec(backend.begin);
  const version = await session.dialect.version(session, place);
  checkVersion(version, place);
  if (version === target) return true;
  if (version > 0) await checkApplied(session, place);
  const isUp = version < target;
  const migration = MIGRATIONS[isUp ? version : version - 1];
  if (migration !== undefined) await (isUp ? goUp(session, migration, backend) : goDown(session, migration));
  await session.exec(backend.end(isUp ? version + 1 : version - 1));
  return false;
}

async function goUp(session: SqlSession, migration: Migration, { appliedAt }: Backend): Promise<void> {
  const { up, fill, attempts = [] } = migration[session.dialect.name];
  await session.exec(`CREATE TABLE IF NOT EXISTS transcripts_migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at ${appliedAt}`);
  await session.exec(up);
  await fill?.(session);
  for (const sql of attempts) await attempt(session, sql);
  const insert = "INSERT INTO transcripts_migrations (version, name, checksum, applied_at) VALUES (?, ?, ?, ?)";
  const { version, name } = migration;
  await session.run(insert, [version, name, checksumOf(migration, session), new Date().toISOString()]);
}

async function goDown(session: SqlSession, migration: Migration): Promise<void> {
  const { version } = migration;
  const { undo, down } = migration[session.dialect.name];
  await undo?.(session);
  await session.exec(down);
  if (version === 1) await session.exec("DROP TABLE transcripts_migrations");
  else await session.run("DELETE FROM transcripts_migrations WHERE version = ?", [version]);
}

/** Runs a statement that only improves speed: without it, searches return the same results by reading more. */
async function attempt(session: SqlSession, sql: string): Promise<void> {
  await session.exec("SAVEPOINT attempt");
  try {
    await session.exec(sql);
  } catch (error) {
    if (!NOT_TO_BE_HAD.has(sqlState(error) ?? "")) throw error;
    await session.exec("ROLLBACK TO SAVEPOINT attempt");
  }
  await session.exec("RELEASE SAVEPOINT attempt");
}

async function checkEncoding(database: SqlDatabase): Promise<void> {
  if (database.dialect.name === "sqlite") return;
  const [encoding = ""] = await database.all("SHOW server_encoding", [], (row) => textIn(row, "server_encoding"));
  if (encoding === "UTF8") return;
  throw new TranscriptsError(
    "unavailable",
    `The database ${database.place} has the encoding ${encoding}, which lacks many characters.`,
    "Create one with `createdb --encoding=UTF8 --template=template0`.",
  );
}

const CHECKSUM_CHARS = 16;

/** Returns a checksum of a migration's SQL, up and down. */
function checksumOf(migration: Migration, { dialect }: SqlSession): string {
  const { up, down } = migration[dialect.name];
  return createHash("sha256").update(`${up}\n${down}`).digest("hex").slice(0, CHECKSUM_CHARS);
}

/** Throws `damaged` if an applied migration differs from the one in this program, as the tables are then unknown. */
async function checkApplied(session: SqlSession, place: string): Promise<void> {
  const sql = "SELECT version, checksum FROM transcripts_migrations ORDER BY version";
  const applied = await session.all(sql, [], (row) => [numberIn(row, "version"), textIn(row, "checksum")] as const);
  for (const [version, checksum] of applied) {
    const migration = MIGRATIONS[version - 1];
    if (migration !== undefined && checksumOf(migration, session) === checksum) continue;
    throw new TranscriptsError(
      "damaged",
      `The tables of the database ${place} were created by another build of opencode-transcripts: migration ${version} differs.`,
      "Use the build that created them, or move the database away and run `transcripts index`.",
    );
  }
}
