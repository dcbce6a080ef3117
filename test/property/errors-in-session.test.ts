import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, runs, test } from "../support/runner.ts";
import { call, failed, fullErrors, quickErrors, result } from "./errors-made.ts";

const id = fc.constantFrom("toolu_01A", "toolu_01B", "toolu_01C", "toolu_02", "call_1", "x.y:0", "né-id", "a/b");
const uuid = fc.constantFrom("1111-a", "2222-b", "2222-c");
const text = fc.constantFrom(
  "ok",
  "Exit code 1",
  "<tool_use_error>no</tool_use_error>",
  "a\nb",
  '{"is_error":true}',
  "[Request interrupted by user for tool use]",
  "The user doesn't want to proceed with this tool use.",
);

const callLine = fc
  .record({ id, uuid, name: fc.constantFrom("Bash", "Read"), message: fc.constantFrom("m1", "m2", "m3") })
  .map(({ id, ...fields }) => call(id, fields));
const resultLine = fc
  .record({
    id: fc.option(id, { nil: undefined, freq: 9 }),
    content: fc.oneof(
      text,
      fc.constant(null),
      fc.array(
        text.map((each) => ({ type: "text", text: each })),
        { maxLength: 2 },
      ),
    ),
    isError: fc.constantFrom(true, true, false, undefined, null),
    source: fc.option(uuid, { nil: undefined, freq: 2 }),
    own: fc.option(uuid, { nil: undefined }),
    host: fc.oneof(
      text.map((each) => `Error: ${each}`),
      fc.constant({ interrupted: true }),
      fc.constant(undefined),
    ),
  })
  .map(({ id, content, isError, source, own, host }) =>
    result(
      id,
      { content, ...(isError === undefined ? {} : { is_error: isError }) },
      { uuid: own, sourceToolAssistantUUID: source, toolUseResult: host },
    ),
  );
const parsed = (line: string): object => JSON.parse(line);

/** Writes a letter as JSON may, but programs do not. */
function escapedAt(line: string, at: number): string {
  const letter = line.slice(at).search(/[a-z_]/i) + at;
  const code = line.charCodeAt(letter).toString(16).padStart(4, "0");
  return `${line.slice(0, letter)}\\u${code}${line.slice(letter + 1)}`;
}

const plainLine = fc.oneof(
  callLine,
  callLine,
  resultLine,
  resultLine,
  id.map((each) => failed(each)),
);
const oddLine = fc.oneof(
  fc.tuple(plainLine, plainLine).map(([a, b]) => a + b),
  fc.tuple(plainLine, fc.nat(200)).map(([line, cut]) => line.slice(0, cut)),
  fc.tuple(plainLine, fc.nat(200)).map(([line, cut]) => line.slice(cut)),
  fc.tuple(plainLine, fc.nat(200)).map(([line, at]) => `${line.slice(0, at)}\0${line.slice(at)}`),
  fc
    .tuple(id, fc.boolean())
    .map(([each, is]) => JSON.stringify({ type: "progress", toolUseID: each, is_error: is, data: {} })),
  plainLine.map((line) => JSON.stringify(JSON.parse(line), null, 1).replaceAll("\n", " ")),
  fc.tuple(plainLine, fc.nat(200)).map(([line, at]) => escapedAt(line, at)),
  plainLine.map((line) => line.replaceAll("/", "\\/")),
  plainLine.map((line) =>
    JSON.stringify({ type: "progress", data: { type: "agent_progress", message: parsed(line) } }),
  ),
  fc.constant(""),
);
const lines = fc.array(fc.oneof({ weight: 6, arbitrary: plainLine }, { weight: 1, arbitrary: oddLine }), {
  maxLength: 14,
});

describe("the errors of a session", () => {
  test("are those of a full parse, in any session", async () => {
    await fc.assert(
      fc.asyncProperty(lines, fc.boolean(), async (all, isEnded) => {
        const whole = all.join("\n") + (isEnded ? "\n" : "");
        assert.deepEqual(await quickErrors(whole), await fullErrors(whole));
      }),
      { numRuns: runs(1_500) },
    );
  });
});
