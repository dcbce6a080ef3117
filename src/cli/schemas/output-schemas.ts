/** Schemas of `--json` outputs, by command. Loaded by tests and for the documentation, not by the program. */
import type { z } from "zod";
import { doctor } from "./doctor-schema.ts";
import { entries } from "./entries-schema.ts";
import { errors } from "./errors-schema.ts";
import { exported } from "./export-schema.ts";
import { find } from "./find-schema.ts";
import { fixes } from "./fixes-schema.ts";
import { indexed } from "./index-sessions-schema.ts";
import { init } from "./init-schema.ts";
import { list } from "./list-schema.ts";
import { message } from "./message-schema.ts";
import * as snippets from "./snippets-schema.ts";
import { stats } from "./stats-schema.ts";
import { timeline } from "./timeline-schema.ts";

export const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  doctor,
  entries,
  errors,
  export: exported,
  find,
  fixes,
  index: indexed,
  init,
  list,
  forget: snippets.forget,
  show: message,
  "snippets cleanup": snippets.snippetsCleanup,
  "snippets count": snippets.snippetsCount,
  "snippets extract": snippets.snippetsExtract,
  "snippets query": snippets.snippetsQuery,
  "snippets suggest": snippets.snippetsSuggest,
  stats,
  tail: message,
  timeline,
};
