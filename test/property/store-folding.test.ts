/** The folding that databases compare by, against the expression that says what counts as the same. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { foldedKin, foldedPattern } from "../../src/matching/folding.ts";
import { exactFold } from "../../src/store/exact-fold.ts";
import { storableText } from "../../src/store/storable.ts";
import { runs, test } from "../support/runner.ts";

const CASED = /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/u;
const cased = Array.from({ length: 0x1ffff }, (_, code) => String.fromCodePoint(code)).filter((each) =>
  CASED.test(each),
);

test("every character folds like those that count as the same, and like no other", () => {
  assert.ok(cased.length > 2_500);
  const kinOf = new Map<string, Set<string>>();
  for (const each of cased) {
    const folded = exactFold(each);
    kinOf.set(folded, (kinOf.get(folded) ?? new Set()).add(each));
  }
  // Asking for each is slow: a share of them, and all that differ from the plain kind of folding.
  const unusual = cased.filter((each, at) => at % 40 === 0 || each.toLowerCase() !== exactFold(each));
  for (const each of unusual.filter((_, at) => at % 4 === 0)) {
    assert.deepEqual([...(kinOf.get(exactFold(each)) ?? [])].toSorted(), [...foldedKin(each)].toSorted(), each);
  }
});

test("a text has a term if and only if its fold has the term's fold", () => {
  const unit = fc.constantFrom(
    ...cased.filter((_, at) => at % 30 === 0),
    ..."aAkKsS\u212a\u017fßẞσςΣİıﬀǆ \n漢🎈e\u0301",
  );
  const texts = fc.string({ unit, maxLength: 30 }).map(storableText);
  const terms = fc.oneof(fc.string({ unit, minLength: 1, maxLength: 3 }).map(storableText));
  fc.assert(
    fc.property(texts, terms, fc.nat(), (text, other, at) => {
      const characters = [...text];
      const inText = characters
        .slice(at % (characters.length + 1))
        .slice(0, 3)
        .join("")
        .toUpperCase();
      for (const term of [other, inText].filter((each) => each !== "")) {
        assert.equal(exactFold(text).includes(exactFold(term)), foldedPattern(term).test(text));
      }
    }),
    { numRuns: runs(3_000) },
  );
});
