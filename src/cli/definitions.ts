/**
 * All commands: what `--help`, `docs/cli.md` and the completion scripts are made from. Plain data, since every start of
 * the program loads it; a command's code is loaded when it runs.
 */
import type { CommandDefinition } from "./command.ts";
import { completion, doctor, exportCommand, init } from "./definitions/keeping.ts";
import { entries, list, show, stats, timeline } from "./definitions/reading.ts";
import { errors, find, tail } from "./definitions/searching.ts";
import {
  snippetsCleanup,
  snippetsCount,
  snippetsExtract,
  snippetsQuery,
  snippetsSuggest,
} from "./definitions/snippets.ts";
import { forget, index, mcp } from "./definitions/storing.ts";

/** What commands with two words have in common, by the first word. */
export const GROUPS: Readonly<Record<string, string>> = {
  snippets: "Keeps passages of sessions that are worth finding again: fixed errors, decisions, lessons.",
};

/** In the order of the help. */
export const DEFINITIONS: readonly CommandDefinition[] = [
  init,
  list,
  show,
  stats,
  timeline,
  entries,
  errors,
  find,
  tail,
  index,
  snippetsExtract,
  snippetsQuery,
  snippetsCount,
  snippetsSuggest,
  snippetsCleanup,
  forget,
  mcp,
  exportCommand,
  doctor,
  completion,
];
