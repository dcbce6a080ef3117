/** Commands for snippets. */
import type { CommandDefinition, OptionDefinition } from "../command.ts";
import { json, SESSION } from "./options.ts";

const TYPES = ["error_reasoning", "decision_rationale", "learning_pattern"];
const MEANINGS =
  "error_reasoning: why something failed, what was tried, what fixed it. decision_rationale: why this was chosen and not the alternatives. learning_pattern: what will be of use again.";

const TYPE: OptionDefinition = { flags: "--type <type>", does: "What kind of snippet it is.", choices: TYPES };
const TAG: OptionDefinition = { flags: "--tag <tag>", does: "A tag; may be given several times.", value: "texts" };
const SESSION_IN_STORE = {
  ...SESSION,
  does: "A path, a session id or the beginning of one, or latest.",
};

export const snippetsExtract: CommandDefinition = {
  name: "snippets extract",
  does: "Stores a part of a session as a snippet.",
  description:
    `The part is given by lines of the file or by turns, or it is a text from a file. ${MEANINGS} A snippet has 100 bytes to 10 KB; what is longer is shortened, and says so. ` +
    "Passwords, keys and tokens become [REDACTED:kind]. The same content of the same session is stored once; snippets that are nearly the same are named.",
  arguments: [SESSION_IN_STORE],
  options: [
    { flags: "--lines <range>", does: "Lines of the file, such as 12-40." },
    { flags: "--turns <range>", does: "Turns, such as 3 or 3-5, counted as `transcripts show` does." },
    {
      flags: "--content-file <file>",
      does: "The content itself; - for standard input. With --lines or --turns it cites them.",
    },
    { ...TYPE, does: "What kind of snippet it is. Default: what the content looks like, if that is clear." },
    { flags: "--title <text>", does: "What it is about, in at most 256 characters." },
    TAG,
    { flags: "--event <id>", does: "The entry of the index that it is about." },
    json("object", "the snippet's id and what was noticed"),
  ],
  examples: [
    {
      command: "transcripts snippets extract latest --turns 3 --type error_reasoning --title Port-taken --tag tests",
      does: "Keeps the third turn.",
    },
    {
      command: "transcripts snippets extract 0a1b2c3d --lines 12-40 --type decision_rationale --title Why-SQLite",
      does: "Keeps some lines.",
    },
  ],
  json: "object",
  load: () => import("../commands/snippets-extract.ts"),
};

export const snippetsQuery: CommandDefinition = {
  name: "snippets query",
  does: "Finds snippets, newest first.",
  description: "All filters that are given must hold. The keyword is looked for in title and content, as it stands.",
  arguments: [{ name: "KEYWORD", does: "A word or phrase in title or content.", required: false }],
  options: [
    { flags: "--session <session>", does: "Only those of this session." },
    { ...TYPE, does: "Only those of this type." },
    { flags: "--project <path>", does: "Only those of the project in this folder, or with this name." },
    { ...TAG, does: "Only those with this tag; of several with all of them." },
    { flags: "--since <date>", does: "Only those made since: 2026-01-31, an ISO time, today, 7d, …", value: "date" },
    { flags: "--until <date>", does: "Only those made until then; a day is meant whole.", value: "end-date" },
    { flags: "--limit <n>", does: "At most so many, up to 500.", value: "integer", default: 50 },
    { flags: "--offset <n>", does: "Leaves out the first n.", value: "count", default: 0 },
    { flags: "--full", does: "With their whole contents." },
    json("object", "the snippets, and how many there are"),
  ],
  examples: [
    { command: "transcripts snippets query migration", does: "What was kept about it." },
    { command: "transcripts snippets query --type decision_rationale --since 30d --full", does: "Recent decisions." },
  ],
  json: "object",
  load: () => import("../commands/snippets-query.ts"),
};

export const snippetsCount: CommandDefinition = {
  name: "snippets count",
  does: "Counts snippets by type.",
  arguments: [{ ...SESSION_IN_STORE, required: false }],
  options: [json("object", "the number of each type")],
  examples: [{ command: "transcripts snippets count", does: "How many there are of each type." }],
  json: "object",
  load: () => import("../commands/snippets-count.ts"),
};

export const snippetsSuggest: CommandDefinition = {
  name: "snippets suggest",
  does: "Proposes snippets of a session, with their evidence.",
  description:
    "Errors that cost thought and what fixed them, decisions with their reasons, lessons and standing rules of the user. Found by rules, without a model; few and good ones rather than many. Most rules look at what was done and hold in any language; those that look at ways of speaking know English.",
  arguments: [SESSION_IN_STORE],
  options: [
    { flags: "--store", does: "Stores them; those that are stored already only once." },
    { flags: "--limit <n>", does: "At most so many, the best.", value: "integer", default: 8 },
    { flags: "--full", does: "With their whole contents." },
    json("lines", "each suggestion"),
  ],
  examples: [
    { command: "transcripts snippets suggest latest", does: "What of the newest session is worth keeping." },
    { command: "transcripts snippets suggest latest --store", does: "Keeps it." },
  ],
  json: "lines",
  load: () => import("../commands/snippets-suggest.ts"),
};

export const snippetsCleanup: CommandDefinition = {
  name: "snippets cleanup",
  does: "Deletes old snippets, after asking.",
  arguments: [],
  options: [
    { flags: "--older-than <days>", does: "Those made more than so many days ago.", value: "integer" },
    { flags: "--dry-run", does: "Says how many there are, and deletes none." },
    { flags: "--yes", does: "Does not ask." },
    json("object", "how many were deleted"),
  ],
  examples: [
    { command: "transcripts snippets cleanup --older-than 180 --dry-run", does: "How many would go." },
    { command: "transcripts snippets cleanup --older-than 180 --yes", does: "Deletes them, for scripts." },
  ],
  json: "object",
  load: () => import("../commands/snippets-cleanup.ts"),
};
