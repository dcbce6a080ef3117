import { searchLaws } from "../support/search/search-laws.ts";
import { sqlite } from "../support/store/backends.ts";

searchLaws(sqlite, 60);
