/** Real session files: each is read without an exception, and the figures are those that a simple reader counts. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BlockType, ParseErrorCode, ParseResult, TranscriptMessage } from "../../src/parse/model.ts";
import { parseTranscript } from "../../src/parse/parse-transcript.ts";
import { CORPUS, corpusFiles } from "../support/parse/corpus.ts";
import { brokenInvariants } from "../support/parse/invariants.ts";
import { countClaude, countExport, gluedLines, type Figures } from "../support/parse/simple-reader.ts";
import { afterAll, describe, test } from "../support/runner.ts";

const DAMAGE = new Set<ParseErrorCode>(["glued_objects", "partly_lost", "invalid_json", "torn_line", "not_a_record"]);
const KINDS = ["claude-code", "claude-stream-json", "opencode-export"] as const;

function figuresOf(result: ParseResult): Figures {
  const { content_blocks: blocks, stats, errors } = result;
  const messages = result.source === "opencode-export" ? exported(result) : result.messages;
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

const COLUMNS: readonly (keyof Figures)[] = [
  ...(["messages", "text", "thinking", "tool_use", "tool_result", "errors"] as const),
  ...(["tokens_in", "tokens_out", "cache_read", "cache_write", "damaged"] as const),
];
const table: string[] = [];

function addRow(name: string, figures: Record<string, number>): void {
  const cells = COLUMNS.map((column) => String(figures[column] ?? 0).padStart(12));
  table.push(`${name.slice(-46).padEnd(46)}${cells.join("")}`);
}

for (const kind of KINDS) {
  const files = corpusFiles(kind);
  if (files.length === 0) {
    test(`skipped: the corpus is not here (${join(CORPUS, kind)})`, () => undefined);
    continue;
  }
  describe(kind, () => {
    const sums: Record<string, number> = {};
    for (const name of files) {
      test(name, async () => {
        const bytes = readFileSync(join(CORPUS, name));
        const result = await parseTranscript("S", bytes);
        assert.deepEqual(brokenInvariants(bytes, result), []);
        const figures = figuresOf(result);
        addRow(name, { ...figures });
        for (const column of COLUMNS) sums[column] = (sums[column] ?? 0) + figures[column];
        const content = bytes.toString("utf8");
        const glued = result.errors.filter(({ code }) => code === "glued_objects").map(({ line_number: line }) => line);
        assert.deepEqual(glued, gluedLines(content), "lines with two objects");
        assert.deepEqual(figures, kind === "opencode-export" ? countExport(content) : countClaude(content));
      });
    }
    afterAll(() => addRow(`${kind}: ${files.length} files`, sums));
  });
}

afterAll(() => {
  if (table.length > 0) {
    const head = `${"file".padEnd(46)}${COLUMNS.map((column) => column.padStart(12)).join("")}`;
    process.stdout.write(`${[head, ...table].join("\n")}\n`);
  }
});
