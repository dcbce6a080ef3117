/** Terms and lists of positions: what is told by them is what a look at each text tells. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { exactFold } from "../../src/store/exact-fold.ts";
import { membersWith, membersWithout, PositionSet } from "../../src/store/position-set.ts";
import { askedLists, isAsked, isWord, termsOf, withoutWords, type Listable } from "../../src/store/snippet-terms.ts";
import { storableText } from "../../src/store/storable.ts";
import { test } from "../support/runner.ts";

const unit = fc.constantFrom(..."abAB_19 \u212aßẞσςΣéÉжЖ漢字🎈\n.%'\"\u0301");
/** Runs that are longer than what is listed in one piece. */
const long = fc.string({ unit: fc.constantFrom(..."ab1ж"), minLength: 20, maxLength: 200 });
const text = fc
  .array(fc.oneof(fc.string({ unit, maxLength: 12 }), fc.constantFrom("because", "QUARTERLY", "x "), long), {
    maxLength: 6,
  })
  .map((parts) => storableText(parts.join("")));
const tag = fc.oneof(text, fc.constantFrom("a", "", "b".repeat(300), "b".repeat(301)));
const listable: fc.Arbitrary<Listable> = fc.record({
  snippet_type: fc.constantFrom("error_reasoning", "learning_pattern"),
  title: text,
  content: text,
  tags: fc.array(tag, { maxLength: 3 }),
});

test("a snippet is in the lists of a question if and only if it is what the question asks for", () => {
  const made = fc.record({ snippet: listable, other: listable, at: fc.nat(), chars: fc.integer({ min: 1, max: 60 }) });
  fc.assert(
    fc.property(made, fc.boolean(), ({ snippet, other, at, chars }, isOwn) => {
      const from = isOwn ? snippet : other;
      const keyword = [...from.content]
        .slice(at % ([...from.content].length + 1))
        .slice(0, chars)
        .join("")
        .toUpperCase();
      const asked = {
        ...(at % 3 === 0 ? { snippet_type: "learning_pattern" as const } : {}),
        tags: at % 2 === 0 ? from.tags : [],
        ...(keyword === "" ? {} : { keyword }),
        limit: 1,
        offset: 0,
      };
      const terms = termsOf(snippet);
      const inLists = (lists: ReturnType<typeof askedLists>): boolean =>
        lists.terms.every((term) => terms.has(term)) &&
        (lists.within === undefined || [...terms].some((term) => isWord(term) && term.includes(lists.within ?? "")));
      const lists = askedLists(asked);
      if (lists.phrase === undefined) assert.equal(inLists(lists), isAsked(snippet, asked));
      // Lists that do not tell for sure leave out none that is asked for.
      for (const each of [lists, withoutWords(lists)]) if (isAsked(snippet, asked)) assert.ok(inLists(each));
    }),
    { numRuns: 3_000 },
  );
});

test("runs of ASCII are the same terms as in a text that has more", () => {
  const ascii = fc.string({ unit: fc.constantFrom(..."ab_ 1.\u0001\u007f"), maxLength: 60 });
  fc.assert(
    fc.property(ascii, (words) => {
      const of = (content: string): string[] =>
        [...termsOf({ snippet_type: "", title: "", tags: [], content })].filter((term) => !term.includes("漢"));
      assert.deepEqual(of(words).toSorted(), of(`${words}漢`).toSorted());
    }),
  );
});

test("a term is in a text where its fold is, and runs are of characters, not of their halves", () => {
  const terms = termsOf({ snippet_type: "t", title: "🎈É", content: "🎈", tags: [] });
  const runs = [...terms].filter((term) => !term.startsWith("\ufdd0"));
  assert.deepEqual(runs.toSorted(), ["🎈", "🎈É", "É"].map(exactFold).toSorted());
});

test("a list has the positions that were put in and not taken out, in a table and in memory", () => {
  const places = fc.array(fc.integer({ min: 0, max: 4_095 }), { maxLength: 600 });
  fc.assert(
    fc.property(places, places, fc.integer({ min: 0, max: 3 }), (put, taken, block) => {
      const first = block * 4_096;
      const positions = [...new Set(put)].map((place) => first + place);
      const out = [...new Set(taken)].map((place) => first + place);
      const half = Math.floor(positions.length / 2);
      let members = membersWith(new Uint8Array(), positions.slice(0, half));
      members = membersWith(members, positions.slice(half));
      const left = positions.filter((position) => !out.includes(position)).toSorted((a, b) => a - b);
      const set = new PositionSet();
      set.addMembers(block, membersWithout(members, out));
      assert.deepEqual([...set], left);
      assert.equal(set.size, left.length);
      assert.ok(members.length <= 512);
      const { first: start, bits } = set.bitmap();
      const { marks } = set.marks();
      for (const position of [...positions, ...out]) {
        const at = position - start;
        assert.equal(set.has(position), left.includes(position));
        assert.equal(((bits[at >> 3] ?? 0) >> (at & 7)) & 1, set.has(position) ? 1 : 0);
        assert.equal(marks[at] ?? 0, set.has(position) ? 1 : 0);
      }
      const both = new PositionSet(positions);
      both.intersect(new PositionSet(out));
      assert.deepEqual(
        [...both],
        positions.filter((position) => out.includes(position)).toSorted((a, b) => a - b),
      );
    }),
    { numRuns: 200 },
  );
});
