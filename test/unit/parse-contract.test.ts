/** One contract for all sources: the same conversation comes out as the same rows, and every command reads it. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findFixes } from "../../src/queries/call-fixes.ts";
import type { ParseResult } from "../../src/parse/model.ts";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { readTranscript } from "../../src/agents/parse-input.ts";
import { detectFormat } from "../../src/agents/detect.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { assertAccounted } from "../support/parse/account.ts";
import { asEachFormat, type MadeFormat, PROMPT } from "../support/parse/one-conversation.ts";
import { readSource } from "../support/parse/source.ts";
import { afterAll, beforeAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

const SOURCES = ["claude-code", "claude-stream", "markdown", "jsonl", "opencode-export", "copilot", "pi"] as const;
const NAMES: Record<MadeFormat, string> = {
  "claude-code": "claude.jsonl",
  "claude-stream": "stream.jsonl",
  markdown: "transcript.md",
  jsonl: "transcript.jsonl",
  "opencode-export": "export.json",
  copilot: "events.jsonl",
  pi: "pi.jsonl",
};

/** The same content, as editors and other programs write it. */
const FORMS: Record<string, (text: string) => string> = {
  "as it is": (text) => text,
  "with line ends of Windows": (text) => text.replaceAll("\n", "\r\n"),
  "with blank lines between its entries": (text) => text.replaceAll(/\n(?=\{|## )/g, "\n\n\n"),
  "without its last bytes": (text) => text.slice(0, -5),
};

let home = "";
let files: Record<MadeFormat, string>;

beforeAll(async () => {
  home = makeTempDir();
  files = await asEachFormat(join(home, ".openfleet"));
  mkdirSync(join(home, "work"));
  for (const source of SOURCES) writeFileSync(join(home, "work", NAMES[source]), files[source]);
});
afterAll(removeTempDirs);

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** The conversation without ids, places and times; session events are ours alone. */
function conversation({ messages, content_blocks, tool_calls, stats }: ParseResult): unknown {
  const told = messages.filter(({ message_type }) => message_type !== "system");
  const calls = new Map(tool_calls.map((call, at) => [call.tool_use_id, at]));
  return {
    messages: told.map((message) => [
      message.message_type,
      message.role,
      message.user_kind,
      [message.tokens_in, message.tokens_out, message.cache_read, message.cache_write],
      [message.has_text, message.has_thinking, message.has_tool_use, message.has_tool_result],
      content_blocks
        .filter(({ message_id }) => message_id === message.id)
        .map((block) => [
          block.block_order,
          block.block_type,
          block.content_text ?? block.result_text,
          // Some sources name the tool of a result too.
          [block.block_type === "tool_use" && block.tool_name, block.tool_input, block.is_error, block.status],
          calls.get(block.tool_use_id ?? block.tool_result_id),
        ]),
    ]),
    calls: tool_calls.map(({ tool_name, tool_input, status, error, result_text, matched_by }) => [
      [tool_name, tool_input, status, error, result_text, matched_by],
    ]),
    stats: {
      human: stats.human_messages,
      assistant: stats.assistant_messages,
      calls: stats.tool_use_count,
      errors: stats.tool_error_count,
      tokens: [stats.tokens_in, stats.tokens_out, stats.cache_read, stats.cache_write],
      tools: stats.tools,
      prompt: stats.initial_prompt,
    },
  };
}

for (const source of SOURCES) {
  describe(source, () => {
    test("is detected from its content", async () => {
      assert.equal((await parseTranscript("S", files[source])).format, source);
    });

    test("returns the same conversation as a session file of Claude Code", async () => {
      const expected = conversation(await parseTranscript("S", files["claude-code"]));
      const result = await parseTranscript("S", files[source]);
      assert.deepEqual(conversation(result), expected);
      assert.deepEqual(result.errors, []);
    });

    test("accounts for each of its lines", async () => {
      const { lines } = await parseTranscript("S", files[source]);
      const skipped = Object.values(lines.skipped).reduce((sum, count) => sum + count, 0);
      // The lines of an export are its messages.
      const total =
        source === "opencode-export"
          ? JSON.parse(files[source]).messages
          : files[source].replace(/\n$/, "").split("\n");
      assert.equal(lines.total, total.length);
      assert.equal(lines.used + lines.blank + lines.unknown + lines.failed + skipped, lines.total);
    });

    for (const [form, changed] of source === "opencode-export" ? [] : Object.entries(FORMS)) {
      test(`has its units in order, ${form}`, async () => {
        const bytes = Buffer.from(changed(files[source]));
        const found = detectFormat(bytes.toString()) ?? assert.fail();
        assertAccounted(await readSource(found, bytes), bytes);
      });
    }

    test("is read block by block", async () => {
      const whole = await parseTranscript("S", files[source]);
      const reader = readTranscript("S", files[source]);
      const blocks: string[] = [];
      for await (const read of reader) blocks.push(...read.blocks.map(({ block_type }) => block_type));
      assert.deepEqual(
        blocks.toSorted(byText),
        whole.content_blocks.map(({ block_type }) => block_type).toSorted(byText),
      );
      assert.deepEqual(reader.summary().stats, whole.stats);
    });

    test("says what failed and what fixed it", async () => {
      const { messages, content_blocks, tool_calls } = await parseTranscript("S", files[source]);
      const fixes = findFixes(messages, content_blocks, tool_calls);
      assert.deepEqual(
        fixes.map(({ failed, fix, words }) => [failed.error, fix?.result_text, words]),
        [["Exit code 1\nexpected 21 but got 12", "ok", ["Once more."]]],
      );
    });

    for (const [command, expected] of [
      ["show", /Why does the forecast swap digits\?[^]*I will run the tests\.[^]*It was `swap`\.[^]*Thanks\./],
      ["errors", /^bash\t\S+\tExit code 1\\nexpected 21 but got 12\n$/],
      ["timeline", /Why does the forecast swap[^]*Thanks\./],
      ["stats", /\bbash\b/],
    ] as const) {
      test(`${command} works on it`, async () => {
        const run = await runCli([command, NAMES[source]], { home, cwd: join(home, "work") });
        assert.equal(run.exitCode, 0, run.stderr);
        assert.match(run.stdout, expected);
      });
    }
  });
}

test("the first prompt is the one that was played", async () => {
  assert.equal((await parseTranscript("S", files.markdown)).stats.initial_prompt, PROMPT);
});
