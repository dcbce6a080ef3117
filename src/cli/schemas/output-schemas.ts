/** Schemas of `--json` outputs, by command. Loaded by tests and for the documentation, not by the program. */
import type { z } from "zod";
import { doctor, init } from "./keeping-schemas.ts";
import { entries, exported, list, message, stats, timeline } from "./reading-schemas.ts";
import { errors, find, fixes } from "./searching-schemas.ts";
import * as snippets from "./snippet-schemas.ts";
import { forget, indexed } from "./storing-schemas.ts";

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
  forget,
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
