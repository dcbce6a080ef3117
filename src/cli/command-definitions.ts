/**
 * All commands, as plain data: `--help`, `docs/cli` and the completion scripts are made from it. Each start of the
 * program loads it; a command's code is loaded when it runs.
 */
import type { CommandDefinition } from "./command.ts";
import { completion, doctor, exportCommand, init } from "./definitions/keeping.ts";
import { entries, list, show, stats, timeline } from "./definitions/reading.ts";
import { errors, find, fixes, tail } from "./definitions/searching.ts";
import {
  snippetsCleanup,
  snippetsCount,
  snippetsExtract,
  snippetsQuery,
  snippetsSuggest,
} from "./definitions/snippet-definitions.ts";
import { forget, index, mcp } from "./definitions/storing.ts";

/** Descriptions of command groups, by the first of their two words. */
export const GROUPS: Readonly<Record<string, string>> = {
  snippets: "Keeps passages of sessions that are worth finding again: fixed errors, decisions, lessons.",
};

/** In the order in which the help lists them. */
export const DEFINITIONS: readonly CommandDefinition[] = [
  init,
  list,
  show,
  stats,
  timeline,
  entries,
  errors,
  fixes,
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
