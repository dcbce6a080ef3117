/** Searching the store of real sessions finds what reading them finds, for terms that stand in them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { storeOf } from "../ranking/measure.ts";
import { SESSION_KINDS, testSessions } from "../support/parse/session-files.ts";
import { scanned, shapeOfHit, sorted } from "../support/search/search-laws.ts";
import { search } from "../../src/search/search.ts";
import { describe, isLong } from "../support/runner.ts";

/** Found by hand as what may go wrong: short, common, not ASCII, of JSON, of paths, of query languages. */
const FIXED = [
  "e",
  "if",
  "::",
  "=>",
  "{}",
  "\\n",
  "\\\\",
  "%",
  "_",
  "*",
  "AND",
  "NOT NULL",
  '"type":',
  "→",
  "✓",
  "é",
  "\u001b[",
  "  ",
];
const DRAWN = isLong ? 60 : 15;

describe("the index", () => {
  testSessions("finds for each term the same as reading the sessions", SESSION_KINDS, async (files) => {
    const store = await storeOf(files);
    try {
      const ids = files.map(({ name }) => name);
      const sessions = files.map(({ path }) => readFileSync(path));
      let hits = 0;
      for (const term of [...FIXED, ...drawn(sessions)]) {
        const found = sorted((await search(store, { term, exact: true, limit: Infinity })).hits.map(shapeOfHit));
        assert.deepEqual(found, await scanned(sessions, ids, ids, { term }), JSON.stringify(term));
        hits += found.length;
      }
      console.log(`${FIXED.length + DRAWN} terms, ${hits} passages in ${ids.length} sessions, each as the scan has it`);
      assert.ok(hits > 100);
    } finally {
      await store.close();
    }
  });
});

/** Pieces of what the sessions say, the same each time: of three to thirty characters, and some in another case. */
function drawn(sessions: readonly Uint8Array[]): string[] {
  let state = 7;
  const below = (most: number): number => (state = (state * 48_271) % 2_147_483_647) % most;
  const terms: string[] = [];
  while (terms.length < DRAWN) {
    const lines = Buffer.from(sessions[below(sessions.length)] ?? [])
      .toString("utf8")
      .split("\n");
    const texts = textsIn(lines[below(lines.length)] ?? "");
    const text = texts[below(Math.max(1, texts.length))] ?? "";
    const from = below(Math.max(1, text.length));
    const piece = text.slice(from, from + 3 + below(28));
    if (piece.length < 3 || !piece.isWellFormed() || /[\0\u001e\ufffd\uffff]/.test(piece)) continue;
    terms.push(terms.length % 3 === 0 ? piece.toUpperCase() : piece);
  }
  return terms;
}

function textsIn(line: string): string[] {
  const texts: string[] = [];
  try {
    JSON.parse(line, (_, value: unknown) => {
      if (typeof value === "string" && value.length > 10) texts.push(value);
      return value;
    });
  } catch {
    // A line that is cut or damaged: another one is taken.
  }
  return texts;
}
