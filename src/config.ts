import * as z from "zod/mini";
import { toJsonValue, type JsonValue } from "./transcript/json-value.ts";
import { DATA_FOLDER } from "./transcript/paths.ts";

/** The tools that an agent may be offered. `src/tools/definitions.ts` has all but the first. */
export const TOOL_NAMES = [
  "save_conversation",
  "find_in_transcripts",
  "read_session",
  "list_sessions",
  "list_errors",
  "extract_snippet",
  "query_snippets",
] as const;

/** All that are offered take at most 1,200 tokens of each request; a test counts them. */
const DEFAULT_TOOLS: readonly (typeof TOOL_NAMES)[number][] = [
  "save_conversation",
  "find_in_transcripts",
  "read_session",
  "list_sessions",
  "extract_snippet",
  "query_snippets",
];

/**
 * The options of the plugin, as they stand in opencode.json: `["opencode-transcripts", { … }]`.
 * This schema is the only truth about them: types, defaults, messages, the JSON schema and the README's table
 * come from it.
 */
const optionShapes = {
  format: described(
    z._default(z.enum(["markdown", "jsonl", "both"]), "markdown"),
    "Which files are written for each session.",
  ),
  directory: described(
    z._default(
      z.string().check(
        z.trim(),
        z.minLength(1),
        z.maxLength(4096),
        z.refine((path) => !path.includes("\0")),
      ),
      DATA_FOLDER,
    ),
    "Folder for transcripts and saved sessions; a relative path starts at the project's root.",
  ),
  followLinks: described(
    z._default(z.boolean(), false),
    "Records into the folder even if a symbolic link leads it out of the project. In your own configuration it also has the commands and tools read what such links lead to.",
  ),
  maxInlineChars: described(
    z._default(z.int().check(z.minimum(0), z.maximum(1_000_000)), 5_000),
    "Longest tool output, in characters, that stands whole in a markdown transcript; the whole text of a longer one is in a file of its own.",
  ),
  redact: described(z._default(z.boolean(), true), "Replaces secrets with [REDACTED:kind] before anything is written."),
  reasoning: described(z._default(z.boolean(), true), "Records the model's reasoning."),
  events: described(
    z._default(z.boolean(), true),
    "Records session events: titles, usage, permissions, questions, todos, retries, errors, compaction, reverts. What is missing from a transcript is always recorded.",
  ),
  tools: described(
    z._default(z.array(z.enum(TOOL_NAMES)), [...DEFAULT_TOOLS]),
    "Which tools the agent is offered. Their descriptions take some 200 tokens each of every request.",
  ),
  compactionHint: described(
    z._default(z.boolean(), true),
    "When opencode summarizes a session, has the summary say in one line where the full transcript is.",
  ),
  autoExtract: described(
    z._default(z.boolean(), false),
    "Stores what a session suggests as snippets (errors with their fixes, decisions, lessons) each time that it comes to rest.",
  ),
};

function described<T extends z.ZodMiniType>(schema: T, description: string): T {
  z.globalRegistry.add(schema, { description });
  return schema;
}

export const optionsSchema = z.strictObject(optionShapes);

export type Options = z.output<typeof optionsSchema>;

/** An option that was not taken, for the person who wrote it. */
export interface OptionProblem {
  /** e.g. `maxInlineChars`. */
  path: string;
  /** One sentence: the path, the value, what is allowed, and what is used instead. */
  message: string;
}

/** Real options are some dozens of values; the host waits while they are read. */
const MAX_VALUES = 5_000;
/** A longer list is wrong in any case, and reading it item by item would exhaust the stack. */
const MAX_ITEMS = 100;
/** Longest form of a wrong value in a message. */
const MAX_SHOWN_VALUE = 60;

/**
 * Reads the options one by one: a wrong one costs itself, not the others and not the recording. Never throws.
 */
export function parseOptions(raw: unknown): { options: Options; problems: OptionProblem[] } {
  const problems: OptionProblem[] = [];
  let options = optionsSchema.parse({});
  if (raw === undefined || raw === null) return { options, problems };
  // Plain and bounded, whatever it was.
  const given = toJsonValue(raw, MAX_VALUES);
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    const message = `options: ${shown(given)} is no object. Write ["opencode-transcripts", { "format": "markdown" }]. The defaults are used.`;
    return { options, problems: [{ path: "options", message }] };
  }
  for (const [path, value] of Object.entries(given)) {
    const isRead = isOption(path) && !(Array.isArray(value) && value.length > MAX_ITEMS);
    const parsed = isRead ? optionsSchema.safeParse({ ...options, [path]: value }) : undefined;
    if (parsed?.success) options = parsed.data;
    else problems.push({ path, message: isOption(path) ? wrongValue(path, value, options) : unknownOption(path) });
  }
  return { options, problems };
}

/** The options as a JSON schema, for editors. */
export function optionsJsonSchema(): unknown {
  return z.toJSONSchema(optionsSchema, { io: "input" });
}

const ALLOWED: Record<keyof Options, string> = {
  format: '"markdown", "jsonl" or "both"',
  directory: "a path that is not empty, at most 4096 characters, without NUL",
  followLinks: "true or false",
  maxInlineChars: "a whole number from 0 to 1000000",
  redact: "true or false",
  reasoning: "true or false",
  events: "true or false",
  tools: `a list of ${TOOL_NAMES.map((name) => JSON.stringify(name)).join(", ")}`,
  compactionHint: "true or false",
  autoExtract: "true or false",
};

function isOption(path: string): path is keyof Options {
  return Object.hasOwn(optionShapes, path);
}

function unknownOption(path: string): string {
  return `${shortened(path)}: there is no such option. Known are ${Object.keys(optionShapes).join(", ")}. It is ignored.`;
}

function wrongValue(path: keyof Options, value: JsonValue, options: Options): string {
  return `${path}: ${shown(value)} is not allowed. Allowed is ${ALLOWED[path]}. ${JSON.stringify(options[path])} is used.`;
}

function shown(value: JsonValue): string {
  return shortened(JSON.stringify(value));
}

function shortened(text: string): string {
  return text.length > MAX_SHOWN_VALUE ? `${text.slice(0, MAX_SHOWN_VALUE)}…` : text;
}
