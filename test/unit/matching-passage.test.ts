import assert from "node:assert/strict";
import fc from "fast-check";
import { foldedKin, foldedPattern } from "../../src/matching/folding.ts";
import { passageAround } from "../../src/matching/passage.ts";
import { describe, test } from "../support/runner.ts";

function passage(text: string, term: string): { text: string; shown: string[] } {
  const places = [...text.matchAll(foldedPattern(term))].map(({ index, 0: match }): [number, number] => [
    index,
    index + match.length,
  ]);
  const found = passageAround(text, places);
  return { text: found.text, shown: found.matches.map(([start, end]) => found.text.slice(start, end)) };
}

describe("the passage around a hit", () => {
  test("is the whole text on one line if it is short", () => {
    assert.deepEqual(passage("one\n\n  two\tthree\u0007", "TWO"), { text: "one two three ", shown: ["two"] });
  });

  test("is cut between words, which a mark shows", () => {
    const words = Array.from({ length: 100 }, (_, at) => `word${at}`).join(" ");
    const { text, shown } = passage(words, "word50");
    assert.match(text, /^…word\d+ .* word50 .* word\d+…$/);
    assert.deepEqual(shown, ["word50"]);
    assert.ok(text.length > 120 && text.length <= 202, `${text.length}`);
  });

  test("shows all matches in it", () => {
    assert.deepEqual(passage("a b a", "a").shown, ["a", "a"]);
    assert.ok(passage("ab".repeat(500), "b").shown.length > 50);
  });

  test("never cuts a character in two, and is never much longer than 200 characters", () => {
    const unit = fc.constantFrom("a", " ", "\n", "😀", "é", "\u0301", "x".repeat(30), "needle");
    fc.assert(
      fc.property(
        fc.string({ unit, maxLength: 120 }),
        fc.constantFrom("a", "needle", "😀", " ", "\n", "x".repeat(300)),
        (text, term) => {
          if (!foldedPattern(term).test(text)) return;
          const found = passage(text, term);
          assert.ok(found.text.isWellFormed());
          assert.ok(found.text.length <= 203, `${found.text.length}`);
          assert.doesNotMatch(found.text, /[\n\p{Cc}]/u);
          assert.ok(found.shown.length > 0);
          const [first = ""] = found.shown;
          assert.ok(
            term.replaceAll(/\s/g, " ").startsWith(first) || first === term.replaceAll(/\s/g, " "),
            `${first} of ${term}`,
          );
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe("characters that count as the same", () => {
  const groups = [
    "aA",
    "kK\u212a",
    "sS\u017f",
    "ß\u1e9e",
    "éÉ",
    "σςΣ",
    "ǆǅǄ",
    "дДᲁ",
    "ꭰᎠ",
    "𐐨𐐀",
    "1",
    "你",
    "😀",
    "\ud800",
    "İ",
    "ı",
  ];
  for (const group of groups) {
    test(`are ${group.isWellFormed() ? group : "a lone surrogate"}`, () => {
      const all = Array.from(group);
      for (const character of all) assert.deepEqual(foldedKin(character).toSorted(), all.toSorted());
    });
  }

  test("are those that the expression treats as equal", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 1 }), fc.nat(0x1ffff), (character, code) => {
        const other = String.fromCodePoint(code);
        assert.equal(
          foldedKin(character).includes(other),
          new RegExp(`^${foldedPattern(character).source}$`, "iu").test(other),
        );
      }),
      { numRuns: 2_000 },
    );
  });
});
