import assert from "node:assert/strict";
import { familyOf } from "../../src/redact/names.ts";
import { createRedactor } from "../../src/redact/redactor.ts";
import { tokenTable } from "../../src/redact/token-table.ts";
import * as make from "../secrets/makers.ts";
import { isLeaked } from "../secrets/measure.ts";
import { createRandom } from "../secrets/random.ts";
import { describe, test } from "../support/runner.ts";

const random = createRandom(23);
const redactor = createRedactor();
const redact = async (text: string): Promise<string> => (await redactor.redact([{ text }]))[0]?.text ?? "";

describe("names", () => {
  const sensitive: Record<string, string> = {
    DB_PASSWORD: "password",
    "spring.datasource.password": "password",
    clientSecret: "secret",
    "X-Api-Key": "api-key",
    ACCESSKEY: "api-key",
    refresh_token: "token",
    ALGOLIA_ADMIN_KEY: "api-key",
    TOMTOM_KEY: "other-key",
    Authorization: "authorization",
    "Set-Cookie": "cookie",
  };
  for (const [name, family] of Object.entries(sensitive)) {
    test(`${name} announces a ${family}`, () => assert.equal(familyOf(name), family));
  }

  const harmless = [
    "next_token",
    "max_tokens",
    "tokenizer",
    "primary_key",
    "PUBLIC_KEY",
    "keyboard",
    "author",
    "secretName",
  ];
  for (const name of harmless) test(`${name} announces nothing`, () => assert.equal(familyOf(name), undefined));
});

test("a token is named by its longest prefix: an Anthropic key is no OpenAI key", async () => {
  const bodies: Record<string, string> = {
    HEX: "a7f02b9cd4e8317f6a5b0c9d8e7f1a2b",
    UPPER_ALNUM: "A7F02B9CD4E8317F6A5B",
  };
  for (const line of tokenTable.split("\n").filter((each) => /^\w/.test(each))) {
    const [kind = "", set = "", min, ...prefixes] = line.split(" ");
    const body = (bodies[set.replace("~", "")] ?? "a7fq2rk9zx4lm8wp3tv6yc1bn5hd0gj7sa2u").repeat(4);
    for (const prefix of prefixes) {
      const token = prefix + body.slice(0, Number(min) + 10);
      assert.equal(await redact(`use ${token} here`), `use [REDACTED:${kind}] here`, token);
    }
  }
});

describe("text around a secret", () => {
  const token = make.githubClassic(random);
  const contexts: Record<string, string> = {
    "an escaped line break": `{"out":"line\\n${token}\\n"}`,
    "a terminal colour": `\u001b[32m${token}\u001b[0m`,
    "an escaped terminal colour": `\\u001b[32m${token}\\u001b[0m`,
    "an escape of a URL": `token%3D${token}%26x`,
    "an underscore": `prefix_${token}`,
    "other tokens": `${token}${token}`,
    "letters beyond ASCII": `é${token}é`,
  };
  for (const [name, text] of Object.entries(contexts)) {
    test(`${name} does not hide it`, async () => assert.ok(!isLeaked(token, await redact(text))));
  }

  test("a coloured value is found", async () => {
    const password = make.plainPassword(random);
    const text = await redact(`DB_PASSWORD\u001b[0m=\u001b[33m${password}\u001b[0m`);
    assert.equal(text, "DB_PASSWORD\u001b[0m=\u001b[33m[REDACTED:password]\u001b[0m");
  });

  test("a number after a quoted name stays, since JSON would break", async () => {
    assert.equal(await redact('{"password": 12345678}'), '{"password": 12345678}');
  });

  test("a value in JSON is redacted whole, escapes included", async () => {
    const text = JSON.stringify({ password: 'a1"b\\c\nd' });
    assert.equal(await redact(text), '{"password":"[REDACTED:password]"}');
  });
});
