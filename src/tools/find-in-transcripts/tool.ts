import { choice, flag, integer, optional, text } from "../arguments.ts";
import { SINCE } from "../since.ts";
import type { ToolDefinition } from "../tool.ts";

const MIN_FIND_TOKENS = 800;
export const DEFAULT_FIND_TOKENS = 2_500;
const ROLES = ["user", "assistant", "tool", "system"] as const;

const args = {
  query: text("", { maxChars: 1_000 }),
  match: optional(choice("words: all of them, in any order. Default: phrase.", ["phrase", "words"])),
  since: optional(text(SINCE, { maxChars: 40 })),
  until: optional(text("", { maxChars: 40 })),
  project: optional(text("Folder, or its last name.")),
  role: optional(choice("", ROLES)),
  tool: optional(text("", { maxChars: 200 })),
  errors: optional(flag("Only calls that list_errors has.")),
  limit: optional(integer("", { min: 1, max: 100 })),
  cursor: optional(text("", { maxChars: 2_000 })),
  max_tokens: optional(integer("", { min: MIN_FIND_TOKENS, max: 50_000 })),
} as const;

export const FIND_IN_TRANSCRIPTS: ToolDefinition<typeof args> = {
  name: "find_in_transcripts",
  title: "Find in transcripts",
  description:
    "Searches recorded sessions of coding agents, this one's past too. Gives passages with session and line.",
  args,
  example: { query: "connection refused", since: "7d" },
  readOnly: true,
};
