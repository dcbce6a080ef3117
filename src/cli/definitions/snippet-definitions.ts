/** Commands for snippets. */
import { SNIPPET_TYPES } from "../../store/stored-model.ts";
import type { CommandDefinition, OptionDefinition } from "../command.ts";
import { json, SESSION } from "./option-definitions.ts";

const MEANINGS =
  "error_reasoning: why something failed, what was tried, what fixed it. decision_rationale: why this was chosen over the alternatives. learning_pattern: what will be useful again.";

const TYPE: OptionDefinition = { flags: "--type <type>", does: "Type of the snippet.", choices: SNIPPET_TYPES };
const TAG: OptionDefinition = { flags: "--tag <tag>", does: "Tag; may be given several times.", value: "texts" };
const SESSION_IN_STORE = {
  ...SESSION,
  does: "A path, a session id or the beginning of one, or latest.",
};

export const snippetsExtract: CommandDefinition = {
  name: "snippets extract",
  does: "Stores part of a session as a snippet.",
  description:
    `The part is a range of lines or turns, or a text from a file. ${MEANINGS} A snippet has 100 bytes to 10 KB; longer ones are shortened, with a note. ` +
    "Passwords, keys and tokens become [REDACTED:kind]. The same content of the same session is stored once; near-duplicates are reported.",
  arguments: [SESSION_IN_STORE],
  options: [
    { flags: "--lines <range>", does: "Lines of the file, such as 12-40." },
    { flags: "--turns <range>", does: "Turns, such as 3 or 3-5, counted as in `transcripts show`." },
    {
      flags: "--content-file <file>",
      does: "File with the content; - for standard input. --lines or --turns are then cited as its origin.",
    },
    { ...TYPE, does: "Type of the snippet. Default: detected from the content, if that is clear." },
    { flags: "--title <text>", does: "Title of at most 256 characters." },
    TAG,
    { flags: "--event <id>", does: "Id of the index entry that it is about." },
    json("object", "the snippet's id and notes about it"),
  ],
  examples: [
    {
      command: "transcripts snippets extract latest --turns 3 --type error_reasoning --title Port-taken --tag tests",
      does: "Stores the third turn.",
    },
    {
      command: "transcripts snippets extract 0a1b2c3d --lines 12-40 --type decision_rationale --title Why-SQLite",
      does: "Stores lines 12 to 40.",
    },
  ],
  json: "object",
  load: () => import("../commands/snippets-extract.ts"),
};

export const snippetsQuery: CommandDefinition = {
  name: "snippets query",
  does: "Finds snippets, newest first.",
  description: "A snippet must match all filters. The keyword is searched for in title and content, literally.",
  arguments: [{ name: "KEYWORD", does: "Word or phrase in the title or content.", required: false }],
  options: [
    { flags: "--session <session>", does: "Only snippets of this session." },
    { ...TYPE, does: "Only snippets of this type." },
    { flags: "--project <path>", does: "Only snippets of the project in this folder, or with this name." },
    { ...TAG, does: "Only snippets with this tag; with several, only those with all of them." },
    {
      flags: "--since <date>",
      does: "Only snippets created since then: 2026-01-31, an ISO time, today, 7d, …",
      value: "date",
    },
    {
      flags: "--until <date>",
      does: "Only snippets created until then; a date includes its whole day.",
      value: "end-date",
    },
    { flags: "--limit <n>", does: "Maximum number of snippets (1-500).", value: "integer", default: 50 },
    { flags: "--offset <n>", does: "Skips the first n.", value: "count", default: 0 },
    { flags: "--full", does: "Prints the full content." },
    json("object", "the snippets and their total number"),
  ],
  examples: [
    { command: "transcripts snippets query migration", does: "Shows snippets about migration." },
    {
      command: "transcripts snippets query --type decision_rationale --since 30d --full",
      does: "Shows recent decisions.",
    },
  ],
  nothing: "no snippet matches",
  json: "object",
  load: () => import("../commands/snippets-query.ts"),
};

export const snippetsCount: CommandDefinition = {
  name: "snippets count",
  does: "Counts snippets by type.",
  arguments: [{ ...SESSION_IN_STORE, required: false }],
  options: [json("object", "the number of each type")],
  examples: [{ command: "transcripts snippets count", does: "Counts all snippets." }],
  nothing: "there is no snippet",
  json: "object",
  load: () => import("../commands/snippets-count.ts"),
};

export const snippetsSuggest: CommandDefinition = {
  name: "snippets suggest",
  does: "Suggests snippets of a session, with their evidence.",
  description:
    "Errors with what was tried and what fixed them, calls that the user refused and why, and rules that the user stated. Found by rules, without a model: few and good ones rather than many. The rules know the wordings of English and the most common ones of German, French, Spanish, Japanese, Chinese and Korean.",
  arguments: [SESSION_IN_STORE],
  options: [
    { flags: "--store", does: "Stores them; each only once." },
    { flags: "--limit <n>", does: "Maximum number of suggestions, best first.", value: "integer", default: 8 },
    { flags: "--full", does: "Prints the full content." },
    json("lines", "each suggestion"),
  ],
  examples: [
    { command: "transcripts snippets suggest latest", does: "Shows what is worth keeping of the newest session." },
    { command: "transcripts snippets suggest latest --store", does: "Stores it." },
  ],
  nothing: "nothing is worth suggesting",
  json: "lines",
  load: () => import("../commands/snippets-suggest.ts"),
};

export const snippetsCleanup: CommandDefinition = {
  name: "snippets cleanup",
  does: "Deletes old snippets, after asking.",
  arguments: [],
  options: [
    { flags: "--older-than <days>", does: "Snippets created more than this many days ago.", value: "integer" },
    { flags: "--dry-run", does: "Prints how many there are, and deletes none." },
    { flags: "--yes", does: "Deletes without asking." },
    json("object", "how many were deleted"),
  ],
  examples: [
    { command: "transcripts snippets cleanup --older-than 180 --dry-run", does: "Prints how many would be deleted." },
    {
      command: "transcripts snippets cleanup --older-than 180 --yes",
      does: "Deletes them without asking, for scripts.",
    },
  ],
  nothing: "no snippet is that old, or the answer was no",
  json: "object",
  load: () => import("../commands/snippets-cleanup.ts"),
};
