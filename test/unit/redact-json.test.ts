import assert from "node:assert/strict";
import { redactJson } from "../../src/redact/redact-json.ts";
import { createRedactor } from "../../src/redact/redactor.ts";
import * as make from "../secrets/makers.ts";
import { createRandom } from "../secrets/random.ts";
import { describe, test } from "../support/runner.ts";

const random = createRandom(31);
const redactor = createRedactor();

async function redact(value: unknown): Promise<unknown> {
  return (await redactJson(redactor, [value]))[0]?.value;
}

describe("redactJson", () => {
  test("redacts leaves with their key as context and leaves the rest", async () => {
    const password = make.plainPassword(random);
    const value = {
      user: password,
      password,
      n: 1,
      ok: true,
      none: null,
      list: [password],
      token: { text: "x" },
    };
    assert.deepEqual(await redact(value), { ...value, password: "[REDACTED:password]" });
  });

  test("gives the items of an array the key of the array", async () => {
    const token = make.opaque43(random);
    const redacted = await redact({ headers: { authorization: [`Bearer ${token}`] } });
    assert.deepEqual(redacted, { headers: { authorization: ["Bearer [REDACTED:bearer-token]"] } });
  });

  test("takes the name in a pair of name and value for the key", async () => {
    const password = make.humanPassword(random);
    const env = [
      { name: "DB_PASSWORD", value: password },
      { name: "DB_HOST", value: "db" },
    ];
    assert.deepEqual(await redact({ env }), {
      env: [
        { name: "DB_PASSWORD", value: "[REDACTED:password]" },
        { name: "DB_HOST", value: "db" },
      ],
    });
  });

  test("counts for each value separately", async () => {
    const token = make.npmToken(random);
    const results = await redactJson(redactor, [{ a: token, b: [token] }, "plain", token]);
    assert.deepEqual(
      results.map(({ counts }) => counts),
      [{ "npm-token": 2 }, {}, { "npm-token": 1 }],
    );
  });

  test("redacts names of properties and loses none of them", async () => {
    const [first, second] = [make.npmToken(random), make.npmToken(random)];
    assert.deepEqual(await redact({ [first]: 1, [second]: 2 }), {
      "[REDACTED:npm-token]": 1,
      "[REDACTED:npm-token] (2)": 2,
    });
  });

  test("does not change its input", async () => {
    const value = { list: [{ token: make.npmToken(random) }] };
    const before = structuredClone(value);
    await redact(value);
    assert.deepEqual(value, before);
  });

  test("preserves cycles, shared parts, and a property called __proto__", async () => {
    const shared = { text: "x" };
    const value: Record<string, unknown> = { left: shared, right: shared };
    value["self"] = value;
    Object.defineProperty(value, "__proto__", { value: "own", enumerable: true });
    const copy = await redact(value);
    assert.ok(typeof copy === "object" && copy !== null && "self" in copy && "left" in copy && "right" in copy);
    assert.equal(copy.self, copy);
    assert.equal(copy.left, copy.right);
    assert.notEqual(copy.left, shared);
    assert.deepEqual(Object.getOwnPropertyDescriptor(copy, "__proto__")?.value, "own");
    assert.equal(Object.getPrototypeOf(copy), Object.prototype);
  });

  test("copies deeply nested values", async () => {
    let value: unknown = "leaf";
    for (let depth = 0; depth < 50_000; depth++) value = [value];
    assert.ok(Array.isArray(await redact(value)));
  });
});
