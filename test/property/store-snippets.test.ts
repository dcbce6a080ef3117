/** Questions about snippets against a naive model, on both backends. */
import { afterAll } from "../support/runner.ts";
import { sqlite } from "../support/store/backends.ts";
import { sharedPostgresBackend } from "../support/store/postgres-suite.ts";
import { snippetLaws } from "../support/store/snippet-laws.ts";
import { removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);
snippetLaws(sqlite);
snippetLaws(sharedPostgresBackend());
