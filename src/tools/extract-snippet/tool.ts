import { SNIPPET_TYPES } from "../../store/model.ts";
import { choice, integer, optional, record, text, texts } from "../arguments.ts";
import type { ToolDefinition } from "../tool.ts";

/** Sizes count after redaction, so that the work checks them; these keep nonsense away. */
const MAX_GIVEN_CHARS = 200_000;
const MAX_LINE = 2_147_483_647;
const line = { min: 1, max: MAX_LINE };
const turn = { min: 0, max: MAX_LINE };

const args = {
  session_id: optional(text("Id, path or latest. Default: this one.")),
  snippet_type: choice(
    "Why it failed and what fixed it; why this and not the alternatives; a reusable lesson.",
    SNIPPET_TYPES,
  ),
  title: text("", { maxChars: 10_000 }),
  content: optional(text("100 bytes to 10 KB. Default: the lines or turns.", { maxChars: MAX_GIVEN_CHARS })),
  event_id: optional(text("")),
  source_line_start: optional(integer("", line)),
  source_line_end: optional(integer("", line)),
  source_turn_start: optional(integer("Instead of lines.", turn)),
  source_turn_end: optional(integer("", turn)),
  tags: optional(texts("", { max: 50, maxChars: 100 })),
  metadata: optional(record("")),
} as const;

export const EXTRACT_SNIPPET: ToolDefinition<typeof args> = {
  name: "extract_snippet",
  title: "Keep a snippet",
  description: "Stores a part of a session that is worth finding again. Secrets are removed.",
  args,
  example: {
    session_id: "latest",
    snippet_type: "error_reasoning",
    title: "Port taken in tests",
    source_line_start: 12,
    source_line_end: 31,
  },
  readOnly: false,
};
