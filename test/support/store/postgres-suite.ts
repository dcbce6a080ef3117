import { beforeAll } from "../runner.ts";
import { postgres, type TestBackend } from "./backends.ts";
import { startPostgres, type PostgresServer } from "./postgres-server.ts";

let starting: Promise<PostgresServer> | undefined;

/** A server that all test files of this process share, started before the first of their tests. It ends with the process. */
export function sharedPostgres(): () => PostgresServer {
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    server = await (starting ??= startPostgres());
  });
  return () => {
    if (server === undefined) throw new Error("PostgreSQL has not started.");
    return server;
  };
}

/** The store on that server. */
export function sharedPostgresBackend(): TestBackend {
  return postgres(sharedPostgres());
}
