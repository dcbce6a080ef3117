import assert from "node:assert/strict";
import { call, failed, fullErrors, quickErrors as errorsOf, result, session } from "../property/errors-made.ts";
import { describe, test } from "../support/runner.ts";

describe("errors of a session", () => {
  test("have everything known about the call", async () => {
    const text = session(
      call("toolu_1"),
      result("toolu_1", { content: "<tool_use_error>no such file</tool_use_error>", is_error: true }),
    );
    assert.deepEqual(await errorsOf(text), [
      {
        tool_name: "Bash",
        tool_use_id: "toolu_1",
        error: "no such file",
        status: "error",
        line_number: 2,
        timestamp: "2025-01-01T10:00:01.000Z",
        call_line_number: 1,
      },
    ]);
  });

  const cases: Record<string, { text: string; count: number }> = {
    "an empty input": { text: "", count: 0 },
    "no errors": { text: session(call("toolu_1"), result("toolu_1", { content: "ok" })), count: 0 },
    "a result before its call": { text: session(failed("toolu_1"), call("toolu_1")), count: 1 },
    "a result without a call": { text: session(failed("toolu_1")), count: 1 },
    "a result that names a line which is not there": {
      text: session(call("toolu_2"), failed("toolu_1", { sourceToolAssistantUUID: "0000-gone" })),
      count: 1,
    },
    "a result whose call only its line tells": {
      text: session(
        call("toolu_2", { uuid: "0000-here" }),
        failed("toolu_1", { sourceToolAssistantUUID: "0000-here" }),
      ),
      count: 1,
    },
    "a result without an id": {
      text: session(
        call("toolu_2", { uuid: "0000-here" }),
        failed(undefined, { sourceToolAssistantUUID: "0000-here" }),
      ),
      count: 1,
    },
    "an id used for two calls": {
      text: session(
        call("toolu_1"),
        failed("toolu_1"),
        call("toolu_1", { name: "Read", message: "m2" }),
        result("toolu_1", { content: "ok" }),
      ),
      count: 1,
    },
    "two results of one call": {
      text: session(call("toolu_1"), failed("toolu_1"), result("toolu_1", { content: "later" })),
      count: 1,
    },
    "a session recorded twice into its file": {
      text: session(call("toolu_1"), failed("toolu_1"), call("toolu_1"), failed("toolu_1")),
      count: 1,
    },
    "parallel results on one line": {
      text: session(
        call("toolu_1"),
        call("toolu_2"),
        JSON.stringify({
          type: "user",
          sessionId: "s",
          message: {
            content: ["toolu_2", "toolu_1"].map((id) => ({
              type: "tool_result",
              tool_use_id: id,
              is_error: true,
              content: id,
            })),
          },
        }),
      ),
      count: 2,
    },
    "glued and damaged lines": {
      text: session(
        `${call("toolu_1")}${failed("toolu_1")}`,
        `{"is_error":true,`,
        `${call("toolu_3").slice(0, 40)}${failed("toolu_3")}`,
      ),
      count: 2,
    },
    "an id that JSON may write in several ways": {
      text: session(call("tool/ü"), failed("tool/ü")),
      count: 1,
    },
    "marks within texts": {
      text: session(call("toolu_1"), result("toolu_1", { content: '{"is_error":true} <tool_use_error>' })),
      count: 0,
    },
    "the tag without the mark": {
      text: session(call("toolu_1"), result("toolu_1", { content: "<tool_use_error>x</tool_use_error>" })),
      count: 1,
    },
    "an error that only the host's record tells": {
      text: session(
        call("toolu_1"),
        result("toolu_1", { content: "went wrong" }, { toolUseResult: "Error: went wrong" }),
      ),
      count: 1,
    },
    "a NUL byte in a mark": {
      text: session(call("toolu_1"), failed("toolu_1").replace("is_error", "is_\0error")),
      count: 1,
    },
    "lines that report progress of a call": {
      text: session(call("toolu_1"), '{"type":"progress","toolUseID":"toolu_1","data":{}}', failed("toolu_1")),
      count: 1,
    },
  };

  for (const [name, { text, count }] of Object.entries(cases)) {
    test(`${name}: as the whole parse finds them`, async () => {
      const found = await errorsOf(text);
      assert.deepEqual(found, await fullErrors(text));
      assert.equal(found.length, count);
    });
  }

  test("are not those of calls that were rejected or interrupted", async () => {
    const text = session(
      call("toolu_1"),
      result("toolu_1", { is_error: true, content: "[Request interrupted by user for tool use]" }),
      call("toolu_2"),
      result("toolu_2", { is_error: true, content: "The user doesn't want to proceed with this tool use." }),
    );
    assert.deepEqual(await errorsOf(text), []);
  });

  test("come out of a stream and of another source too", async () => {
    const text = session(call("toolu_1"), failed("toolu_1"));
    async function* stream(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(text.slice(0, 100));
      yield Buffer.from(text.slice(100));
    }
    assert.deepEqual(await errorsOf(stream()), await fullErrors(text));
    const exported = JSON.stringify({
      info: { id: "ses_1" },
      messages: [
        {
          info: { id: "msg_1", role: "assistant", sessionID: "ses_1", time: { created: 1 } },
          parts: [
            {
              id: "prt_1",
              type: "tool",
              tool: "read",
              callID: "c1",
              state: { status: "error", input: {}, error: "gone", time: { start: 1, end: 2 } },
            },
          ],
        },
      ],
    });
    assert.deepEqual(
      (await errorsOf(exported)).map(({ tool_name, error }) => [tool_name, error]),
      [["read", "gone"]],
    );
  });
});
