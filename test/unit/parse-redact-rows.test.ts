import assert from "node:assert/strict";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { redactResult } from "../../src/parse/redact-rows.ts";
import { createRedactor } from "../../src/redact/redactor.ts";
import { answer, file, text, thinking, toolResult, toolUse, userText } from "../support/parse/claude-lines.ts";
import { randomSecret } from "../support/parse/secret.ts";
import { test } from "../support/runner.ts";

test("no secret of a session is left in any row, call, prompt or count", async () => {
  const secret = randomSecret();
  const line = `export GITHUB_TOKEN=${secret}`;
  const whole = await parseTranscript(
    "S1",
    file(
      userText(line),
      answer("msg_1", [thinking(line), text(line), toolUse("t1", "Bash", { command: line, env: [{ token: secret }] })]),
      toolResult("t1", line, {}, { is_error: true }),
      answer("msg_2", [{ type: "hologram", say: line }]),
      JSON.stringify({ type: "ai-title", aiTitle: line }),
      JSON.stringify({ type: "future", say: line }),
    ),
  );
  assert.ok(JSON.stringify(whole).includes(secret));
  const clean = await redactResult(whole, createRedactor());
  assert.ok(!JSON.stringify(clean).includes(secret), JSON.stringify(clean));
  assert.equal(clean.content_blocks.length, whole.content_blocks.length);
  assert.deepEqual(
    clean.tool_calls.map(({ status, tool_name }) => [status, tool_name]),
    [["error", "Bash"]],
  );
  assert.ok(Object.values(clean.stats.redactions).reduce((sum, count) => sum + count, 0) >= 7);
  assert.match(clean.stats.initial_prompt ?? "", /\[REDACTED:/);
});

test("a session without secrets stays as it is", async () => {
  const whole = await parseTranscript(
    "S1",
    file(userText("Hello"), answer("msg_1", [toolUse("t1", "Bash", { command: "ls" })])),
  );
  assert.deepEqual(await redactResult(whole, createRedactor()), whole);
});
