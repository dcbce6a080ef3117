/** The backends that the tests of the store run on. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type StoreWhere } from "../../../src/store/open-store.ts";
import { openPostgres } from "../../../src/store/postgres/postgres-database.ts";
import type { Row } from "../../../src/store/columns.ts";
import { openSqliteDatabase } from "../../../src/store/sqlite/open-sqlite.ts";
import type { Store } from "../../../src/store/store.ts";
import { makeTempDir } from "../temp-dir.ts";
import type { PostgresServer } from "./postgres-server.ts";

export interface TestBackend {
  name: "sqlite" | "postgres";
  /** A place without a store. */
  newPlace(): Promise<StoreWhere>;
  /** A place with an empty store. */
  newStore(): Promise<StoreWhere>;
  /** Runs one statement past the store. */
  sql(where: StoreWhere, statement: string): Promise<Row[]>;
}

/** Bytes of an empty store, which this process makes once. */
let emptyFile: Promise<Buffer> | undefined;

async function migratedBytes(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "opencode-transcripts-"));
  try {
    const path = join(folder, "store.db");
    await (await openStore({ env: { TRANSCRIPTS_DATABASE: path }, home: folder })).close();
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A place with an empty store in SQLite. */
export async function newSqliteStore(): Promise<StoreWhere> {
  const home = makeTempDir();
  const path = join(home, "transcripts.db");
  writeFileSync(path, await (emptyFile ??= migratedBytes()), { mode: 0o600 });
  return { env: { TRANSCRIPTS_DATABASE: path }, home };
}

export const sqlite: TestBackend = {
  name: "sqlite",
  newPlace: async () => {
    const home = makeTempDir();
    return { env: { TRANSCRIPTS_DATABASE: join(home, "made", "store.db") }, home };
  },
  newStore: newSqliteStore,
  sql: async ({ env }, statement) => {
    const database = await openSqliteDatabase(env["TRANSCRIPTS_DATABASE"] ?? "", { readOnly: false });
    try {
      return database.prepare(statement).all();
    } finally {
      database.close();
    }
  },
};

/** On a server that is started before the first test. */
export function postgres(server: () => PostgresServer): TestBackend {
  const placeOf = (url: string): StoreWhere => ({
    env: { TRANSCRIPTS_DATABASE_URL: url },
    home: makeTempDir(),
    team: true,
  });
  let migrated: Promise<string> | undefined;
  const migrate = async (): Promise<string> => {
    const url = await server().newDatabase();
    await (await openStore(placeOf(url))).close();
    return url;
  };
  return {
    name: "postgres",
    newPlace: async () => placeOf(await server().newDatabase()),
    newStore: async () => placeOf(await server().newDatabase(await (migrated ??= migrate()))),
    sql: async ({ env }, statement) => {
      const database = await openPostgres(env["TRANSCRIPTS_DATABASE_URL"] ?? "", { readOnly: false });
      try {
        return await database.all(statement, [], (row) => row);
      } finally {
        await database.close();
      }
    },
  };
}

/** Does something with a new store, which is closed at the end. */
export async function withStore(
  backend: TestBackend,
  work: (store: Store, where: StoreWhere) => Promise<void>,
): Promise<void> {
  const where = await backend.newStore();
  const store = await openStore(where);
  try {
    await work(store, where);
  } finally {
    await store.close();
  }
}
