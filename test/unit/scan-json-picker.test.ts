import assert from "node:assert/strict";
import fc from "fast-check";
import { afterValue } from "../../src/scan/json-bytes.ts";
import { JsonPicker, shape } from "../../src/scan/json-picker.ts";
import { describe, test } from "../support/runner.ts";

const WANTED = shape({
  a: "take",
  text: "begin",
  o: { object: shape({ n: "take" }) },
  l: { list: shape({ n: "take" }) },
});

function picked(json: string | Buffer): Record<string, unknown> | undefined {
  const bytes = Buffer.concat([Buffer.from(json), Buffer.from("\n")]);
  return new JsonPicker().pick(bytes, 0, bytes.length - 1, WANTED);
}

function runtime(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** JSON text as programs write it: with and without white space, with and without escapes. */
const jsonText = fc
  .tuple(fc.json({ maxDepth: 5 }), fc.constantFrom(0, 1, "\t"), fc.boolean())
  .map(([json, indent, escape]) => {
    const text = JSON.stringify(JSON.parse(json), null, indent).replaceAll("\n", " ");
    return escape
      ? text.replaceAll(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)
      : text;
  });

describe("the grammar of JSON in bytes", () => {
  test("accepts what the runtime accepts, and nothing else", () => {
    const odd = fc.constantFrom(
      ...'{}[]",:\\/ \t\r0123456789-+.eEtrufalsn',
      "\\u12",
      "\\ud83d",
      "\u0001",
      "\u00e9",
      "1e5",
      "-0",
      "01",
    );
    const text = fc.oneof(
      jsonText,
      fc.array(odd, { maxLength: 12 }).map((parts) => parts.join("")),
      fc.tuple(jsonText, fc.nat(), odd).map(([json, at, piece]) => {
        const place = at % (json.length + 1);
        return json.slice(0, place) + piece + json.slice(place + (at % 2));
      }),
    );
    fc.assert(
      fc.property(text, (json) => {
        const trimmed = json.trim();
        const bytes = Buffer.from(`${trimmed}\n`);
        const isWhole = afterValue(bytes, 0, 0) === bytes.length - 1;
        assert.equal(isWhole, runtime(bytes) !== undefined, trimmed);
      }),
      { numRuns: 5_000 },
    );
  });

  test("leaves values that are nested very deep to the runtime", () => {
    const deep = Buffer.from(`${"[".repeat(100_000)}${"]".repeat(100_000)}\n`);
    assert.equal(afterValue(deep, 0, 0), -1);
  });
});

describe("picking fields", () => {
  test("takes the fields that are wanted, of the last of their name", () => {
    assert.deepEqual(picked('{"a":1,"b":{"a":2},"a":[3,"\\u00e9\u00e9"]}'), { a: [3, "\u00e9\u00e9"] });
    assert.deepEqual(picked(' {"a":1}'), undefined);
    assert.deepEqual(picked('{ "a" : -1.5e3 , "o" : { "n" : null , "m" : 1 } } \r'), { a: -1500, o: { n: null } });
    assert.deepEqual(picked("{}"), {});
  });

  test("keeps the beginning of a long text, at the end of a character", () => {
    const long = "\u00e9\n\u{1f600}".repeat(1_000);
    for (const json of [
      JSON.stringify({ text: long }),
      JSON.stringify({ text: long }).replaceAll("\u00e9", "\\u00e9"),
    ]) {
      const text = picked(json)?.["text"];
      assert.ok(typeof text === "string" && text.length >= 80 && text.length < 600);
      assert.ok(long.startsWith(text) && !text.includes("\ufffd"));
    }
    assert.deepEqual(picked('{"text":"short \\" one"}'), { text: 'short " one' });
    assert.deepEqual(picked('{"text":[1,2],"o":[3]}'), { text: [], o: [] });
  });

  test("reads lists of objects, and gives up on other lists", () => {
    assert.deepEqual(picked('{"l":[{"n":1,"m":2},{"m":3}]}'), { l: [{ n: 1 }, {}] });
    assert.deepEqual(picked('{"l":[]}'), { l: [] });
    for (const other of ["1", '"x"', "[1]", '[{"n":1},2]', "{}"]) assert.equal(picked(`{"l":${other}}`), undefined);
  });

  test("gives up on damage, on what stands behind the object, and on escapes in names", () => {
    const damaged = [
      '{"a":1}{',
      '{"a":1',
      '{"a":"\\x"}',
      '{"b":"\\u12g4"}',
      '{"a":01}',
      '{"a":1,}',
      '{"\\u0061":1}',
      "[]",
      "",
    ];
    for (const json of damaged) assert.equal(picked(json), undefined, json);
    assert.equal(picked(Buffer.from('{"b":"\u0001"}')), undefined);
  });

  test("whatever it reads, the runtime reads too, with the same fields", () => {
    const key = fc.constantFrom("a", "o", "b", "n");
    const object = fc.dictionary(key, fc.oneof(fc.jsonValue(), fc.dictionary(key, fc.jsonValue())));
    const bytes = fc
      .tuple(object, fc.nat(), fc.nat(255), fc.nat(2))
      .map(([value, at, byte, changed]) => {
        const whole = Buffer.from(JSON.stringify(value));
        if (changed === 0) whole[at % whole.length] = byte;
        return whole;
      })
      .filter((whole) => !whole.includes(10));
    fc.assert(
      fc.property(bytes, (whole) => {
        const fields = picked(whole);
        if (!fields) return;
        const value = runtime(whole);
        assert.ok(typeof value === "object" && value !== null && "a" in value === "a" in fields);
        assert.deepEqual(fields["a"], Reflect.get(value, "a"));
      }),
      { numRuns: 3_000 },
    );
  });
});
