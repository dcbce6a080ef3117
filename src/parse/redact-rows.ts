/** Secrets out of a parsed session, before it goes anywhere but to the person who asked. */
import type { RedactionCounts } from "../redact/finding.ts";
import { redactJson } from "../redact/redact-json.ts";
import type { Redactor } from "../redact/redactor.ts";
import type { ParsedContentBlock, ParseResult, TranscriptMessage } from "./model.ts";
import { correlateToolCalls } from "./tool-calls.ts";

/** Rows that are redacted in one go: many small texts in one call are cheap, all texts of a session are much memory. */
const BATCH = 500;

/**
 * A copy of a parse in which each secret is `[REDACTED:kind]`: in the texts of messages, calls and results, in prompts,
 * titles and metadata. Ids, times, paths and counts stay. `stats.redactions` counts what stands in the copy.
 */
export async function redactResult(result: ParseResult, redactor: Redactor): Promise<ParseResult> {
  const counts = new Map(Object.entries(result.stats.redactions));
  const note = (found: RedactionCounts): void => {
    for (const [kind, count] of Object.entries(found)) counts.set(kind, (counts.get(kind) ?? 0) + (count ?? 0));
  };
  const messages = await redacted(result.messages, textsOfMessage, redactor, note);
  const contentBlocks = await redacted(result.content_blocks, textsOfBlock, redactor, note);
  const about = { initial_prompt: result.stats.initial_prompt, title: result.metadata.title };
  const [{ initial_prompt, title } = about] = await redacted(
    [about],
    (each) => each,
    redactor,
    () => undefined,
  );
  const [{ unknown_lines } = result] = await redacted(
    [result],
    ({ unknown_lines }) => ({ unknown_lines }),
    redactor,
    note,
  );
  return {
    ...result,
    messages,
    content_blocks: contentBlocks,
    tool_calls: correlateToolCalls(messages, contentBlocks),
    stats: { ...result.stats, initial_prompt, redactions: Object.fromEntries(counts) },
    unknown_lines,
    metadata: { ...result.metadata, title },
  };
}

type MessageTexts = Pick<TranscriptMessage, "metadata">;

function textsOfMessage({ metadata }: TranscriptMessage): MessageTexts {
  return { metadata };
}

type BlockTexts = Pick<
  ParsedContentBlock,
  "content_text" | "thinking_text" | "tool_input" | "result_text" | "metadata"
>;

function textsOfBlock({
  content_text,
  thinking_text,
  tool_input,
  result_text,
  metadata,
}: ParsedContentBlock): BlockTexts {
  return { content_text, thinking_text, tool_input, result_text, metadata };
}

async function redacted<Row extends object>(
  rows: readonly Row[],
  textsOf: (row: Row) => Partial<Row>,
  redactor: Redactor,
  note: (counts: RedactionCounts) => void,
): Promise<Row[]> {
  const done: Row[] = [];
  for (let at = 0; at < rows.length; at += BATCH) {
    const batch = rows.slice(at, at + BATCH);
    const results = await redactJson(redactor, batch.map(textsOf));
    for (const [index, row] of batch.entries()) {
      const { value, counts = {} } = results[index] ?? {};
      note(counts);
      done.push(Object.assign({ ...row }, value));
    }
  }
  return done;
}
