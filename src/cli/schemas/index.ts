/** The shapes of what `--json` prints, by command. Loaded by tests and for the documentation, not by the program. */
import type { z } from "zod";
import { doctor } from "./doctor.ts";
import { entries } from "./entries.ts";
import { errors } from "./errors.ts";
import { find } from "./find.ts";
import { indexed } from "./index-sessions.ts";
import { init } from "./init.ts";
import { list } from "./list.ts";
import { message } from "./message.ts";
import * as snippets from "./snippets.ts";
import { stats } from "./stats.ts";
import { timeline } from "./timeline.ts";

export const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  doctor,
  entries,
  errors,
  find,
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
