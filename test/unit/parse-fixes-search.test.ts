import assert from "node:assert/strict";
import { findFixes } from "../support/fixes.ts";
import type { ToolFix } from "../../src/fixes/find-fixes.ts";
import type { ToolCall } from "../../src/parse/model.ts";
import { correlateToolCalls } from "../../src/parse/tool-calls.ts";
import { bash, done, failed, makeSession, type MadeCall, type Turn } from "../support/made-session.ts";
import { describe, test } from "../support/runner.ts";

const NOT_READ = "File has not been read yet. Read it first before writing to it.";
const ok = (command: string, result?: string): MadeCall => done("Bash", bash(command), result);
const bad = (command: string, result?: string): MadeCall => failed("Bash", bash(command), result);

function search(turns: readonly Turn[]): { fixes: ToolFix[]; calls: ToolCall[] } {
  const { messages, blocks, calls } = makeSession(turns);
  return { fixes: findFixes(messages, blocks, calls), calls };
}

function first(turns: readonly Turn[]): { found: ToolFix; at: number } {
  const { fixes, calls } = search(turns);
  const [found] = fixes;
  assert.ok(found);
  return { found, at: found.fix === null ? -1 : calls.indexOf(found.fix) };
}

describe("what counts as an answer to a failure", () => {
  test("not a call of the same message: it was made before the failure was known", () => {
    assert.equal(first([{ calls: [bad("make x"), ok("make x")] }]).at, -1);
    assert.equal(first([{ calls: [bad("make x"), ok("make x")] }, { calls: [ok("make x")] }]).at, 2);
  });

  test("not an edit that was tried beside the failed one and is made first", () => {
    const change = (name: string): [string, object] => [
      "Edit",
      { file_path: "/p/site.css", old_string: `#${name} { color: red; }`, new_string: `#${name} { color: blue; }` },
    ];
    const tried = { calls: [failed(...change("menu"), NOT_READ), failed(...change("menu-open"), NOT_READ)] };
    const { fixes, calls } = search([
      tried,
      { calls: [done("Read", { file_path: "/p/site.css" })] },
      { calls: [done(...change("menu")), done(...change("menu-open"))] },
    ]);
    assert.deepEqual(
      fixes.map(({ fix }) => fix && calls.indexOf(fix)),
      [3, 4],
    );
  });

  test("not a call of another agent", () => {
    const { at } = first([
      { agent: "A", calls: [bad("make x")] },
      { agent: "B", calls: [ok("make x")] },
      { calls: [ok("make x")] },
      { agent: "A", calls: [ok("make x")] },
    ]);
    assert.equal(at, 3);
  });

  test("subagents without ids are distinguished by their first message", () => {
    const { at } = first([
      { sidechain: true, uuid: "a1", calls: [bad("make x")] },
      { sidechain: true, uuid: "b1", calls: [ok("make x")] },
      { sidechain: true, uuid: "a2", parent: "a1", calls: [ok("make x")] },
    ]);
    assert.equal(at, 2);
  });

  test("not a call that was refused, interrupted or never answered", () => {
    const { at, found } = first([
      { calls: [bad("make x")] },
      { calls: [{ ...ok("make x"), status: "rejected" }] },
      { calls: [{ ...ok("make x"), status: "interrupted" }] },
      { calls: [{ ...ok("make x"), status: "pending" }] },
    ]);
    assert.equal(at, -1);
    assert.deepEqual(found.attempts, []);
  });

  test("not a search that found nothing", () => {
    const { messages, blocks, calls } = makeSession([
      { calls: [failed("bash", bash("grep -r x src"))] },
      { calls: [done("bash", bash("grep -r x src"), "(Bash completed with no output)")] },
    ]);
    const result = blocks.at(-1);
    assert.ok(result);
    result.exit_code = 1;
    const again = correlateToolCalls(messages, blocks);
    assert.equal(again.length, calls.length);
    assert.deepEqual(
      findFixes(messages, blocks, again).map(({ fix, attempts }) => [fix, attempts.length]),
      [[null, 0]],
    );
  });

  test("the same target is looked for through 200 calls", () => {
    const others = (count: number): Turn[] => Array.from({ length: count }, (_, n) => ({ calls: [ok(`touch f${n}`)] }));
    assert.equal(first([{ calls: [bad("make x")] }, ...others(199), { calls: [ok("make x")] }]).at, 200);
    const { at, found } = first([{ calls: [bad("make x")] }, ...others(200), { calls: [ok("make x")] }]);
    assert.equal(at, -1);
    assert.equal(found.reason, "No call on the same target succeeded within the next 200 calls.");
  });

  test("the same call later is preferred to a part of it at once", () => {
    const part = { calls: [ok("go test ./a")] };
    assert.equal(first([{ calls: [bad("go test ./...")] }, part, { calls: [ok("go test ./...")] }]).at, 2);
  });

  test("an identical call that succeeded is preferred to a similar one, however much later", () => {
    const others: Turn[] = Array.from({ length: 60 }, (_, n) => ({ calls: [ok(`touch f${n}`)] }));
    const failure = { calls: [bad("go test ./...")] };
    const part = { calls: [ok("go test ./a")] };
    assert.equal(first([failure, part, ...others, { calls: [ok("go test ./...")] }]).at, 62);
    assert.equal(first([failure, part, ...others, { calls: [bad("go test ./...")] }]).at, 1);
  });
});

describe("description of a fix", () => {
  test("what changed, the words and the attempts in between, and why", () => {
    const { found } = first([
      { says: "I run the tests.", calls: [bad("npm test")] },
      { says: "The types are wrong.", calls: [done("Edit", { file_path: "a.ts", old_string: "x", new_string: "y" })] },
      { agent: "B", says: "Unrelated.", calls: [ok("ls")] },
      { calls: [bad("npm test -- a")] },
      { says: "Once more, with a limit.", calls: [ok("npm test -- --bail")] },
      { says: "Green.", calls: [ok("git status")] },
    ]);
    assert.deepEqual(found.steps, [], "the edit did not help");
    assert.equal(found.diff, "-npm test\n+npm test -- --bail");
    assert.deepEqual(found.words, ["The types are wrong.", "Once more, with a limit."]);
    assert.deepEqual(
      found.attempts.map(({ tool_use_id }) => tool_use_id),
      ["call_3"],
    );
  });

  test("an equal input has no difference", () => {
    const { found } = first([{ calls: [bad("make")] }, { calls: [ok("make")] }]);
    assert.deepEqual([found.steps, found.diff], [[], ""]);
  });

  test("consecutive failures share their fix, and each has the later attempts", () => {
    const input = { file_path: "a.ts", content: "one two" };
    const { fixes, calls } = search([
      { calls: [failed("Write", input, NOT_READ)] },
      { calls: [failed("Write", input, NOT_READ)] },
      { calls: [done("Read", { file_path: "a.ts" })] },
      { calls: [done("Write", input)] },
    ]);
    assert.deepEqual(
      fixes.map(({ fix, attempts }) => [fix && calls.indexOf(fix), attempts.length]),
      [
        [3, 1],
        [3, 0],
      ],
    );
  });
});

describe("description without a fix", () => {
  test("all calls that did not go well are listed, in order, with a reason", () => {
    const { fixes } = search([
      { calls: [{ ...ok("a"), status: "rejected" }] },
      { calls: [{ ...ok("b"), status: "interrupted" }] },
      { calls: [bad("make c")] },
      { calls: [bad("make c")] },
      { calls: [bad("grep -q d e", "Exit code 1")] },
    ]);
    assert.deepEqual(
      fixes.map(({ failed: call, fix, reason }) => [call.status, fix, reason]),
      [
        ["rejected", null, "A person refused the call, so there is nothing to fix."],
        ["interrupted", null, "The call was interrupted; it did not fail."],
        ["error", null, "No later call on the same target succeeded. It was tried again once and failed each time."],
        ["error", null, "No later call on the same target succeeded."],
        [
          "error",
          null,
          "No call of the same agent follows it. The exit code may be a result, such as no match, rather than a failure.",
        ],
      ],
    );
  });

  test("a result without its call has no target", () => {
    const { messages, blocks, calls } = makeSession([{ calls: [bad("make")] }, { calls: [ok("make")] }]);
    const orphaned = calls.map((call, index) => (index === 0 ? { ...call, use: null, tool_name: null } : call));
    assert.deepEqual(
      findFixes(messages, blocks, orphaned).map(({ fix, reason }) => [fix, reason]),
      [[null, "The call itself is not in the session, so its target is not known."]],
    );
  });

  test("without failures there is nothing", () => assert.deepEqual(search([{ calls: [ok("make")] }]).fixes, []));
});
