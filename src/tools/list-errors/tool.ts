import { flag, integer, optional, text } from "../arguments.ts";
import { SINCE } from "../since.ts";
import type { ToolDefinition } from "../tool.ts";

const MIN_ERRORS_TOKENS = 800;
export const DEFAULT_ERRORS_TOKENS = 3_000;

const args = {
  session: optional(text("Default: all sessions.")),
  since: optional(text(SINCE, { maxChars: 40 })),
  until: optional(text("", { maxChars: 40 })),
  project: optional(text("")),
  tool: optional(text("", { maxChars: 200 })),
  fixes: optional(flag("With the later call that worked, and what changed.")),
  limit: optional(integer("", { min: 1, max: 200 })),
  cursor: optional(text("", { maxChars: 400 })),
  max_tokens: optional(integer(`Default ${DEFAULT_ERRORS_TOKENS}.`, { min: MIN_ERRORS_TOKENS, max: 50_000 })),
} as const;

export const LIST_ERRORS: ToolDefinition<typeof args> = {
  name: "list_errors",
  title: "List tool errors",
  description: "Lists tool calls that failed in recorded sessions, newest first.",
  args,
  example: { session: "latest", fixes: true },
  readOnly: true,
};
