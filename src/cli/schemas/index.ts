/** The shapes of what `--json` prints, by command. Loaded by tests and for the documentation, not by the program. */
import type { z } from "zod";
import { doctor } from "./doctor.ts";
import { entries } from "./entries.ts";
import { errors } from "./errors.ts";
import { find } from "./find.ts";
import { init } from "./init.ts";
import { list } from "./list.ts";
import { message } from "./message.ts";
import { stats } from "./stats.ts";
import { timeline } from "./timeline.ts";

export const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  doctor,
  entries,
  errors,
  find,
  init,
  list,
  show: message,
  stats,
  tail: message,
  timeline,
};
