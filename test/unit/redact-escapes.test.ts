import assert from "node:assert/strict";
import { createRedactor } from "../../src/redact/redactor.ts";
import { describe, test } from "../support/runner.ts";

async function redact(text: string): Promise<string> {
  const [result] = await createRedactor().redact([{ text }]);
  return result?.text ?? "";
}

describe("redaction in escaped JSON", () => {
  test("a cut token before a backslash leaves the escape whole", async () => {
    const token = ["npm", "OoJDHzQLZgl1eYtN"].join("_");
    const text = JSON.stringify(`{"token":"${token}\\`);
    const after = String(JSON.parse(await redact(text)));
    assert.ok(after.startsWith('{"token":"[REDACTED:') && !after.includes(token), after);
  });

  test("a string after a password's name is read with all backslashes of its quote", async () => {
    const text = JSON.stringify(JSON.stringify(':password]"!A:0'));
    const after: unknown = JSON.parse(await redact(text));
    assert.doesNotThrow(() => JSON.parse(String(after)));
  });
});

describe("a name before the quote that ends its string", () => {
  for (const text of [
    String.raw`[{"a":"your password:"},null]`,
    String.raw`[{"a":"\u0000password:"},null]`,
    String.raw`{"output":"[{\"a\":\"the password:\"},17,true]"}`,
    String.raw`["auth token=" , 4217]`,
  ]) {
    test(`is given no value: ${text}`, async () => {
      assert.equal(await redact(text), text);
      JSON.parse(text);
    });
  }

  for (const text of ['conf("a", {password:"hunter2-Xy91', '"a": 1, password:"}x9Kq-77-ab']) {
    test(`is another thing than a value that is cut: ${text}`, async () => {
      assert.match(await redact(text), /\[REDACTED:password\]$/);
    });
  }
});
