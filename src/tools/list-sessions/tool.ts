import { integer, optional, text } from "../arguments.ts";
import type { ToolDefinition } from "../tool.ts";

const args = {
  project: optional(text("")),
  since: optional(text("", { maxChars: 40 })),
  until: optional(text("", { maxChars: 40 })),
  limit: optional(integer("", { min: 1, max: 200 })),
  cursor: optional(text("", { maxChars: 400 })),
} as const;

export const LIST_SESSIONS: ToolDefinition<typeof args> = {
  name: "list_sessions",
  title: "List sessions",
  description: "Lists recorded sessions, newest first.",
  args,
  example: { project: "my-app", since: "7d" },
  readOnly: true,
};
