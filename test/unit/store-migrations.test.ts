/** Numbered steps of the tables, there and back, on both backends. */
import { afterAll } from "../support/runner.ts";
import { sqlite } from "../support/store/backends.ts";
import { migrationContract } from "../support/store/contract-migrations.ts";
import { sharedPostgresBackend } from "../support/store/postgres-suite.ts";
import { removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);
migrationContract(sqlite);
migrationContract(sharedPostgresBackend());
