import { z } from "zod";
import { version } from "./version.ts";

const type = z.enum(["error_reasoning", "decision_rationale", "learning_pattern"]);

export const snippetsExtract = z.strictObject({
  version,
  success: z.literal(true),
  snippet_id: z.string(),
  session_id: z.string().describe("The whole id."),
  snippet_type: type,
  title: z.string().describe("Redacted."),
  created_at: z.string(),
  already_stored: z.literal(true).optional().describe("The session had this content already; nothing was stored."),
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
    .describe("Snippets that say nearly the same."),
  type_hint: z
    .strictObject({ snippet_type: type, confidence: z.number(), because: z.array(z.string()) })
    .optional()
    .describe("The content looks like one of another type."),
  lines_skipped: z.number().optional().describe("Damaged lines in the range."),
  entries_left_out: z.number().optional().describe("Entries in the range for which there was no room."),
});

const snippet = z.strictObject({
  snippet_id: z.string(),
  session_id: z.string(),
  event_id: z.string().nullable(),
  snippet_type: type,
  title: z.string(),
  content: z.string(),
  source_file: z.string().nullable(),
  source_line_start: z.number().nullable(),
  source_line_end: z.number().nullable(),
  tags: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()).describe("word_count, read_time_seconds, citation, and what was given."),
  created_at: z.string(),
  updated_at: z.string(),
});

export const snippetsQuery = z.strictObject({
  version,
  success: z.literal(true),
  snippets: z.array(snippet).describe("Newest first."),
  total_count: z.number().describe("All that match."),
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
  content: z.string().describe("The evidence, redacted, with the line of each entry."),
  line_start: z.number(),
  line_end: z.number(),
  from: z.string().nullable().describe("The first time in it."),
  to: z.string().nullable(),
  entries: z.array(z.string()).describe("What the source calls its entries."),
  evidence: z
    .array(
      z.strictObject({
        line: z.number(),
        role: z.enum([
          "context",
          "reported",
          "failed",
          "tried",
          "explained",
          "changed",
          "succeeded",
          "concluded",
          "offered",
          "chosen",
          "corrected",
        ]),
      }),
    )
    .describe("What each entry of the content is to it."),
  score: z.number().describe("From 0.55 to 1."),
  reason: z.string(),
});

export const snippetsCleanup = z.strictObject({
  version,
  old: z.number().describe("Snippets older than that."),
  deleted: z.number(),
  dry_run: z.boolean(),
});

const file = z.strictObject({
  path: z.string(),
  kind: z.enum(["session", "subagent", "outputs", "saved"]),
  bytes: z.number(),
});

export const forget = z.strictObject({
  version,
  session_id: z.string(),
  in_index: z.array(z.string()).describe("Sessions in the index: this one and its subagents."),
  events: z.number(),
  snippets: z.number(),
  files: z.array(file).describe("Files and folders that go."),
  kept: z
    .array(z.strictObject({ path: z.string(), reason: z.string() }))
    .describe("What belongs to it and is not touched."),
  failed: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
  removed: z.boolean().describe("False if it was only shown."),
});

export type SnippetsExtracted = z.infer<typeof snippetsExtract>;
export type SnippetsFound = z.infer<typeof snippetsQuery>;
export type SnippetsCounted = z.infer<typeof snippetsCount>;
export type SnippetSuggested = z.infer<typeof snippetsSuggest>;
export type SnippetsCleaned = z.infer<typeof snippetsCleanup>;
export type Forgotten = z.infer<typeof forget>;
