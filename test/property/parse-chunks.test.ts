/** However an input comes, what is read from it is the same. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { anyLines } from "../support/parse/any-lines.ts";
import { asIterable, asStream, cuts, pieces } from "../support/parse/chunks.ts";
import { parsedWithCounts as parsed, without } from "../support/parse/counting-ids.ts";
import { damagedBytes } from "../support/parse/damage.ts";
import { describe, runs, test } from "../support/runner.ts";

const anyText = anyLines().map((lines) => lines.map((line) => `${line}\n`).join(""));
const anyBytes = damagedBytes(anyText.map((text) => Buffer.from(text)));

describe("an input", () => {
  test("of bytes is read the same in any chunks", async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, cuts, async (bytes, places) => {
        const whole = await parsed(bytes);
        assert.deepEqual(await parsed(asIterable(pieces(bytes, places))), whole);
        assert.deepEqual(await parsed(asStream(pieces(bytes, places))), whole);
      }),
      { numRuns: runs(120) },
    );
  });

  test("is read the same byte by byte", async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, async (bytes) => {
        const some = bytes.subarray(0, 5_000);
        const each = Array.from(some, (_, at) => some.subarray(at, at + 1));
        assert.deepEqual(await parsed(asIterable(each)), await parsed(some));
      }),
      { numRuns: runs(30) },
    );
  });

  test("of text is read the same in any chunks, even cut within surrogate pairs", async () => {
    const odd = fc.string({ unit: "binary", minLength: 1, maxLength: 60 });
    const line = odd.map(
      (text) => `{"type":"user","uuid":"u","message":{"content":"${text.replaceAll(/["\\\n]/g, "")}"}}\n`,
    );
    const text = fc.oneof(
      anyText,
      fc.array(line, { maxLength: 5 }).map((lines) => lines.join("")),
    );
    await fc.assert(
      fc.asyncProperty(text, cuts, async (whole, places) => {
        const known = await parsed(Buffer.from(whole));
        assert.deepEqual(await parsed(whole), known);
        assert.deepEqual(await parsed(asIterable(pieces(whole, places))), known);
        assert.deepEqual(await parsed(asStream(pieces(whole, places))), known);
      }),
      { numRuns: runs(120) },
    );
  });
});

describe("a signal", () => {
  test("at any point leaves the result of the lines read so far", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, cuts, fc.nat(12), async (text, places, stopAt) => {
        const control = new AbortController();
        const padding = `{"type":"mode","pad":"${"x".repeat(70_000)}"}\n`;
        const input = padding + text;
        const result = await parsed(stopping(pieces(Buffer.from(input), places), stopAt, control), {
          signal: control.signal,
        });
        const lines = input.split("\n").slice(0, result.lines.total);
        const upTo = await parsed(lines.map((line) => `${line}\n`).join(""));
        // What a file is, is told from its first bytes, of which there may be fewer here.
        assert.deepEqual(without(result, "format", "aborted"), without(upTo, "format", "aborted"));
        assert.equal(result.aborted, stopAt <= places.length);
      }),
      { numRuns: runs(100) },
    );
  });

  test("ends waiting for a stalled input", async () => {
    const control = new AbortController();
    async function* still(): AsyncGenerator<string> {
      yield '{"type":"user","message":{"content":"x"}}\n';
      setTimeout(() => control.abort(), 5);
      await new Promise(() => undefined);
    }
    const result = await parsed(still(), { signal: control.signal });
    assert.equal(result.aborted, true);
    assert.deepEqual(result.errors, []);
  });

  test("before the start leaves an empty result", async () => {
    const result = await parsed('{"type":"user","message":{"content":"x"}}\n', { signal: AbortSignal.abort() });
    assert.deepEqual([result.aborted, result.messages.length, result.lines.total], [true, 0, 0]);
  });

  test("that never comes changes nothing; an error of the input is passed on", async () => {
    const { signal } = new AbortController();
    const line = '{"type":"user","message":{"content":"x"}}\n';
    assert.deepEqual(await parsed(line, { signal }), await parsed(line));
    async function* failing(): AsyncGenerator<string> {
      yield line;
      throw new Error("the disk is gone");
    }
    await assert.rejects(parsed(failing(), { signal }), /the disk is gone/);
    await assert.rejects(parsed(failing()), /the disk is gone/);
  });
});

/** Gives the signal before the chunk with this number. */
async function* stopping<T>(chunks: readonly T[], stopAt: number, control: AbortController): AsyncGenerator<T> {
  for (const [at, chunk] of chunks.entries()) {
    if (at === stopAt) control.abort();
    yield chunk;
  }
}
