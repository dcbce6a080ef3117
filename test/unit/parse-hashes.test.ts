/** What rows are named by, and what repeats are told by. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { decodeTime } from "ulid";
import { ascendingIds } from "../../src/parse/read-transcript.ts";
import { hashOf } from "../../src/parse/repeats.ts";
import { describe, test } from "../support/runner.ts";

describe("ids of rows", () => {
  test("are ULIDs of the time, ascend, and differ from those of another reading", () => {
    const now = Date.parse("2026-01-15T12:00:00Z");
    const [next, other] = [ascendingIds(now), ascendingIds(now)];
    const ids = Array.from({ length: 5_000 }, next);
    assert.ok(
      ids.every((id) => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(id) && decodeTime(id) === now),
      ids[0],
    );
    assert.ok(ids.every((id, at) => at === 0 || (ids[at - 1] ?? "") < id));
    assert.notEqual(other().slice(0, 20), ids[0]?.slice(0, 20));
  });
});

describe("hashes of values", () => {
  test("are the same for equal values, and others for others", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const texts = [one, other].map((value) => JSON.stringify(value));
        const [first, second] = texts.map((text): unknown => JSON.parse(text));
        assert.equal(hashOf(first), hashOf(JSON.parse(texts[0] ?? "")));
        assert.equal(hashOf(first) === hashOf(second), texts[0] === texts[1]);
      }),
      { numRuns: 2_000 },
    );
  });

  test("distinguish values that look alike as text", () => {
    const alike = [1, "1", [1], ["1"], { 1: 1 }, [[1]], true, "true", null, "null", "", [], {}, [""], { "": "" }];
    assert.equal(new Set(alike.map(hashOf)).size, alike.length);
    assert.notEqual(hashOf(["ab", "c"]), hashOf(["a", "bc"]));
  });

  test("of long texts see the length, the end, and much of what is between", () => {
    const text = "All work and no play. ".repeat(500);
    const other = [`${text} `, `${text.slice(0, -1)}!`, text.replaceAll("play", "PLAY"), text.slice(1) + text[0]];
    assert.equal(new Set([text, ...other].map(hashOf)).size, 5);
  });

  test("end on values nested without end", () => {
    let deep: unknown = "x";
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    assert.equal(typeof hashOf(deep), "number");
  });
});
