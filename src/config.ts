import * as z from "zod/mini";
import { jsonCopy } from "./json-copy.ts";
import { DATA_FOLDER } from "./transcript/transcript-paths.ts";
import { shortened } from "./neutral-text.ts";

/** Tools that an agent may be offered. All but the first are in `src/tools/tool-definitions.ts`. */
export const TOOL_NAMES = [
  "save_conversation",
  "find_in_transcripts",
  "read_session",
  "list_sessions",
  "list_errors",
  "find_fixes",
  "extract_snippet",
  "query_snippets",
] as const;

/** Together they take at most 2,000 tokens of each request; a test counts them. */
const DEFAULT_TOOLS: readonly (typeof TOOL_NAMES)[number][] = [
  "save_conversation",
  "find_in_transcripts",
  "read_session",
  "list_sessions",
  "extract_snippet",
  "query_snippets",
];

/**
 * Options of the plugin, as in opencode.json: `["opencode-transcripts", { … }]`. Types, defaults, messages, the JSON
 * schema and the README's table are all derived from this schema.
 */
const optionShapes = {
  format: described(
    z._default(z.enum(["markdown", "jsonl", "both"]), "markdown"),
    "File formats to write for each session.",
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
    "Folder for transcripts and saved sessions. A relative path starts at the project's root, one that begins with `~` in your home.",
  ),
  followLinks: described(
    z._default(z.boolean(), false),
    "Records into the folder even if a symbolic link leads it out of the project. In your own configuration, commands and tools also read through such links.",
  ),
  maxInlineChars: described(
    z._default(z.int().check(z.minimum(0), z.maximum(1_000_000)), 5_000),
    "Longest tool output, in characters, that a markdown transcript contains in full. The full text of a longer one is in a separate file.",
  ),
  redact: described(z._default(z.boolean(), true), "Replaces secrets with [REDACTED:kind] before anything is written."),
  tools: described(
    z._default(z.array(z.enum(TOOL_NAMES)), [...DEFAULT_TOOLS]),
    "Tools to offer to the agent. Each description adds about 350 tokens to every request.",
  ),
  compactionHint: described(
    z._default(z.boolean(), true),
    "Has opencode's summary of a session name the file with the full transcript, in one line.",
  ),
  autoExtract: described(
    z._default(z.boolean(), false),
    "Stores suggested snippets of a session (errors with what fixed them) each time it becomes idle.",
  ),
};

function described<T extends z.ZodMiniType>(schema: T, description: string): T {
  z.globalRegistry.add(schema, { description });
  return schema;
}

export const optionsSchema = z.strictObject(optionShapes);

export type Options = z.output<typeof optionsSchema>;

/** Rejected option, with a message for the user. */
export interface OptionProblem {
  /** Name of the option: `maxInlineChars`. */
  path: string;
  /** The path, the value, what is allowed, and the value used instead. */
  message: string;
}

/** A longer list is wrong in any case, and validating it would exhaust the stack. */
const MAX_ITEMS = 100;
/** Characters of a wrong value that a message shows. */
const MAX_SHOWN_VALUE = 60;

/**
 * Reads each option by itself: a wrong one is replaced by its default, and the others still hold. Never throws.
 */
export function parseOptions(raw: unknown): { options: Options; problems: OptionProblem[] } {
  const problems: OptionProblem[] = [];
  let options = optionsSchema.parse({});
  if (raw === undefined || raw === null) return { options, problems };
  // Copied, so that the value is plain data.
  const given = jsonCopy(raw);
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    const message = `options: ${shown(given)} is not an object. Write ["opencode-transcripts", { "format": "markdown" }]. The defaults are used.`;
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
  directory: "a non-empty path of at most 4096 characters without NUL",
  followLinks: "true or false",
  maxInlineChars: "a whole number from 0 to 1000000",
  redact: "true or false",
  tools: `a list of ${TOOL_NAMES.map((name) => JSON.stringify(name)).join(", ")}`,
  compactionHint: "true or false",
  autoExtract: "true or false",
};

function isOption(path: string): path is keyof Options {
  return Object.hasOwn(optionShapes, path);
}

function unknownOption(path: string): string {
  return `${shortened(path, MAX_SHOWN_VALUE)}: unknown option, ignored. The options are ${Object.keys(optionShapes).join(", ")}.`;
}

function wrongValue(path: keyof Options, value: unknown, options: Options): string {
  return `${path}: ${shown(value)} is not allowed. Use ${ALLOWED[path]}. Until then ${JSON.stringify(options[path])} is used.`;
}

function shown(value: unknown): string {
  return shortened(JSON.stringify(value) ?? "nothing", MAX_SHOWN_VALUE);
}
