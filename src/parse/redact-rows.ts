/** Redacts a parsed session. */
import type { RedactionCounts } from "../redact/finding.ts";
import { redactJson } from "../redact/redact-json.ts";
import type { Redactor } from "../redact/redactor.ts";
import type { ParsedContentBlock, ParseResult, TranscriptMessage } from "./model.ts";
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
  const clean = await cleanNames(namesIn(result), redactor);
  const messages = (await redacted(result.messages, textsOfMessage, redactor, note)).map((row) => named(row, clean));
  const contentBlocks = await redacted(result.content_blocks, textsOfBlock, redactor, note);
  const blocks = contentBlocks.map((row) => named(row, clean));
  const { stats, metadata, lines, errors } = result;
  const [prompt] = await redactor.redact([{ text: stats.initial_prompt ?? "", cut: true }]);
  const unknownLines = await redacted(result.unknown_lines, ({ raw }) => ({ raw }), redactor, note);
  return {
    ...result,
    session_id: clean(result.session_id),
    messages,
    content_blocks: blocks,
    tool_calls: correlateToolCalls(messages, blocks),
    errors: errors.map((error) => ({ ...error, reason: clean(error.reason) })),
    lines: { ...lines, skipped: withKeys(lines.skipped, clean) },
    stats: {
      ...stats,
      initial_prompt: stats.initial_prompt === null ? null : (prompt?.text ?? ""),
      unpriced_models: stats.unpriced_models.map(clean),
      models: withKeys(stats.models, clean),
      tools: withKeys(stats.tools, clean),
      redactions: Object.fromEntries(counts),
    },
    unknown_lines: unknownLines.map((line) => ({ ...line, type: clean(line.type) })),
    metadata: named(metadata, clean),
  };
}

/** Redacts a message and its blocks, names included. */
export async function redactView({ message, blocks }: MessageView, redactor: Redactor): Promise<MessageView> {
  const [own, ...others] = await redactJson(redactor, [message, ...blocks]);
  return {
    message: Object.assign({ ...message }, own?.value),
    blocks: blocks.map((block, at) => Object.assign({ ...block }, others[at]?.value)),
  };
}

/** Fields with names and ids, which repeat often. */
const NAME_FIELDS = new Set(
  (
    "session_id source_id uuid parent_uuid request_id model provider cwd agent_id source_uuid tool_name tool_use_id " +
    "tool_result_id sessionId parentSessionId agentId title version gitBranch"
  ).split(" "),
);

type Clean = (name: string) => string;

function namesIn({
  session_id,
  messages,
  content_blocks,
  stats,
  metadata,
  lines,
  errors,
  unknown_lines,
}: ParseResult): Set<string> {
  const names = new Set([session_id, ...stats.unpriced_models, ...errors.map(({ reason }) => reason)]);
  for (const record of [stats.models, stats.tools, lines.skipped])
    for (const key of Object.keys(record)) names.add(key);
  for (const { type } of unknown_lines) names.add(type);
  for (const rows of [messages, content_blocks, [metadata]])
    for (const row of rows)
      for (const [field, value] of Object.entries(row))
        if (typeof value === "string" && NAME_FIELDS.has(field)) names.add(value);
  return names;
}

async function cleanNames(names: ReadonlySet<string>, redactor: Redactor): Promise<Clean> {
  const all = [...names];
  const results = await redactor.redact(all.map((text) => ({ text })));
  const changed = new Map(
    all.flatMap((name, at) => {
      const text = results[at]?.text ?? "";
      return text === name ? [] : [[name, text] as const];
    }),
  );
  return (name) => changed.get(name) ?? name;
}

/** Returns the row itself if none of its names changes. */
function named<Row extends object>(row: Row, clean: Clean): Row {
  const changed: Record<string, string> = {};
  for (const [field, value] of Object.entries(row)) {
    if (typeof value === "string" && NAME_FIELDS.has(field) && clean(value) !== value) changed[field] = clean(value);
  }
  return Object.keys(changed).length === 0 ? row : { ...row, ...changed };
}

/** Numbers names that became equal, so that none is lost. */
function withKeys<Value>(record: Readonly<Record<string, Value>>, clean: Clean): Record<string, Value> {
  const result = new Map<string, Value>();
  for (const [key, value] of Object.entries(record)) {
    let name = clean(key);
    for (let count = 2; result.has(name); count++) name = `${clean(key)} (${count})`;
    result.set(name, value);
  }
  return Object.fromEntries(result);
}

type MessageTexts = Pick<TranscriptMessage, "metadata">;

function textsOfMessage({ metadata }: TranscriptMessage): MessageTexts {
  return { metadata };
}

type BlockTexts = Pick<
  ParsedContentBlock,
  "content_text" | "thinking_text" | "tool_name" | "tool_input" | "result_text" | "metadata"
>;

function textsOfBlock({
  content_text,
  thinking_text,
  tool_name,
  tool_input,
  result_text,
  metadata,
}: ParsedContentBlock): BlockTexts {
  return { content_text, thinking_text, tool_name, tool_input, result_text, metadata };
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
