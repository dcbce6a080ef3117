import assert from "node:assert/strict";
import { createRedactor } from "../../src/redact/redactor.ts";
import { describe, test } from "../support/runner.ts";

describe("redaction in escaped JSON", () => {
  test("a cut token before a backslash leaves the escape whole", async () => {
    const token = ["npm", "OoJDHzQLZgl1eYtN"].join("_");
    const text = JSON.stringify(`{"token":"${token}\\`);
    const [result] = await createRedactor().redact([{ text }]);
    const after = String(JSON.parse(result?.text ?? ""));
    assert.ok(after.startsWith('{"token":"[REDACTED:') && !after.includes(token), after);
  });
});
