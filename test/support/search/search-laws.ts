/** Laws of a search, on every backend. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { search, type SearchHit } from "../../../src/search/search.ts";
import type { Store } from "../../../src/store/store.ts";
import { describe, test } from "../runner.ts";
import type { TestBackend } from "../store/backends.ts";
import { withStore } from "../store/backends.ts";
import { enter } from "./filled-store.ts";
import { grepSession, type GrepFilters, type GrepHit } from "./grep-session.ts";
import { sessionText, termFrom } from "./made-sessions.ts";

const filters: fc.Arbitrary<GrepFilters> = fc.record(
  {
    since: fc.integer({ min: 1, max: 9 }).map((day) => new Date(`2026-01-0${day}T00:00:00Z`)),
    role: fc.constantFrom("user", "assistant", "tool", "system"),
    tool: fc.constantFrom("Bash", "READ", "mcp__transcripts__read_session", "none"),
    errorsOnly: fc.boolean(),
  },
  { requiredKeys: [] },
);

const cases = fc.array(sessionText, { minLength: 1, maxLength: 4 }).chain((sessions) =>
  fc.record({
    sessions: fc.constant(sessions),
    terms: fc.array(termFrom(sessions), { minLength: 3, maxLength: 6 }),
    filters: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, filters),
    only: fc.option(fc.subarray(sessions.map((_, at) => `s${at}`))),
    limit: fc.integer({ min: 1, max: 3 }),
  }),
);

/** `runs`: how many sets of sessions. */
export function searchLaws(backend: TestBackend, runs: number): void {
  describe(`searching the store on ${backend.name}`, () => {
    test("finds the same as reading the sessions, with all filters", async () => {
      await withStore(backend, async (store) => {
        let made = 0;
        await fc.assert(
          fc.asyncProperty(cases, async ({ sessions, terms, filters: given, only, limit }) => {
            made += 1;
            const ids = await entered(store, sessions, String(made));
            const wanted = only === null ? ids : ids.filter((_, at) => only.includes(`s${at}`));
            for (const term of terms) {
              const expected = await scanned(sessions, ids, wanted, { term, ...given });
              const query = { term, exact: true, ...given, sessions: { ids: wanted }, limit: Infinity };
              const result = await search(store, query);
              assert.deepEqual(sorted(result.hits.map(shapeOfHit)), expected, JSON.stringify(term));
              assert.deepEqual([result.total, result.isTotalExact, result.lowest], [expected.length, true, 0]);
              await inPages(store, { ...query, limit }, result.hits);
            }
            await store.forgetSessions(ids, []);
          }),
          { numRuns: runs },
        );
      });
    });

    test("finds the same among all sessions, where the index is asked first", async () => {
      await withStore(backend, async (store) => {
        await fc.assert(
          fc.asyncProperty(cases, async ({ sessions, terms, filters: given }) => {
            const ids = await entered(store, sessions, "x");
            for (const term of terms) {
              const { hits } = await search(store, { term, exact: true, ...given, limit: Infinity });
              const expected = await scanned(sessions, ids, ids, { term, ...given });
              assert.deepEqual(sorted(hits.map(shapeOfHit)), expected, JSON.stringify(term));
            }
            await store.forgetSessions(ids, []);
          }),
          { numRuns: runs },
        );
      });
    });

    test("without exact, passages with the text come first, then those with its words, on all pages", async () => {
      await withStore(backend, async (store) => {
        let worded = 0;
        await fc.assert(
          fc.asyncProperty(cases, async ({ sessions, terms, filters: given, limit }) => {
            const ids = await entered(store, [...sessions, said("a needle in the hay", "2026-01-05")], "x");
            worded += (await search(store, { term: "hay needle" })).hits.filter(
              ({ match }) => match === "words",
            ).length;
            for (const term of [...terms, terms.slice(0, 3).join(" ")]) {
              const { hits } = await search(store, { term, ...given, limit: Infinity });
              // White space around several words is no part of them.
              const typed = /\S\s+\S/.test(term) ? term.trim() : term;
              const literal = await search(store, { term: typed, exact: true, ...given, limit: Infinity });
              const isQuoted = hits.every(({ match }) => match === "words") && term.includes('"');
              if (!isQuoted && term.trim() !== "") {
                const first = hits.filter(({ match }) => match === "phrase");
                assert.deepEqual(sorted(first.map(shapeOfHit)), sorted(literal.hits.map(shapeOfHit)), term);
                assert.deepEqual(hits.slice(0, first.length), first, term);
              }
              const others = hits.filter(({ match }) => match === "words");
              // Words of two letters only add to the rank.
              const lacking = others.map(({ missing }) => missing.filter((word) => Array.from(word).length > 2).length);
              assert.ok(
                lacking.every((count) => count <= 2),
                term,
              );
              await inPages(store, { term, ...given, limit }, hits);
            }
            await store.forgetSessions(ids, []);
          }),
          { numRuns: Math.ceil(runs / 2) },
        );
        assert.ok(worded > 0);
      });
    });
  });
}

function said(content: string, day: string): string {
  return `${JSON.stringify({ type: "user", sessionId: "s", timestamp: `${day}T00:00:00Z`, message: { content } })}\n`;
}

async function entered(store: Store, sessions: readonly string[], run: string): Promise<string[]> {
  const ids = sessions.map((_, at) => `${run}-s${at}`);
  for (const [at, each] of sessions.entries()) await enter(store, ids[at] ?? "", each);
  return ids;
}

/** The same hits, page by page. */
async function inPages(store: Store, query: Parameters<typeof search>[1], all: readonly SearchHit[]): Promise<void> {
  const met: SearchHit[] = [];
  const now = new Date();
  for (let page = 0; page < 100; page += 1) {
    const { hits, total, hasWords } = await search(store, { ...query, now, offset: met.length });
    met.push(...hits);
    if (met.length >= total && (hasWords || hits.length === 0 || all.length === total)) break;
  }
  assert.deepEqual(met.map(shapeOfHit), all.map(shapeOfHit));
  assert.deepEqual(
    met.map(({ rank }) => rank),
    all.map(({ rank }) => rank),
  );
}

export async function scanned(
  sessions: readonly (string | Uint8Array)[],
  ids: readonly string[],
  wanted: readonly string[],
  query: GrepFilters & { term: string },
): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const [at, each] of sessions.entries()) {
    const id = ids[at] ?? "";
    if (!wanted.includes(id)) continue;
    for (const hit of await grepSession(each, query)) found.push({ session: id, ...hit });
  }
  return sorted(found);
}

export function shapeOfHit({ session_id: session, ...hit }: SearchHit): unknown {
  const { line_number, byte_offset, occurred_at, message_type, role, block_type, tool_name, tool_use_id } = hit;
  const place = { line_number, byte_offset, occurred_at, message_type, role };
  const { passage, matches, match_count } = hit;
  const shape = { ...place, block_type, tool_name, tool_use_id, passage, matches, match_count };
  return { session, ...(shape satisfies Omit<GrepHit, "block_type">) };
}

export function sorted(shapes: readonly unknown[]): unknown[] {
  return shapes.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
