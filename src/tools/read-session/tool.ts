import { flag, integer, optional, text } from "../arguments.ts";
import type { ToolDefinition } from "../tool.ts";

/** A page needs room for its heading and its cursor. */
const MIN_PAGE_TOKENS = 1_000;
const MAX_PAGE_TOKENS = 50_000;
export const DEFAULT_PAGE_TOKENS = 4_000;

const args = {
  session: optional(text("Id, path or latest. Default: this one.")),
  from_line: optional(integer("", { min: 1, max: Number.MAX_SAFE_INTEGER })),
  around_line: optional(integer("Start a little before this line.", { min: 1, max: Number.MAX_SAFE_INTEGER })),
  turns: optional(text("3, 3-5, or -2 for the last two.", { maxChars: 40 })),
  with_tools: optional(flag("Inputs and results of calls too.")),
  with_thinking: optional(flag("")),
  max_tokens: optional(integer(`Default ${DEFAULT_PAGE_TOKENS}.`, { min: MIN_PAGE_TOKENS, max: MAX_PAGE_TOKENS })),
  cursor: optional(text("", { maxChars: 10_000 })),
} as const;

export const READ_SESSION: ToolDefinition<typeof args> = {
  name: "read_session",
  title: "Read a session",
  description: "Reads a recorded session page by page, with line and time of each entry.",
  args,
  example: { session: "latest", turns: "-2" },
  readOnly: true,
};
