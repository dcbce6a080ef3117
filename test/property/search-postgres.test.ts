import { searchLaws } from "../support/search/search-laws.ts";
import { postgres } from "../support/store/backends.ts";
import { startPostgres, type PostgresServer } from "../support/store/postgres-server.ts";
import { afterAll, beforeAll } from "../support/runner.ts";

let server: PostgresServer | undefined;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => server?.stop());

searchLaws(
  postgres(() => {
    if (server === undefined) throw new Error("PostgreSQL was not started.");
    return server;
  }),
  25,
);
