/** Every line of an input, with what became of it. */
import type { BlockDraft, MessageDraft, SourceUnit } from "../parse/draft.ts";
import { textOf, type Fields } from "../parse/json-fields.ts";
import { recordsOfLine } from "../parse/json-records.ts";
import { LineSplitter, type RawLine } from "../parse/lines.ts";
import type { SourceName } from "../parse/model.ts";
import type { ParseOptions } from "../parse/options.ts";
import { onceThrough, reopenable, type Reopenable, type ScanInput } from "../scan/find-input.ts";
import { detected } from "./detect-input.ts";
import { otherHalves, type OtherHalves } from "./other-halves.ts";
import type { EntryRow } from "./schemas/entries.ts";

/** Longer lines are told of, not read. */
const MAX_LINE_BYTES = 5 * 1024 * 1024;
/** Sources of which each line is a record of JSON. */
const JSON_LINES: ReadonlySet<SourceName> = new Set(["claude-code", "claude-stream", "jsonl"]);

type EntryOptions = Pick<ParseOptions, "readOutput" | "signal">;

/** In order. An input that can be read only once is held in memory, since halves of a call may stand far apart. */
export async function* entryRows(input: ScanInput, options: EntryOptions): AsyncGenerator<EntryRow> {
  const again = reopenable(input) ?? (await held(input));
  const halves = await otherHalves(again, options);
  const { source, rest } = await detected(onceThrough(again));
  const raw = JSON_LINES.has(source.name) ? new RawLines() : undefined;
  const { readOutput } = options;
  const settings = { maxLineBytes: MAX_LINE_BYTES, agentProgress: false, ...(readOutput ? { readOutput } : {}) };
  for await (const units of source.read(watched(rest, raw), settings)) {
    if (options.signal?.aborted) return;
    for (const unit of units) yield rowOf(unit, raw?.next(unit.line), halves);
  }
}

async function held(input: ScanInput): Promise<Reopenable> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of onceThrough(input)) chunks.push(chunk);
  return { fromStart: () => chunks };
}

async function* watched(chunks: AsyncIterable<Uint8Array>, raw: RawLines | undefined): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    raw?.push(chunk);
    yield chunk;
  }
  raw?.end();
}

/** The records as they stand in the file, for what the parser does not keep of lines that are no conversation. */
class RawLines {
  readonly #splitter = new LineSplitter(MAX_LINE_BYTES);
  readonly #waiting = new Map<number, RawLine>();
  /** Records of the line that was asked for last: a line that lost its end has several, each with a unit. */
  #records: Fields[] = [];

  push(chunk: Uint8Array): void {
    for (const line of this.#splitter.push(chunk)) this.#waiting.set(line.line, line);
  }

  end(): void {
    const last = this.#splitter.end();
    if (last) this.#waiting.set(last.line, last);
  }

  /** The next record on a line. */
  next(line: number): Fields | undefined {
    const raw = this.#waiting.get(line);
    if (raw) {
      this.#waiting.delete(line);
      this.#records = recordsOfLine(raw, MAX_LINE_BYTES).records.map(({ fields }) => fields);
    }
    return this.#records.shift();
  }
}

function rowOf(unit: SourceUnit, record: Fields | undefined, halves: OtherHalves): EntryRow {
  const { line, offset, lines, outcome, problems, messages, session } = unit;
  const [first] = messages;
  const raw = (key: string): string | null => (record && textOf(record, key)) ?? null;
  return {
    version: 1,
    line_number: line,
    byte_offset: offset,
    lines,
    outcome: outcome.as,
    type: raw("type") ?? typeOf(outcome) ?? first?.type ?? null,
    subtype: raw("subtype") ?? first?.metadata?.subtype ?? null,
    problems: problems.map(({ code, reason, recovered }) => ({ code, reason, recovered })),
    session_id: raw("sessionId") ?? raw("session_id") ?? session?.sessionId ?? null,
    uuid: raw("uuid") ?? first?.uuid ?? null,
    parent_uuid: raw("parentUuid") ?? first?.parentUuid ?? null,
    ...messageFields(first),
    timestamp: raw("timestamp") ?? first?.timestamp ?? unit.timestamp ?? null,
    cwd: raw("cwd") ?? first?.cwd ?? null,
    is_sidechain: first?.isSidechain ?? record?.["isSidechain"] === true,
    agent_id: raw("agentId") ?? first?.agentId ?? null,
    ...usageFields(first),
    blocks: messages.flatMap(({ blocks }) => blocks.map((block) => blockFields(block, line, halves))),
  };
}

function typeOf(outcome: SourceUnit["outcome"]): string | undefined {
  if (outcome.as === "unknown") return outcome.type;
  return outcome.as === "skipped" ? outcome.kind : undefined;
}

function messageFields(
  message: MessageDraft | undefined,
): Pick<EntryRow, "message_id" | "request_id" | "role" | "user_kind" | "origin" | "model"> {
  return {
    message_id: message?.sourceId ?? null,
    request_id: message?.requestId ?? null,
    role: message?.role ?? null,
    user_kind: message?.userKind ?? null,
    origin: message?.metadata?.origin ?? null,
    model: message?.model ?? null,
  };
}

function usageFields(
  message: MessageDraft | undefined,
): Pick<EntryRow, "tokens_in" | "tokens_out" | "cache_read" | "cache_write"> {
  const usage = message?.usage;
  return {
    tokens_in: usage?.tokensIn ?? null,
    tokens_out: usage?.tokensOut ?? null,
    cache_read: usage?.cacheRead ?? null,
    cache_write: usage?.cacheWrite ?? null,
  };
}

function blockFields(block: BlockDraft, line: number, halves: OtherHalves): EntryRow["blocks"][number] {
  const { type, toolName, toolUseId, isError, exitCode, status } = block;
  const isHalf = type === "tool_use" || type === "tool_result";
  return {
    block_type: type,
    ...(type === "tool_use" ? { tool_name: toolName ?? null } : {}),
    ...(isHalf ? { tool_use_id: toolUseId ?? null, other_line: halves.of(type, line, toolUseId) } : {}),
    ...(isError === undefined ? {} : { is_error: isError }),
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    ...(status === undefined ? {} : { status }),
    chars: block.text?.length ?? inputLength(block.input),
  };
}

function inputLength(input: unknown): number {
  if (input === undefined || input === null) return 0;
  try {
    return JSON.stringify(input).length;
  } catch {
    // Nested too deep for the runtime.
    return 0;
  }
}
