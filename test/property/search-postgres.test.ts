import { searchLaws } from "../support/search/search-laws.ts";
import { runs } from "../support/runner.ts";
import { sharedPostgresBackend } from "../support/store/postgres-suite.ts";

searchLaws(sharedPostgresBackend(), runs(25));
