import assert from "node:assert/strict";
import fc from "fast-check";
import { findFixes } from "../../src/queries/call-fixes.ts";
import { plainCommands } from "../../src/calls/shell-commands.ts";
import { parseShell } from "../../src/calls/shell-syntax.ts";
import { inputDiff } from "../../src/fixes/call-diff.ts";
import { targetOf } from "../../src/fixes/targets.ts";
import { allTools } from "../../src/agents/all-tools.ts";
import type { ParsedContentBlock, ToolCall, TranscriptMessage } from "../../src/parse/model.ts";
import { correlateToolCalls } from "../../src/parse/tool-calls.ts";
import { makeBlock, makeMessage } from "../support/made-session.ts";
import { describe, runs, test } from "../support/runner.ts";

/** Few values, so that ids, lines and targets meet often. */
const id = fc.constantFrom("a", "b", "c", null);
const line = fc.constantFrom("L1", "L2", null);
const shellLine = fc
  .array(
    fc.constantFrom(
      "go",
      "test",
      "./a",
      "./b",
      "cd x",
      "&&",
      "||",
      ";",
      "|",
      "tail",
      "-v",
      "'",
      '"',
      "$(",
      ")",
      "<<E",
      "\n",
      ">",
      "E",
      "bash -c",
      "npm",
      "run",
      "git",
      "commit -m x",
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(" "));
const path = fc.constantFrom("a.ts", "/work/app/a.ts", "b.ts", "lib/a.ts", "..", "/", "");
const call = fc.oneof(
  fc.record({
    tool_name: fc.constantFrom("Bash", "bash"),
    tool_input: fc.record({ command: fc.oneof(shellLine, fc.string()) }),
  }),
  fc.record({
    tool_name: fc.constantFrom("Read", "Edit", "write", "apply_patch", "ls"),
    tool_input: fc.record({ file_path: path, new_string: fc.string(), patch: fc.string() }, { requiredKeys: [] }),
  }),
  fc.record({
    tool_name: fc.constantFrom("Grep", "Glob", "WebFetch"),
    tool_input: fc.record(
      { pattern: fc.string(), path, url: fc.oneof(fc.webUrl(), fc.string()) },
      { requiredKeys: [] },
    ),
  }),
  fc.record({ tool_name: fc.oneof(fc.string(), fc.constant(null)), tool_input: fc.jsonValue() }),
);
const errorLine = fc.constantFrom(
  "Exit code 1",
  "No such file or directory",
  "InputValidationError",
  "EISDIR",
  "",
  "FAIL x",
);

const block: fc.Arbitrary<Partial<ParsedContentBlock>> = fc.oneof(
  fc
    .tuple(id, line, call)
    .map(([tool_use_id, source_uuid, use]) => ({ block_type: "tool_use" as const, tool_use_id, source_uuid, ...use })),
  fc.record({
    block_type: fc.constant("tool_result" as const),
    tool_result_id: id,
    status: fc.constantFrom("completed", "completed", "error", "error", "rejected", "interrupted", null),
    is_error: fc.constantFrom(true, false, null),
    result_text: fc.oneof(errorLine, fc.string(), fc.constant(null)),
  }),
  fc.record({ block_type: fc.constant("text" as const), content_text: fc.oneof(fc.string(), fc.constant(null)) }),
);

interface Session {
  messages: TranscriptMessage[];
  blocks: ParsedContentBlock[];
}

const session: fc.Arbitrary<Session> = fc
  .array(
    fc.record({
      fields: fc.record({
        agent_id: fc.constantFrom(null, null, "A"),
        is_sidechain: fc.boolean(),
        uuid: line,
        parent_uuid: line,
        message_type: fc.constantFrom("user" as const, "assistant" as const),
      }),
      source: line,
      blocks: fc.array(block, { maxLength: 3 }),
    }),
    { maxLength: 25 },
  )
  .map((sketches) => {
    const messages = sketches.map(({ fields, source }, ordinal) =>
      makeMessage(ordinal, { ...fields, metadata: source === null ? {} : { source_tool_assistant_uuid: source } }),
    );
    const blocks = messages.flatMap((message, at) =>
      (sketches[at]?.blocks ?? []).map((fields, order) => makeBlock(message, order, fields)),
    );
    return { messages, blocks };
  });

const idsOf = (blocks: readonly ParsedContentBlock[], type: string): string[] =>
  blocks.filter(({ block_type }) => block_type === type).map((each) => each.id);

describe("correlateToolCalls, for any blocks", () => {
  test("each call and each result is in exactly one tool call", () => {
    fc.assert(
      fc.property(session, ({ messages, blocks }) => {
        const calls = correlateToolCalls(messages, blocks);
        assert.deepEqual(calls.flatMap(({ use }) => use?.block_id ?? []).sort(), idsOf(blocks, "tool_use").sort());
        assert.deepEqual(
          calls.flatMap(({ result }) => result?.block_id ?? []).sort(),
          idsOf(blocks, "tool_result").sort(),
        );
        assert.ok(calls.every(({ use, result }) => use !== null || result !== null));
      }),
    );
  });

  test("a call and its result share an id or a line, and halves with one id are always joined", () => {
    fc.assert(
      fc.property(session, ({ messages, blocks }) => {
        const byId = new Map(blocks.map((each) => [each.id, each]));
        const open = new Set<string | null>();
        const orphans = new Set<string | null>();
        for (const { use, result, matched_by, status } of correlateToolCalls(messages, blocks)) {
          const [made, answer] = [byId.get(use?.block_id ?? ""), byId.get(result?.block_id ?? "")];
          assert.equal(matched_by === null, made === undefined || answer === undefined);
          if (matched_by === "id") assert.equal(made?.tool_use_id, answer?.tool_result_id);
          if (made && !answer) open.add(made.tool_use_id);
          if (!made && answer) orphans.add(answer.tool_result_id);
          assert.equal(status === "pending", answer === undefined);
          if (made) assert.equal(made.status, status);
        }
        for (const each of open) assert.ok(each === null || !orphans.has(each));
      }),
    );
  });

  test("the order of the blocks does not matter", () => {
    fc.assert(
      fc.property(session, ({ messages, blocks }) => {
        assert.deepEqual(correlateToolCalls(messages, blocks.toReversed()), correlateToolCalls(messages, blocks));
      }),
    );
  });
});

describe("findFixes, for any session", () => {
  const order = (messages: readonly TranscriptMessage[], blocks: readonly ParsedContentBlock[]): Map<string, number> =>
    new Map(
      blocks.map(({ id: name, message_id }) => [name, messages.findIndex((message) => message.id === message_id)]),
    );

  test("lists each call that did not succeed once; a fix is a later success of the same agent", () => {
    fc.assert(
      fc.property(session, ({ messages, blocks }) => {
        const calls = correlateToolCalls(messages, blocks);
        const place = order(messages, blocks);
        const at = (each: ToolCall): number => place.get(each.use?.block_id ?? "") ?? -1;
        const fixes = findFixes(messages, blocks, calls);
        const unhappy = calls.filter(({ status }) => status !== "completed" && status !== "pending");
        assert.deepEqual(
          fixes.map(({ failed }) => failed),
          unhappy,
        );
        for (const { failed, fix, steps, attempts, reason } of fixes) {
          assert.match(reason, /\.$/);
          if (fix === null) continue;
          assert.equal(failed.status, "error");
          assert.equal(fix.status, "completed");
          assert.ok(at(fix) > at(failed));
          assert.deepEqual([fix.agent_id, fix.is_sidechain], [failed.agent_id, failed.is_sidechain]);
          for (const each of [...attempts, ...steps.map(({ call }) => call)])
            assert.ok(at(each) > at(failed) && at(each) < at(fix));
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test("calls of another agent change nothing", () => {
    fc.assert(
      fc.property(session, fc.array(block, { maxLength: 5 }), ({ messages, blocks }, others) => {
        const calls = correlateToolCalls(messages, blocks);
        const stranger = makeMessage(messages.length, { agent_id: "Z", is_sidechain: true });
        const added = others.map((fields, at) => makeBlock(stranger, at, fields));
        const strangers = correlateToolCalls([stranger], added);
        const known = new Set(calls);
        const after = findFixes([...messages, stranger], [...blocks, ...added], [...calls, ...strangers]);
        assert.deepEqual(
          after.filter(({ failed }) => known.has(failed)),
          findFixes(messages, blocks, calls),
        );
      }),
    );
  });
});

describe("helpers, for any text", () => {
  test("any text is read as a command line", () => {
    fc.assert(
      fc.property(fc.oneof(shellLine, fc.string({ unit: "binary" })), (text) => {
        for (const { stages } of parseShell(text)) assert.ok(stages.length > 0);
        assert.ok(plainCommands(text).every(({ program }) => typeof program === "string"));
      }),
      { numRuns: runs(500) },
    );
  });

  test("equal inputs have no difference", () => {
    const target = (input: unknown) => targetOf(allTools, "Edit", input, null);
    fc.assert(
      fc.property(fc.jsonValue(), (input) =>
        assert.equal(inputDiff(target(input), target(structuredClone(input))), ""),
      ),
    );
  });
});

describe("the cost", () => {
  /** Counts how often calls' inputs are read, as a measure that no clock disturbs. */
  function reads(count: number): number {
    const messages: TranscriptMessage[] = [];
    const blocks: ParsedContentBlock[] = [];
    let seen = 0;
    for (let n = 0; n < count; n += 1) {
      const [said, answer] = [makeMessage(2 * n), makeMessage(2 * n + 1, { message_type: "user", role: "user" })];
      const input = { command: `make target${n % 7}` };
      Object.defineProperty(input, "command", { enumerable: true, get: () => ((seen += 1), `make target${n % 7}`) });
      messages.push(said, answer);
      blocks.push(
        makeBlock(said, 0, { block_type: "tool_use", tool_name: "Bash", tool_use_id: `${n}`, tool_input: input }),
      );
      blocks.push(
        makeBlock(answer, 0, { block_type: "tool_result", tool_result_id: `${n}`, status: "error", result_text: "no" }),
      );
    }
    findFixes(messages, blocks, correlateToolCalls(messages, blocks));
    return seen;
  }

  test("grows linearly with the number of calls, even if all fail", () => {
    const [few, many] = [reads(500), reads(1_000)];
    assert.ok(many <= 2.3 * few, `${few} reads for 500 calls, ${many} for 1000`);
  });
});
