/** Redacts a parsed session. */
import type { RedactionCounts } from "../redact/finding.ts";
import { redactJson } from "../redact/redact-json.ts";
import type { Redactor } from "../redact/redactor.ts";
import type { ParseResult } from "./model.ts";
import { correlateToolCalls } from "./tool-calls.ts";
import type { MessageView } from "./turns.ts";

/** Number of rows redacted together: one call for many small texts is fast, but all texts of a session take much memory. */
const BATCH = 500;

/**
 * Returns a copy in which each secret is `[REDACTED:kind]`: in texts, inputs, results, titles, metadata, folders, branches,
 * models, ids, and names of tools and types. Equal values stay equal, so that rows still belong together. Times and counts
 * are unchanged. `stats.redactions` has the numbers for the copy.
 */
export async function redactResult(result: ParseResult, redactor: Redactor): Promise<ParseResult> {
  const counts = new Map(Object.entries(result.stats.redactions));
  const note = (found: RedactionCounts): void => {
    for (const [kind, count] of Object.entries(found)) counts.set(kind, (counts.get(kind) ?? 0) + (count ?? 0));
  };
  const { messages: messageRows, content_blocks: blockRows, tool_calls: _, errors, unknown_lines, ...rest } = result;
  const messages = await redacted(messageRows, redactor, note);
  const blocks = await redacted(blockRows, redactor, note);
  const unknown = await redacted(unknown_lines, redactor, note);
  const { initial_prompt: prompt } = result.stats;
  const [first] = await redactor.redact([{ text: prompt ?? "", cut: true }]);
  const [whole = rest] = await redacted([rest], redactor);
  return {
    ...whole,
    messages,
    content_blocks: blocks,
    tool_calls: correlateToolCalls(messages, blocks),
    errors: await redacted(errors, redactor),
    unknown_lines: unknown,
    stats: {
      ...whole.stats,
      initial_prompt: prompt === null ? null : (first?.text ?? ""),
      redactions: Object.fromEntries(counts),
    },
  };
}

/** Redacts a message and its blocks, names included. */
export async function redactView({ message, blocks }: MessageView, redactor: Redactor): Promise<MessageView> {
  const [own = message, ...others] = await redacted<object>([message, ...blocks], redactor);
  return {
    message: Object.assign({ ...message }, own),
    blocks: blocks.map((block, at) => Object.assign({ ...block }, others[at])),
  };
}

/** Redacts all texts of rows, names and keys included. */
async function redacted<Row extends object>(
  rows: readonly Row[],
  redactor: Redactor,
  note: (counts: RedactionCounts) => void = () => undefined,
): Promise<Row[]> {
  const done: Row[] = [];
  for (let at = 0; at < rows.length; at += BATCH) {
    const batch = rows.slice(at, at + BATCH);
    const results = await redactJson(redactor, batch.map(textsIn));
    for (const [index, row] of batch.entries()) {
      const { value, counts = {} } = results[index] ?? {};
      note(counts);
      done.push(Object.assign({ ...row }, value));
    }
  }
  return done;
}

/** Fields without text: ids made here, times, and values of closed sets. */
const NO_TEXT = new Set("id message_id block_type message_type role user_kind status timestamp".split(" "));

function textsIn(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !NO_TEXT.has(name)));
}
