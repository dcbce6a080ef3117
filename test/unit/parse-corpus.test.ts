/** Session files: each is read without an exception, and the figures are those that a simple reader counts. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { BlockType, ParseErrorCode, ParseResult, TranscriptMessage } from "../../src/parse/model.ts";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { SESSION_KINDS, type SessionKind, testSessions } from "../support/parse/session-files.ts";
import { brokenInvariants } from "../support/parse/invariants.ts";
import {
  countClaude,
  countCodex,
  countCopilot,
  countGemini,
  countExport,
  countPi,
  gluedLines,
  type Figures,
} from "../support/parse/simple-reader.ts";

const DAMAGE = new Set<ParseErrorCode>(["glued_objects", "partly_lost", "invalid_json", "torn_line", "not_a_record"]);

function figuresOf(result: ParseResult): Figures {
  const { content_blocks: blocks, stats, errors } = result;
  const messages = result.format === "opencode-export" ? exported(result) : result.messages;
  const count = (...types: BlockType[]): number => blocks.filter(({ block_type: type }) => types.includes(type)).length;
  const damaged = errors.filter(({ code }) => DAMAGE.has(code)).map(({ line_number: line }) => line);
  const { tokens_in, tokens_out, cache_read, cache_write } = stats;
  const ids = new Set(messages.map(({ id }) => id));
  return {
    messages: messages.length,
    text: blocks.filter(({ message_id: id, block_type: type }) => type === "text" && ids.has(id)).length,
    thinking: count("thinking", "redacted_thinking"),
    tool_use: count("tool_use"),
    tool_result: count("tool_result"),
    errors: blocks.filter(({ is_error: isError }) => isError === true).length,
    tokens_in,
    tokens_out,
    cache_read,
    cache_write,
    damaged: new Set(damaged).size,
  };
}

/** An export has a result within its call, and events within answers: in the model these are messages of their own. */
function exported({ messages }: ParseResult): TranscriptMessage[] {
  return messages.filter(({ message_type: type, user_kind: kind }) => type !== "system" && kind !== "tool_result");
}

const COUNTERS: Readonly<Record<SessionKind, (content: string) => Partial<Figures>>> = {
  "claude-code": countClaude,
  "claude-stream-json": countClaude,
  "opencode-export": countExport,
  codex: countCodex,
  copilot: countCopilot,
  "gemini-cli": countGemini,
  pi: countPi,
};

for (const kind of SESSION_KINDS) {
  testSessions(`${kind}: every file is read, with the figures that a simple reader counts`, [kind], async (files) => {
    for (const { name, path } of files) {
      const bytes = readFileSync(path);
      const result = await parseTranscript("S", bytes);
      assert.deepEqual(brokenInvariants(bytes, result), [], name);
      const content = bytes.toString("utf8");
      const glued = result.errors.filter(({ code }) => code === "glued_objects").map(({ line_number: line }) => line);
      assert.deepEqual(glued, gluedLines(content), `${name}: lines with two objects`);
      const counted = COUNTERS[kind](content);
      assert.deepEqual({ ...figuresOf(result), ...counted }, figuresOf(result), name);
    }
  });
}
