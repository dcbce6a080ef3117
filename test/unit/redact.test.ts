import assert from "node:assert/strict";
import { createRedactor, type RedactionInput } from "../../src/redact/redactor.ts";
import * as make from "../secrets/makers.ts";
import { isLeaked } from "../secrets/measure.ts";
import { begin, end, pemBody } from "../secrets/pem.ts";
import { createRandom } from "../secrets/random.ts";
import { describe, test } from "../support/runner.ts";

const random = createRandom(11);
const redactor = createRedactor();

async function redact(input: string | RedactionInput): Promise<string> {
  const [result] = await redactor.redact([typeof input === "string" ? { text: input } : input]);
  assert.ok(result);
  return result.text;
}

describe("redactor", () => {
  test("puts a marker in place of each secret and counts by kind", async () => {
    const [first, second] = [make.githubClassic(random), make.githubClassic(random)];
    const password = make.humanPassword(random);
    const [result] = await redactor.redact([{ text: `${first} ${second}\npassword: "${password}"` }]);
    assert.deepEqual(result, {
      text: '[REDACTED:github-token] [REDACTED:github-token]\npassword: "[REDACTED:password]"',
      counts: { "github-token": 2, password: 1 },
    });
  });

  test("keeps results in the order of the inputs", async () => {
    const token = make.npmToken(random);
    const results = await redactor.redact([{ text: "" }, { text: `a ${token}` }, { text: "plain" }]);
    assert.deepEqual(
      results.map(({ text }) => text),
      ["", "a [REDACTED:npm-token]", "plain"],
    );
  });

  test("answers an empty batch", async () => assert.deepEqual(await redactor.redact([]), []));

  test("names a token by its shape rather than by the text around it", async () => {
    assert.equal(await redact(`password=${make.stripeLive(random)}`), "password=[REDACTED:stripe-key]");
  });

  test("a marker that stands where a rule expects a secret stays whole", async () => {
    for (const [text, expected] of [
      ["ann:Kx7mPq2vT9wQ@tcp(db:3306)/x", "ann:[REDACTED:url-password]@tcp(db:3306)/x"],
      [`curl -u ${make.stripeLive(random)}: https://api.acme.io`, "curl -u [REDACTED:stripe-key]: https://api.acme.io"],
      ["http -a ann:r3p0rt-Http acme.io/me", "http -a [REDACTED:token] acme.io/me"],
    ] as const) {
      assert.equal(await redact(text), expected);
      assert.equal(await redact(expected), expected);
    }
  });

  test("finds a secret in a value that has an earlier marker or speaks of one", async () => {
    const password = make.humanPassword(random);
    for (const value of [`[REDACTED]${password}`, `${password}[REDACTED:token]`, `[REDACTED:a]${password}[REDACTED`]) {
      for (const text of [`{"password":"${value}"}`, `password: "${value}"`]) {
        const output = await redact(text);
        assert.ok(!isLeaked(password, output), output);
        assert.equal(await redact(output), output);
      }
      assert.ok(!isLeaked(password, await redact({ text: value, key: "password" })));
    }
  });

  test("does not change earlier markers, whatever is around them", async () => {
    const text = 'password=[REDACTED:password] token: "[REDACTED:github-token]" [REDACTED:api-key]: abc';
    assert.equal(await redact(text), text);
  });

  test("finds the right place after a byte order mark", async () => {
    const key = make.figmaToken(random);
    assert.equal(await redact(`\uFEFF${key} end`), "\uFEFF[REDACTED:figma-token] end");
  });

  test("recognizes a secret by its key", async () => {
    const password = make.plainPassword(random);
    assert.equal(await redact({ text: password, key: "dbPassword" }), "[REDACTED:password]");
    assert.equal(await redact({ text: password, key: "comment" }), password);
  });
});

describe("redactor: secrets that were cut", () => {
  test("takes a known prefix and four characters at the end of a text", async () => {
    const start = make.githubClassic(random).slice(0, 8);
    assert.equal(await redact(`token ${start}`), "token [REDACTED:github-token]");
    assert.equal(await redact(`token ${start}... (truncated)`), "token [REDACTED:github-token]... (truncated)");
    assert.equal(await redact(`token ${start} and more text`), `token ${start} and more text`);
  });

  test("redacts the rest of a private key", async () => {
    const lines = pemBody(random).slice(0, 3).join("\n");
    assert.equal(await redact(`$ head key\n${begin("RSA ")}\n${lines}`), "$ head key\n[REDACTED:private-key]");
  });

  test("takes a cut value only where the text says that it was cut", async () => {
    assert.equal(await redact({ text: '{"password":"ab1', cut: true }), '{"password":"[REDACTED:password]');
    assert.equal(await redact({ text: "see the password: ab1", cut: false }), "see the password: ab1");
  });

  test("finds a secret that continues in the next piece of a stream", async () => {
    const token = make.openaiProject(random);
    const before = `my key is ${token.slice(0, 40)}`;
    const after = `${token.slice(40)} and that is all`;
    assert.equal(await redact({ text: before, cut: true }), "my key is [REDACTED:openai-key]");
    assert.equal(await redact({ text: after, before }), "[REDACTED:openai-key] and that is all");
    assert.equal(await redact({ text: " and that is all", before: `key ${token}` }), " and that is all");
  });
});

describe("redactor: large and hostile texts", () => {
  test("finds a secret across the places where a long text is split", async () => {
    const key = make.notionToken(random);
    for (const at of [256 * 1024 - 20, 240 * 1024 - 20, 512 * 1024 - 3]) {
      const text = await redact(`${"lorem ipsum ".repeat(60_000).slice(0, at)} ${key} ${"x ".repeat(1000)}`);
      assert.ok(!isLeaked(key, text), `leaked at ${at}`);
    }
  });

  test("gives the event loop a turn", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await redact("some words and no secret, again and again. ".repeat(100_000));
    clearInterval(timer);
    assert.ok(turns > 0);
  });

  const units = ["a", "=", "eyJ", "-eyJ", "-----BEGIN ", "password=", 'password="', "&token=", "ghp_", "://a:b", "\\"];
  units.push(
    `${begin("RSA ")}\n`,
    `${end("RSA ")}\n`,
    "MHcCAQEE",
    "Cookie: a=b;",
    "Authorization: ",
    "…",
    "[REDACTED:",
  );
  for (const unit of units) {
    test(`ends on a megabyte of ${JSON.stringify(unit)}`, async () => {
      const text = unit.repeat(Math.ceil(1e6 / unit.length));
      const output = await redact({ text, key: "password", cut: true });
      assert.ok(output.length > 0);
    });
  }
});
