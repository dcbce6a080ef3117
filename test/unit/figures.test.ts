import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { wholeLine } from "../../src/parse/titles.ts";
import { type Figures, figuresOf } from "../../src/sessions/read-figures.ts";
import { type SessionRef, sessionRef } from "../../src/places/session-ref.ts";
import { storableTime } from "../../src/store/storable.ts";
import { anyLines } from "../support/parse/any-lines.ts";
import { answer, file, text, thinking, toolResult, toolUse, usage, userText } from "../support/parse/claude-lines.ts";
import { testSessions } from "../support/parse/session-files.ts";
import { damagedBytes } from "../support/parse/damage.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { isSessionError, TranscriptsError } from "../../src/transcripts-error.ts";

const folder = makeTempDir();
afterAll(removeTempDirs);

let files = 0;

function fileWith(content: string | Uint8Array): string {
  const path = join(folder, `${(files += 1)}.jsonl`);
  writeFileSync(path, content);
  return path;
}

function refOf(path: string): SessionRef {
  return sessionRef({ id: path, place: "claude-code", agent: "claude-code", path, bytes: statSync(path).size });
}

/** The figures of some content, after they were compared with those of the whole parse. */
async function checked(content: string | Uint8Array): Promise<Figures> {
  const path = fileWith(content);
  const options = { pricing: "catalog", maxLineBytes: 64 * 1024 * 1024 } as const;
  const whole = await parseTranscript("S", readFileSync(path), options);
  const { stats, metadata, lines, errors, messages } = whole;
  const figures = await figuresOf(refOf(path));
  const { usage, prompts: _, ...rest } = figures;
  const [first, last] = [metadata.firstTimestamp, metadata.lastTimestamp].map(storableTime);
  const told = { ...metadata, title: wholeLine(metadata.title), firstTimestamp: first, lastTimestamp: last };
  assert.deepEqual(rest, { stats, metadata: told, unknown_lines: lines.unknown, error_count: errors.length });
  const answers = messages.filter(({ message_type, tokens_in }) => message_type === "assistant" && tokens_in !== null);
  assert.deepEqual(
    usage
      .filter(({ isWithoutUsage }) => !isWithoutUsage)
      .map(({ key, tokensOut, costUsd }) => [key?.split("\n")[0], tokensOut, costUsd]),
    answers.map(({ source_id, tokens_out, cost_usd }) => [source_id, tokens_out, cost_usd]),
  );
  return figures;
}

describe("the figures of a session", () => {
  testSessions("equal those of the full parse", ["claude-code"], async (files) => {
    for (const { path } of files) await checked(readFileSync(path));
  });

  test("are correct for any lines, however damaged", async () => {
    await fc.assert(
      fc.asyncProperty(damagedBytes(anyLines().map((lines) => Buffer.from(file(...lines)))), async (bytes) => {
        await checked(bytes);
      }),
      { numRuns: 300 },
    );
  });

  test("agree with the whole parse on how calls ended, whatever their results begin with", async () => {
    const endings = [
      "[Request interrupted by user for tool use]",
      "The user doesn't want to proceed with this tool use. The tool use was rejected",
      "<tool_use_error>String to replace not found in file.</tool_use_error>",
      "Permission request was aborted",
      "<error>Command was aborted before completion</error>",
      "     1\u2192first line",
      "fine",
      "",
    ];
    const part = fc.oneof(
      fc.constantFrom(...endings),
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.constant(" \n\t"),
    );
    const content = fc.tuple(part, part, fc.nat(900)).map(([a, b, fill]) => `${a}${"x".repeat(fill)}${b}`);
    const host = fc.oneof(
      fc.constant({}),
      content.map((value) => ({ toolUseResult: `Error: ${value}` })),
      fc.boolean().map((interrupted) => ({ toolUseResult: { stdout: "a", interrupted } })),
      fc.constant({ toolUseResult: [{ type: "text", text: "b" }] }),
    );
    const mark = fc.constantFrom({}, { is_error: true }, { is_error: false }, { is_error: null }, { is_error: "true" });
    const result = fc.oneof(
      content,
      content.map((value) => [text(value)]),
      fc.constant(null),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(result, host, mark), { maxLength: 8 }), async (results) => {
        const lines = results.flatMap(([value, more, block], at) => [
          answer(`msg_${at}`, [toolUse(`toolu_${at}`, "Bash", { command: "ls" })], usage(1, at)),
          toolResult(`toolu_${at}`, value, more, block),
        ]);
        await checked(file(userText("Go"), ...lines));
      }),
      { numRuns: 200 },
    );
  });

  test("count repeats under the same id once", async () => {
    const call = answer("msg_1", [toolUse("toolu_1", "Read", { file_path: "/a" })], usage(1, 2));
    const result = toolResult("toolu_1", "x".repeat(5_000));
    const glued = `${userText("Go")}${call}`;
    const again = [
      [call, call],
      [call, answer("msg_2", [toolUse("toolu_1", "Read", { file_path: "/b" })])],
      [answer("msg_1", [text("one")]), answer("msg_1", [text("two")])],
      [answer("msg_1", [thinking("hm")]), answer("msg_1", [thinking("hm")])],
      [call, result, toolResult("toolu_1", `${"x".repeat(5_000)}y`)],
      [glued, call],
    ];
    for (const lines of again) await checked(file(...lines));
    assert.equal((await checked(file(call, call, result))).stats.tool_use_count, 1);
  });

  test("take each session field from its first occurrence", async () => {
    const bare = { cwd: undefined, version: undefined, gitBranch: undefined };
    const title = JSON.stringify({ type: "custom-title", customTitle: "T", sessionId: "one" });
    const call = answer("msg_1", [toolUse("toolu_1", "Read")], {}, { ...bare, sessionId: "one" });
    for (const second of ["one", "two"]) {
      const moved = toolResult("toolu_1", "fine", { cwd: "/else", sessionId: second });
      const scan = await checked(file(title, call, moved, userText("On"), title));
      assert.deepEqual([scan.metadata.sessionId, scan.metadata.cwd, scan.metadata.title], ["one", "/else", "T"]);
    }
  });

  test("say so where a result names its call only by the line", async () => {
    const call = answer("msg_1", [toolUse("toolu_1", "Read")], {}, { uuid: "line-1" });
    const naming = { sourceToolAssistantUUID: "line-1" };
    const pending = async (...lines: string[]): Promise<number> =>
      (await checked(file(...lines))).stats.tool_pending_count;
    assert.equal(await pending(call, toolResult("other", "fine", naming)), 0);
    assert.equal(await pending(call, toolResult("other", "fine")), 1);
    assert.equal(await pending(call, toolResult("toolu_1", "fine", naming)), 0);
    assert.equal(await pending(toolResult("toolu_1", "early", naming, { is_error: true }), call), 0);
  });

  test("count lines of any size, and the last one without its end", async () => {
    const long = toolResult("toolu_1", "\u00e9".repeat(1_500_000), { toolUseResult: { stdout: "y".repeat(400_000) } });
    const whole = file(
      userText("Go"),
      answer("msg_1", [toolUse("toolu_1", "Bash")], usage(3, 4)),
      long,
      userText("On"),
    );
    await checked(whole);
    await checked(whole.slice(0, -1));
    await checked(whole.slice(0, -9));
  });

  test("keep non-ASCII text unchanged", async () => {
    const named = { cwd: "/home/j\u00f6rg", gitBranch: "f\u00fcr-alle" };
    const scan = await checked(
      file(
        userText("Gr\u00fc\u00dfe \u{1f600}", named),
        answer(
          "msg_\u00e9",
          [text("\u00e9"), toolUse("toolu_\u00e9", "W\u00e4hle", { a: "\u00e9" })],
          usage(1, 2),
          named,
        ),
        toolResult("toolu_\u00e9", "\u00a0[Request interrupted by user", named),
        answer("msg_2", [toolUse("toolu_2", "Read")]),
        toolResult("toolu_2", "     1\u2192first", named),
      ),
    );
    assert.equal(scan.stats.initial_prompt, "Gr\u00fc\u00dfe \u{1f600}");
    assert.equal(scan.metadata.cwd, "/home/j\u00f6rg");
    assert.deepEqual(scan.stats.tools, { "W\u00e4hle": { calls: 1, errors: 0 }, Read: { calls: 1, errors: 0 } });
    assert.equal(scan.stats.tool_interrupted_count, 1);
  });

  test("cover other sources, and lines over 5 MiB", async () => {
    const other = '{"info":{"id":"ses_1","title":"T"},"messages":[]}';
    const long = file(userText("Go"), toolResult("toolu_1", "z".repeat(6_000_000)));
    const barely = file(userText("Go"), toolResult("toolu_1", "z".repeat(5 * 1024 * 1024)));
    for (const content of [other, long, barely, "", "\n"]) await checked(content);
  });

  test("are refused with a sentence for people if the file cannot be read", async () => {
    const gone = sessionRef({
      id: "gone",
      place: "claude-code",
      agent: "claude-code",
      path: join(folder, "gone.jsonl"),
      bytes: 1,
    });
    await assert.rejects(figuresOf(gone), (error) => isSessionError(error) && error.message.includes("gone"));
    mkdirSync(join(folder, "folder.jsonl"));
    await assert.rejects(figuresOf({ ...gone, path: join(folder, "folder.jsonl") }), TranscriptsError);
  });
});
