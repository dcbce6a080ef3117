/** Contract of every store for suggested snippets: each passage is suggested only once. */
import assert from "node:assert/strict";
import { openStore } from "../../../src/store/open-store.ts";
import type { NewSnippet, Store } from "../../../src/store/store.ts";
import { describe, test } from "../runner.ts";
import { withStore, type TestBackend } from "./backends.ts";
import { fillSession, madeSnippet } from "./made-rows.ts";
import { suggestionChild } from "./waiting-children.ts";
import { refused } from "./rejection.ts";

const PROCESSES = 3;

export function suggestionContract(backend: TestBackend): void {
  describe(`${backend.name}: suggestions`, () => {
    test("a passage is stored once for each type, also when more of it is suggested later", () =>
      withStore(backend, async (store) => {
        await fillSession(store);
        await fillSession(store, 1, "s2");
        const stored = await store.insertSuggestion(lines(10, 19));
        assert.deepEqual(stored && (await store.snippet(stored.snippet_id)), stored);
        for (const [start, end] of [
          [10, 19],
          [10, 400],
          [12, 13],
          [5, 15],
        ] as const) {
          assert.equal(await store.insertSuggestion(lines(start, end)), undefined, `${start} to ${end}`);
        }
        // Half of the lines, none, another type, another session.
        for (const other of [lines(15, 24), lines(1, 9), typed(10, 19), { ...lines(10, 19), session_id: "s2" }]) {
          assert.ok(await store.insertSuggestion(other));
        }
      }));

    test("a passage that was kept before is not stored again", () =>
      withStore(backend, async (store) => {
        await fillSession(store);
        await store.insertSnippet(lines(20, 29));
        assert.equal(await store.insertSuggestion(lines(20, 25)), undefined);
      }));

    test("needs its lines, session and event", () =>
      withStore(backend, async (store) => {
        await fillSession(store);
        const without = { ...lines(1, 2), source_line_end: null };
        await refused(store.insertSuggestion(without), "invalid", "source_line_end");
        await refused(
          store.insertSuggestion({ ...lines(1, 2), session_id: "nobody" }),
          "unknown_session",
          "session_id",
        );
        await refused(store.insertSuggestion({ ...lines(1, 2), event_id: "nobody" }), "unknown_event", "event_id");
        assert.ok(await store.insertSuggestion(lines(1, 2)), "what was refused is not taken for stored");
        assert.ok(await store.insertSuggestion(lines(2_147_483_640, 2_147_483_647)));
      }));

    test("of several concurrent processes one stores it", async () => {
      const where = await backend.newPlace();
      const store = await openStore(where);
      try {
        await fillSession(store);
        for (let round = 0; round < 2; round++) await race(store, round * 100);
      } finally {
        await store.close();
      }

      async function race(store: Store, line: number): Promise<void> {
        const snippet = lines(line + 1, line + 9);
        const children = await Promise.all(
          Array.from({ length: PROCESSES }, () => suggestionChild(where, JSON.stringify(snippet))),
        );
        for (const child of children) child.go();
        const ends = await Promise.all(children.map((child) => child.end()));
        assert.deepEqual(ends.map((end) => JSON.stringify(end)).toSorted(), [
          ...Array.from({ length: PROCESSES - 1 }, () => '{"stored":false}'),
          '{"stored":true}',
        ]);
        const { snippets } = await store.querySnippets({ limit: 9, offset: 0 });
        assert.equal(snippets.filter(({ source_line_start: start }) => start === line + 1).length, 1);
      }
    });
  });
}

function lines(source_line_start: number, source_line_end: number): NewSnippet {
  return madeSnippet({ source_line_start, source_line_end });
}

function typed(start: number, end: number): NewSnippet {
  return { ...lines(start, end), snippet_type: "error_reasoning" };
}
