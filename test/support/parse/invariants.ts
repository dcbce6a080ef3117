/** Laws that hold for the parse of any input, checked without the parser's own code. */
import { isDeepStrictEqual } from "node:util";
import {
  isSuperseded,
  type BlockType,
  type ParsedContentBlock,
  type ParseResult,
  type TranscriptMessage,
} from "../../../src/parse/model.ts";

/** Members of an object before anything was parsed. */
const PROTOTYPE = Object.getOwnPropertyNames(Object.prototype).join(" ");

/** Codes of lines of which nothing is left, unless other objects on the line were read. */
const FAILURES = new Set(["invalid_json", "torn_line", "not_a_record", "line_too_long"]);
const PARTS = new Set(["glued_objects", "partly_lost"]);

/** Offsets of the lines of an input: what stands after the last line feed is a line if it is not empty. */
function lineStarts(input: Uint8Array): number[] {
  const starts: number[] = [];
  let start = 0;
  for (const [at, byte] of input.entries()) {
    if (byte !== 10) continue;
    starts.push(start);
    start = at + 1;
  }
  if (start < input.length) starts.push(start);
  return starts;
}

/** Sentences on what is wrong; none if all is well. */
export function brokenInvariants(input: Uint8Array, result: ParseResult): string[] {
  const said: string[] = [];
  const expect = (isTrue: boolean, sentence: string): void => {
    if (!isTrue) said.push(sentence);
  };
  checkLines(input, result, expect);
  checkMessages(result, expect);
  checkBlocks(result, expect);
  checkCalls(result, expect);
  checkStats(result, expect);
  expect(Object.getOwnPropertyNames(Object.prototype).join(" ") === PROTOTYPE, "the prototype of all objects changed");
  return said;
}

type Expect = (isTrue: boolean, sentence: string) => void;

function checkLines(input: Uint8Array, result: ParseResult, expect: Expect): void {
  const { lines, errors, messages, unknown_lines: unknown } = result;
  // Messages of opencode have numbers instead of lines.
  if (result.format === "opencode-export" || result.format === "gemini-cli-document") return;
  const starts = lineStarts(input);
  const hasLines = result.format === null || result.format.startsWith("claude-");
  const { total, used, blank, failed } = lines;
  const skipped = Object.values(lines.skipped).reduce((sum, count) => sum + count, 0);
  expect(total === starts.length, `${starts.length} lines in the input, ${total} in the account`);
  const sum = used + blank + lines.unknown + failed + skipped;
  expect(total === sum, `the kinds of lines sum up to ${sum}, not to ${total}`);
  expect(Math.min(used, blank, lines.unknown, failed, ...Object.values(lines.skipped)) >= 0, "a count below zero");
  for (const { line_number: line, byte_offset: offset } of [...errors, ...messages, ...unknown]) {
    const start = starts[line - 1] ?? -1;
    // An entry of a transcript may begin anywhere in its line.
    const isInLine = hasLines ? offset === start : offset >= start && offset < (starts[line] ?? input.length);
    expect(isInLine, `line ${line} begins at ${start}, not at ${offset}`);
  }
  for (const { reason } of errors) expect(/^[A-Z\d].+[.?]$/s.test(reason), `no sentence: ${reason}`);
  if (hasLines) checkFailures(result, expect);
}

/** A line that failed is in `errors`; one that is there as lost has failed, unless something else on it was read. */
function checkFailures({ errors, lines }: ParseResult, expect: Expect): void {
  const lost = errors.filter(({ code, recovered }) => FAILURES.has(code) || (code === "nul_bytes" && !recovered));
  const inPart = new Set(errors.filter(({ code }) => PARTS.has(code)).map(({ line_number }) => line_number));
  const told = new Set(lost.map(({ line_number }) => line_number));
  const surely = [...told].filter((line) => !inPart.has(line)).length;
  expect(lines.failed <= told.size, `${lines.failed} lines failed, ${told.size} are in errors`);
  expect(lines.failed >= surely, `${surely} lines are in errors as lost, ${lines.failed} failed`);
}

function checkMessages({ messages, content_blocks: blocks, session_id: session }: ParseResult, expect: Expect): void {
  expect(
    messages.every(({ ordinal }, n) => ordinal === n),
    "the ordinals have gaps",
  );
  expect(new Set(messages.map(({ id }) => id)).size === messages.length, "two messages with one id");
  expect(
    [...messages, ...blocks].every(({ session_id }) => session_id === session),
    "a row of another session",
  );
  const typesOf = new Map<string, Set<BlockType>>(messages.map(({ id }) => [id, new Set()]));
  for (const { message_id: id, block_type: type } of blocks) typesOf.get(id)?.add(type);
  for (const message of messages) checkMessage(message, typesOf.get(message.id) ?? new Set(), expect);
}

function checkMessage(message: TranscriptMessage, types: ReadonlySet<BlockType>, expect: Expect): void {
  const flags = [
    message.has_text === types.has("text"),
    message.has_thinking === (types.has("thinking") || types.has("redacted_thinking")),
    message.has_tool_use === types.has("tool_use"),
    message.has_tool_result === types.has("tool_result"),
  ];
  expect(!flags.includes(false), `flags of message ${message.ordinal}`);
  expect((message.user_kind !== null) === (message.message_type === "user"), `kind of message ${message.ordinal}`);
  const { tokens_in, tokens_out, cache_read, cache_write } = message;
  const tokens = [tokens_in, tokens_out, cache_read, cache_write].map((count) => count ?? 0);
  expect(
    tokens.every((count) => Number.isFinite(count) && count >= 0),
    `tokens of message ${message.ordinal}`,
  );
  const mayHaveTokens = message.message_type === "assistant" || message.metadata.subtype === "usage";
  expect(mayHaveTokens || tokens_in === null, `tokens of a message that is no answer`);
}

function checkBlocks({ messages, content_blocks: blocks, lines }: ParseResult, expect: Expect): void {
  const ordinals = new Map(messages.map(({ id, ordinal }) => [id, ordinal]));
  expect(new Set(blocks.map(({ id }) => id)).size === blocks.length, "two blocks with one id");
  expect(
    blocks.every(({ message_id }) => ordinals.has(message_id)),
    "a block of no message",
  );
  let before: ParsedContentBlock | undefined;
  let last = -1;
  for (const block of blocks) {
    const isSame = before?.message_id === block.message_id;
    const order = before && isSame ? before.block_order + 1 : 0;
    expect(block.block_order === order, `order of block ${block.id}`);
    const ordinal = ordinals.get(block.message_id) ?? 0;
    expect(isSame || ordinal > last, `blocks of message ${ordinal} out of order`);
    last = ordinal;
    expect(block.line_number >= 1 && block.line_number <= lines.total, `line of block ${block.id}`);
    before = block;
  }
}

function checkCalls({ content_blocks: blocks, tool_calls: calls }: ParseResult, expect: Expect): void {
  const places = calls.flatMap(({ use, result }) => [use, result]).flatMap((place) => place?.block_id ?? []);
  const tools = blocks.filter(({ block_type: type }) => type === "tool_use" || type === "tool_result");
  expect(isDeepStrictEqual(places.toSorted(), tools.map(({ id }) => id).toSorted()), "each block is in one call");
  const byId = new Map(tools.map((block) => [block.id, block]));
  for (const { use, result, status, matched_by: by } of calls) {
    const call = byId.get(use?.block_id ?? "");
    const answer = byId.get(result?.block_id ?? "");
    expect(call === undefined || call.block_type === "tool_use", "a call that is none");
    expect(answer === undefined || answer.block_type === "tool_result", "a result that is none");
    expect(call === undefined || call.status === status, `status of call ${call?.id}`);
    expect((status === "pending") === (answer === undefined), `pending call ${call?.id}`);
    expect((by !== null) === (call !== undefined && answer !== undefined), `match of call ${call?.id}`);
    expect(by !== "id" || call?.tool_use_id === answer?.tool_result_id, `ids of call ${call?.id}`);
  }
}

/** What is superseded counts in tokens and costs only. */
function checkStats(result: ParseResult, expect: Expect): void {
  const { messages, stats } = result;
  const current = messages.filter((message) => !isSuperseded(message));
  const ids = new Set(current.map(({ id }) => id));
  const blocks = result.content_blocks.filter((block) => ids.has(block.message_id) && !isSuperseded(block));
  const calls = result.tool_calls.filter((call) => call.superseded !== true);
  const count = (type: string): number => current.filter(({ message_type }) => message_type === type).length;
  const blocksOf = (...types: string[]): number => blocks.filter(({ block_type }) => types.includes(block_type)).length;
  const sum = (of: (message: TranscriptMessage) => number | null): number =>
    messages.reduce((total, message) => total + (of(message) ?? 0), 0);
  const found = {
    total_messages: current.length,
    user_messages: count("user"),
    human_messages: current.filter(({ user_kind, is_sidechain }) => user_kind === "human" && !is_sidechain).length,
    assistant_messages: count("assistant"),
    tool_use_count: blocksOf("tool_use"),
    thinking_blocks: blocksOf("thinking", "redacted_thinking"),
    tokens_in: sum(({ tokens_in }) => tokens_in),
    tokens_out: sum(({ tokens_out }) => tokens_out),
    cache_read: sum(({ cache_read }) => cache_read),
    cache_write: sum(({ cache_write }) => cache_write),
    tool_pending_count: calls.filter(({ status }) => status === "pending").length,
    tool_error_count: calls.filter(({ status }) => status === "error").length,
    tool_rejected_count: calls.filter(({ status }) => status === "rejected").length,
    tool_interrupted_count: calls.filter(({ status }) => status === "interrupted").length,
  };
  const told = Object.fromEntries(
    Object.keys(found).map((key) => [key, Object.entries(stats).find(([k]) => k === key)?.[1]]),
  );
  expect(isDeepStrictEqual(told, { ...found }), `stats ${JSON.stringify(told)}, found ${JSON.stringify(found)}`);
  const calledOf = Object.values(stats.tools).reduce((total, tool) => total + tool.calls, 0);
  expect(calledOf === found.tool_use_count, "calls by tool");
  const cost = sum(({ cost_usd }) => cost_usd);
  expect(Math.abs((stats.cost_estimate_usd ?? cost) - cost) <= 1e-9 * Math.max(1, cost), "the cost is not the sum");
}
