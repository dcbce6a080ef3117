/** Counting tokens without a tokenizer: never less for more text, cut exactly where it says, and safe where others count. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { countTokens, fitting } from "../../src/tools/tokens.ts";
import { describe, test } from "../support/runner.ts";

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.string({ unit: "grapheme", maxLength: 300 }),
  fc.string({ maxLength: 300 }),
);

/** Maximum counts of o200k_base, cl100k_base and Claude 2, measured once with their tokenizers. */
const COUNTED: [text: string, tokens: number][] = [
  ["日本語のテキストを書きます。これはテストです。", 21],
  ["Привет, как дела? Это тест", 14],
  ["😀😃🎉🚀👩‍👩‍👧‍👦", 28],
  ["a1b2c3d4e5f6".repeat(20), 240],
  ["====".repeat(50), 4],
  ["    ".repeat(100), 4],
  ["é".repeat(50), 50],
  ["한국어 문장을 작성합니다", 11],
  ["สวัสดีครับ", 20],
  ["\u0000\u0001\u0002".repeat(10), 30],
  ["\r\n".repeat(40), 10],
  ["zxqjkvbwpz".repeat(20), 140],
  ['{"a":[1,2,{"b":null}],"c":"\\\\n"}', 18],
  ["266652c3-b852-4d30-bcc2-3e3c1f16bce4", 27],
  ["The quick brown fox jumps over the lazy dog.", 10],
];

describe("the count of tokens", () => {
  test("is no less than tokenizers count", () => {
    for (const [text, tokens] of COUNTED)
      assert(countTokens(text) >= tokens, `${countTokens(text)} < ${tokens}: ${text.slice(0, 40)}`);
  });

  test("is not absurdly more for prose", () => {
    const prose = "A page goes on where the one before ended, although the session has grown since then. ".repeat(20);
    assert(countTokens(prose) <= prose.length / 3, String(countTokens(prose)));
  });

  test("cuts where the budget ends, within no character", () => {
    fc.assert(
      fc.property(anyText, fc.nat(200), (text, budget) => {
        const whole = countTokens(text);
        const { chars, tokens } = fitting(text, budget);
        assert(tokens <= budget);
        assert.equal(chars === text.length, whole <= budget);
        assert.equal(countTokens(text.slice(0, chars)), tokens);
        if (text.isWellFormed()) assert(text.slice(0, chars).isWellFormed());
        // It could not have been one piece longer.
        if (chars < text.length) assert(fitting(text, budget + 64).chars > chars);
      }),
    );
  });

  test("of a text is hardly more than of its parts", () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const joined = countTokens(a + b);
        assert(joined <= countTokens(a) + countTokens(b) + 32, `${joined}`);
      }),
    );
  });
});
