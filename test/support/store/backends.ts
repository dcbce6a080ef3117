/** The backends that the tests of the store run on. */
import { join } from "node:path";
import { openStore, type StoreWhere } from "../../../src/store/open-store.ts";
import { openPool } from "../../../src/store/postgres/pool.ts";
import type { Row } from "../../../src/store/row.ts";
import { openSqliteDatabase } from "../../../src/store/sqlite/open-sqlite.ts";
import type { Store } from "../../../src/store/store.ts";
import { makeTempDir } from "../temp-dir.ts";
import type { PostgresServer } from "./postgres-server.ts";

export interface TestBackend {
  name: "sqlite" | "postgres";
  /** A place without a store. */
  newPlace(): Promise<StoreWhere>;
  /** Runs one statement past the store. */
  sql(where: StoreWhere, statement: string): Promise<Row[]>;
}

export const sqlite: TestBackend = {
  name: "sqlite",
  newPlace: async () => ({ env: { TRANSCRIPTS_DATABASE: join(makeTempDir(), "made", "store.db") }, home: "/nowhere" }),
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
  return {
    name: "postgres",
    newPlace: async () => ({ env: { TRANSCRIPTS_DATABASE_URL: await server().newDatabase() }, home: "/nowhere" }),
    sql: async ({ env }, statement) => {
      const pool = await openPool(env["TRANSCRIPTS_DATABASE_URL"] ?? "", { readOnly: false });
      try {
        return await pool.rows(statement);
      } finally {
        await pool.close();
      }
    },
  };
}

/** Does something with a new store, which is closed at the end. */
export async function withStore(
  backend: TestBackend,
  work: (store: Store, where: StoreWhere) => Promise<void>,
): Promise<void> {
  const where = await backend.newPlace();
  const store = await openStore(where);
  try {
    await work(store, where);
  } finally {
    await store.close();
  }
}
