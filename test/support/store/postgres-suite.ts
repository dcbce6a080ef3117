import { afterAll, beforeAll } from "../runner.ts";
import { postgres, type TestBackend } from "./backends.ts";
import { startPostgres, type PostgresServer } from "./postgres-server.ts";

/** A backend on a server of this test file's own, which runs while its tests do. */
export function postgresForThisFile(): TestBackend {
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());
  return postgres(() => {
    if (server === undefined) throw new Error("PostgreSQL has not started.");
    return server;
  });
}
