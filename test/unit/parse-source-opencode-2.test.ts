/** Exports of opencode 2.x, and its database, through the one reader. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { opencodeExport } from "../../src/agents/opencode/opencode-export.ts";
import { toldByParser, toldByStore } from "../support/recording/stored-2.ts";
import { export2, INFO_2, MESSAGES_2 } from "../support/parse/opencode-2-session.ts";
import { REPOSITORY } from "../support/repository.ts";
import { describe, test } from "../support/runner.ts";

describe("an export of opencode 2.x", () => {
  test("has each message, call and result once, failures by the one rule, and usage", async () => {
    const result = await parseTranscript("x", JSON.stringify(JSON.parse(export2()), null, 2));
    assert.equal(result.format, "opencode-export");
    assert.deepEqual(result.errors, []);
    const calls = result.tool_calls.map(({ tool_name, status, tool_use_id }) => [tool_use_id, tool_name, status]);
    assert.deepEqual(calls, [
      ["call_shell", "shell", "error"],
      ["call_search", "shell", "completed"],
      ["call_unknown", "no_such_tool", "error"],
      ["call_child", "subagent", "completed"],
      ["sh_1", "shell", "error"],
      ["call_aborted", "shell", "interrupted"],
    ]);
    const { stats } = result;
    assert.deepEqual([stats.tokens_in, stats.tokens_out], [130, 25]);
    assert.deepEqual(Object.keys(result.lines.skipped), ["idle"]);
    const started = result.content_blocks.flatMap(({ metadata }) => metadata["subagent_session_id"] ?? []);
    assert.ok(started.includes("ses_child"));
  });

  for (const [name, text] of [
    ["within data, on one line", export2()],
    ["indented, as a command prints it", JSON.stringify({ info: INFO_2, messages: MESSAGES_2 }, null, 2)],
    ["without messages", JSON.stringify({ data: { info: INFO_2, messages: [] } })],
  ] as const) {
    test(`is detected ${name}`, () => assert.equal(opencodeExport.detect(text.slice(0, 65_536)), true));
  }

  test("keeps a message of an unknown type as unknown, and reads the others", async () => {
    const messages = [...MESSAGES_2, { id: "msg_9", type: "telepathy", time: { created: 1 } }];
    const result = await parseTranscript("x", export2(messages));
    assert.deepEqual(
      result.unknown_lines.map(({ type }) => type),
      ["telepathy"],
    );
    assert.equal(result.tool_calls.length, 6);
  });

  test("keeps a part that lacks what is read as unknown, with all that it has", async () => {
    const content = [
      { type: "text", words: "elsewhere" },
      { type: "text", text: "read" },
    ];
    const result = await parseTranscript(
      "x",
      export2([{ id: "msg_1", type: "assistant", time: { created: 1 }, content }]),
    );
    const unknown = result.content_blocks.filter(({ block_type: type }) => type === "unknown");
    assert.deepEqual(
      unknown.map(({ metadata }) => metadata.type),
      ["text without text"],
    );
    assert.match(JSON.stringify(unknown), /elsewhere/);
  });

  test("has the file that the preview's read returns as an attachment, not its bytes as text", async () => {
    const structured = {
      uri: "file:///p/a.png",
      name: "a.png",
      content: "AAAA",
      encoding: "base64",
      mime: "image/png",
    };
    const state = { status: "completed", input: { path: "a.png" }, content: [], structured };
    const content = [{ type: "tool", id: "call_read", name: "read", state, time: { created: 1, completed: 2 } }];
    const result = await parseTranscript(
      "x",
      export2([{ id: "msg_1", type: "assistant", time: { created: 1 }, content }]),
    );
    assert.doesNotMatch(JSON.stringify([result.content_blocks, result.tool_calls]), /AAAA/);
    assert.match(JSON.stringify(result.content_blocks), /"mime":"image\/png"/);
  });

  test("that is cut off has its whole messages", async () => {
    const text = export2();
    const result = await parseTranscript("x", text.slice(0, text.indexOf('{"id":"msg_7"') + 50));
    assert.deepEqual(
      result.errors.map(({ code }) => code),
      ["torn_line"],
    );
    assert.equal(result.tool_calls.length, 5);
  });

  test("that is damaged in one message has those before it", async () => {
    const result = await parseTranscript("x", export2().replace('"Tests were run."', '"Tests were run.'));
    assert.ok(result.errors.some(({ recovered }) => !recovered));
    assert.ok(result.messages.length > 0);
  });
});

test("messages that a host of 2.x stored come to what was said in them", async () => {
  const sessions: Record<string, { info: object; messages: unknown[] }> = JSON.parse(
    readFileSync(join(REPOSITORY, "test/fixtures/opencode-2/stored.json"), "utf8"),
  );
  let compared = 0;
  for (const [name, { info, messages }] of Object.entries(sessions)) {
    const stored = messages.toReversed();
    const result = await parseTranscript("x", export2(stored, { ...INFO_2, ...info }));
    assert.deepEqual([result.errors, result.unknown_lines], [[], []], name);
    const { told, results } = toldByStore(stored);
    const found = toldByParser(result);
    assert.deepEqual(
      found.told,
      told.map((line) => line.replace(" (interrupted)", "")),
      name,
    );
    assert.deepEqual(found.results, results, name);
    compared += 1;
  }
  assert.ok(compared > 15);
});
