import { searchLaws } from "../support/search/search-laws.ts";
import { runs } from "../support/runner.ts";
import { sqlite } from "../support/store/backends.ts";

searchLaws(sqlite, runs(60));
