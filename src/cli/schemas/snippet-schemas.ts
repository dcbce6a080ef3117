/** Outputs of commands for snippets. */
import { z } from "zod";
import { SNIPPET_TYPES } from "../../store/stored-model.ts";
import { text, version } from "./shared-fields.ts";

const type = z.enum(SNIPPET_TYPES);

export const snippetsExtract = z.strictObject({
  version,
  success: z.literal(true),
  snippet_id: z.string(),
  session_id: z.string().describe("Full id."),
  snippet_type: type,
  title: z.string().describe("Redacted title."),
  created_at: z.string(),
  already_stored: z.literal(true).optional().describe("The session already has this content; nothing was stored."),
  similar: z
    .array(
      z.strictObject({
        snippet_id: z.string(),
        session_id: z.string(),
        title: z.string(),
        likeness: z.number().describe("From 0.7 to 1."),
      }),
    )
    .optional()
    .describe("Near-duplicates."),
  type_hint: z
    .strictObject({ snippet_type: type, confidence: z.number(), because: z.array(z.string()) })
    .optional()
    .describe("The content looks like another type."),
  lines_skipped: z.number().optional().describe("Number of damaged lines in the range."),
  entries_left_out: z.number().optional().describe("Number of entries in the range left out for lack of space."),
});

const snippet = z.strictObject({
  snippet_id: z.string(),
  session_id: z.string(),
  event_id: text,
  snippet_type: type,
  title: z.string(),
  content: z.string(),
  source_file: text,
  source_line_start: z.number().nullable(),
  source_line_end: z.number().nullable(),
  tags: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()).describe("word_count, read_time_seconds, citation, and given values."),
  created_at: z.string(),
  updated_at: z.string(),
});

export const snippetsQuery = z.strictObject({
  version,
  success: z.literal(true),
  snippets: z.array(snippet).describe("Newest first."),
  total_count: z.number().describe("Number of all matches."),
  has_more: z.boolean(),
});

export const snippetsCount = z.strictObject({
  version,
  error_reasoning: z.number(),
  decision_rationale: z.number(),
  learning_pattern: z.number(),
  total: z.number(),
});

export const snippetsSuggest = z.strictObject({
  version,
  snippet_type: type,
  title: z.string(),
  content: z.string().describe("Redacted evidence, with the line of each entry."),
  line_start: z.number(),
  line_end: z.number(),
  from: text.describe("First time in it."),
  to: text,
  entries: z.array(z.string()).describe("Ids of the entries in the source."),
  evidence: z
    .array(
      z.strictObject({
        line: z.number(),
        role: z.enum(["context", "failed", "tried", "explained", "changed", "succeeded", "concluded", "corrected"]),
      }),
    )
    .describe("Part of each entry in it."),
  score: z.number().describe("From 0.7 to 1."),
  reason: z.string(),
});

export const snippetsCleanup = z.strictObject({
  version,
  old: z.number().describe("Number of snippets older than that."),
  deleted: z.number(),
  dry_run: z.boolean(),
});

export type SnippetsExtracted = z.infer<typeof snippetsExtract>;
export type SnippetsFound = z.infer<typeof snippetsQuery>;
export type SnippetsCounted = z.infer<typeof snippetsCount>;
export type SnippetSuggested = z.infer<typeof snippetsSuggest>;
export type SnippetsCleaned = z.infer<typeof snippetsCleanup>;
