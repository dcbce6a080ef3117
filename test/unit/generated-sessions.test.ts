import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { generateLines, generateSessions } from "../../bench/generate-sessions.ts";
import { parseTranscript } from "../../src/parse/parse-transcript.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

const MIB = 1024 * 1024;
const OPTIONS = { seed: 5, bytes: 6 * MIB, sessionBytes: 200_000 };

const folder = makeTempDir();
const { files, counts } = generateSessions(folder, OPTIONS);
afterAll(removeTempDirs);

function hashOf(paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths) hash.update(readFileSync(path));
  return hash.digest("hex");
}

describe("made-up sessions", () => {
  test("are the same bytes for the same seed, and others for another", () => {
    const again = generateSessions(makeTempDir(), OPTIONS);
    const other = generateSessions(makeTempDir(), { ...OPTIONS, seed: 6 });
    assert.deepEqual(again.counts, counts);
    assert.equal(hashOf(again.files), hashOf(files));
    assert.notEqual(hashOf(other.files), hashOf(files));
  });

  test("have the size that was asked for", () => {
    const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0);
    assert.equal(bytes, counts.bytes);
    assert.ok(bytes >= OPTIONS.bytes && bytes < OPTIONS.bytes + MIB, String(bytes));
    let characters = 0;
    for (const line of generateLines(1, 2 * MIB)) characters += line.length;
    assert.ok(characters > 1.8 * MIB && characters < 3 * MIB, String(characters));
  });

  test("hold what was counted, by the parser", async () => {
    const sums = { lines: 0, prompts: 0, answers: 0, toolCalls: 0, toolErrors: 0, toolRejections: 0 };
    const tokens = { tokensIn: 0, tokensOut: 0, cacheRead: 0, cacheWrite: 0 };
    for (const path of files) {
      const { stats, lines, errors } = await parseTranscript("S", readFileSync(path));
      assert.deepEqual(errors, []);
      assert.equal(stats.tool_pending_count, 0);
      assert.equal(stats.tokens_out_is_lower_bound, false);
      sums.lines += lines.total;
      // The prompt of a subagent is no person's.
      sums.prompts += path.includes("subagents") ? 0 : stats.human_messages;
      sums.answers += stats.assistant_messages;
      sums.toolCalls += stats.tool_use_count;
      sums.toolErrors += stats.tool_error_count;
      sums.toolRejections += stats.tool_rejected_count;
      tokens.tokensIn += stats.tokens_in;
      tokens.tokensOut += stats.tokens_out;
      tokens.cacheRead += stats.cache_read;
      tokens.cacheWrite += stats.cache_write;
    }
    assert.deepEqual({ bytes: counts.bytes, ...sums, ...tokens }, counts);
    assert.ok(files.some((path) => path.includes("subagents")) && counts.toolErrors > 0 && counts.toolRejections > 0);
  });

  test("hold what was counted, by ccusage", () => {
    const ccusage = join(REPOSITORY, "node_modules/ccusage/src/cli.js");
    const env = { ...process.env, HOME: folder, CLAUDE_CONFIG_DIR: folder };
    const node = process.versions["bun"] ? "node" : process.execPath;
    const text = execFileSync(node, [ccusage, "daily", "--json", "--offline"], { env, encoding: "utf8" });
    const { totals }: { totals: Record<string, number> } = JSON.parse(text);
    assert.equal(totals["inputTokens"], counts.tokensIn);
    assert.equal(totals["outputTokens"], counts.tokensOut);
    assert.equal(totals["cacheReadTokens"], counts.cacheRead);
    assert.equal(totals["cacheCreationTokens"], counts.cacheWrite);
  });
});
