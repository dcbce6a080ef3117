/** Ids of rows, and hashes that identify repeats. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { decodeTime } from "ulid";
import { ascendingIds } from "../../src/parse/read-transcript.ts";
import { hashOf, Identity, Seen } from "../../src/parse/repeats.ts";
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

describe("hashes", () => {
  test("are the same for equal names and contents, and others for others", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(text, text, text, text, (name, content, otherName, otherContent) => {
        assert.equal(hashOf(name, content), hashOf(name, content));
        const isSame = name === otherName && content === otherContent;
        assert.equal(hashOf(name, content) === hashOf(otherName, otherContent), isSame);
      }),
      { numRuns: 2_000 },
    );
  });

  test("of many names with one content, and of many contents under one name, are all different", () => {
    const numbers = Array.from({ length: 50_000 }, (_, at) => String(at));
    assert.equal(new Set(numbers.map((name) => hashOf(name, "ok"))).size, numbers.length);
    assert.equal(new Set(numbers.map((content) => hashOf("name", content))).size, numbers.length);
  });

  test("of long contents depend on every character", () => {
    const text = "All work and no play. ".repeat(500);
    const contents = [text, `${text} `, `${text.slice(0, -1)}!`, text.replace("play", "plaY"), text.slice(1) + text[0]];
    assert.equal(new Set(contents.map((content) => hashOf("name", content))).size, contents.length);
  });

  test("are exact integers", () => {
    for (let at = 0; at < 1_000; at += 1) assert.ok(Number.isSafeInteger(hashOf(String(at), String(at))));
  });
});

test("a set of identities gives the same answers whether it compares contents or hashes", () => {
  const name = fc.constantFrom("a", "b");
  const content = fc.oneof(
    fc.constantFrom("", "x", "y"),
    fc.record({ command: fc.constantFrom("ls", "pwd"), list: fc.constantFrom([], [1]) }),
  );
  const identities = fc.array(fc.tuple(name, content), { maxLength: 60 });
  fc.assert(
    fc.property(identities, fc.nat({ max: 60 }), (all, small) => {
      const seen = new Seen();
      const expected = new Set<string>();
      for (const [at, [known, value]] of all.entries()) {
        const identity = new Identity(known, value);
        const key = JSON.stringify([known, value]);
        assert.equal(seen.has(identity), expected.has(key));
        assert.equal(seen.add(identity, at < small ? at : 2 ** 30), !expected.has(key));
        expected.add(key);
      }
    }),
  );
  const many = new Seen();
  const texts = Array.from({ length: 1_000 }, (_, at) => new Identity("one name", `text ${at}`));
  for (const text of texts) many.add(text, 0);
  assert.ok(texts.every((text) => many.has(text)));
  assert.ok(!many.has(new Identity("one name", "text")));
});
