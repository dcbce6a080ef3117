import { SNIPPET_TYPES } from "../../store/model.ts";
import { choice, integer, optional, text, texts } from "../arguments.ts";
import type { ToolDefinition } from "../tool.ts";

const args = {
  session_id: optional(text("")),
  snippet_type: optional(choice("", SNIPPET_TYPES)),
  project: optional(text("")),
  tags: optional(texts("", { max: 50, maxChars: 100 })),
  keyword: optional(text("In title or content.", { maxChars: 10_000 })),
  start_date: optional(text("ISO 8601.", { maxChars: 40 })),
  end_date: optional(text("", { maxChars: 40 })),
  limit: optional(integer("", { min: 1, max: 500 })),
  offset: optional(integer("", { min: 0, max: 2_147_483_647 })),
} as const;

export const QUERY_SNIPPETS: ToolDefinition<typeof args> = {
  name: "query_snippets",
  title: "Find snippets",
  description: "Finds snippets of earlier sessions, newest first.",
  args,
  example: { keyword: "migration", snippet_type: "decision_rationale", limit: 5 },
  readOnly: true,
};
