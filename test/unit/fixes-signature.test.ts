/** Errors that came up before are recognized by what their messages say. */
import assert from "node:assert/strict";
import { ErrorLikeness, errorSignature } from "../../src/fixes/signature.ts";
import { describe, test } from "../support/runner.ts";

const SAME: readonly (readonly [string, string])[] = [
  [
    "Output: Error: listen EADDRINUSE: address already in use :::3000",
    "Exit code 1\nError: listen EADDRINUSE: address already in use :::8080",
  ],
  [
    "Exit code 1\n/home/ann/shop/src/cart.ts:12:3: error: Cannot find name 'total'.",
    "Exit code 2\nC:\\Users\\bob\\app\\lib\\cart.ts:407:21: error: Cannot find name 'total'.",
  ],
  [
    "2026-11-02T10:00:01.123Z ERROR connection to 10.0.0.7:5432 refused after 1,203 ms",
    "2025-01-31 23:59:59 ERROR connection to 192.168.1.20:6543 refused after 88 ms",
  ],
  [
    "Error: request 3f2504e0-4f89-11d3-9a0c-0305e82c3301 failed: GET https://api.example.com/v1/users/17",
    "Error: request 0b2d1c9e-aaaa-4bbb-8ccc-1234567890ab failed: GET https://staging.example.org/v2/orders?id=4",
  ],
  ["\u001b[31mfatal: bad object 9fceb02d0ae598e95dc970b74767f19372d61af8\u001b[39m", "fatal: bad object 4b825dc"],
];

const DIFFERENT: readonly (readonly [string, string])[] = [
  ["src/a.ts(1,2): error TS2345: Argument is wrong.", "src/a.ts(1,2): error TS2554: Argument is wrong."],
  ["Error: Cannot find module 'zod'", "Error: Cannot find module '@acme/core'"],
  ["curl failed with status 401 for the address", "curl failed with status 503 for the address"],
];

describe("the signature of an error", () => {
  test("is the same whatever the paths, numbers, times and ids", () => {
    for (const [one, other] of SAME) assert.equal(errorSignature(one), errorSignature(other));
  });

  test("keeps codes and names, which distinguish errors", () => {
    for (const [one, other] of DIFFERENT) assert.notEqual(errorSignature(one), errorSignature(other));
  });

  test("is that of the lines that say what failed, not of the output around them", () => {
    const output = `${"compiling a module\n".repeat(40)}AssertionError: expected 3 to equal 4\n    at run (/x/y.js:1:2)\n`;
    assert.equal(errorSignature(output), "assertionerror: expected <n> to equal <n>");
  });

  test("is empty for a text without content", () => {
    for (const text of ["", "\n\n", "Exit code 1", "12 34\n/tmp/x\n---"]) assert.equal(errorSignature(text), "");
  });

  test("of a huge output is that of its beginning", () => {
    const line = "error: a/b/c/d/e.f:1:2 0123456789abcdef ".repeat(2_000);
    assert.equal(errorSignature(line.repeat(100)), errorSignature(line));
  });
});

describe("the likeness of errors", () => {
  const known = [
    "error: connection to server failed: password authentication failed for user <n>",
    "error: cannot find module 'zod'",
    "error: cannot find module 'react'",
    "typeerror: cannot read properties of undefined (reading 'price')",
    "error: expected a value\nerror: the build failed",
  ];
  const likeness = new ErrorLikeness(known);
  const best = (asked: string) =>
    known.toSorted(
      (a, b) => likeness.likeness(errorSignature(asked), b) - likeness.likeness(errorSignature(asked), a),
    )[0];

  test("is 1 for the same message and high for a piece of it", () => {
    assert.equal(likeness.likeness(known[0] ?? "", known[0] ?? ""), 1);
    assert.equal(best("password authentication failed"), known[0]);
    assert.ok(likeness.likeness("password authentication failed", known[0] ?? "") > 0.75);
  });

  test("is lower for another module than for the same one", () => {
    assert.equal(best("Error: Cannot find module 'zod'"), known[1]);
    assert.ok(likeness.likeness("error: cannot find module 'zod'", known[2] ?? "") < 0.85);
  });

  test("is low for messages that share only common words", () => {
    assert.ok(likeness.likeness("error: cannot open display", known[3] ?? "") < 0.5);
  });
});
