/** Contract of every store for the events of a session. */
import assert from "node:assert/strict";
import type { StoredEvent } from "../../../src/store/stored-model.ts";
import type { CandidateQuery, Store } from "../../../src/store/store.ts";
import { describe, test } from "../runner.ts";
import { withStore, type TestBackend } from "./backends.ts";
import { fillSession, laterChange, madeChange, madeEvent, madeSnippet, rowsOfEvents } from "./made-rows.ts";

export function eventContract(backend: TestBackend): void {
  describe(`${backend.name}: events`, () => {
    const it = (name: string, work: (store: Store) => Promise<void>): void =>
      test(name, () => withStore(backend, work));

    it("an event comes back as it was written", async (store) => {
      const events: StoredEvent[] = [
        madeEvent(0, {
          content: "Plain\r\n\ttext with 'quotes', \"more\", \\, {}, NULL, $1, ? and %_ 🎈 é ﬀ ß 漢字",
        }),
        madeEvent(1, {
          ...({ message_type: "assistant", role: "tool", block_type: "tool_result", status: "rejected" } as const),
          tool_name: "Bash",
          tool_use_id: "toolu_1",
          is_sidechain: true,
          is_own: true,
          occurred_at: null,
          byte_offset: 2 ** 45,
        }),
        madeEvent(2, { content: "" }),
      ];
      await store.writeSession(madeChange(events));
      // What this program printed itself has no text for a search.
      const seen = events.map((event) => (event.is_own ? { ...event, content: "" } : event));
      assert.deepEqual(await store.events("s1", { from: 0, limit: 9 }), seen);
      assert.deepEqual(await store.event("s1", "s1-1"), seen[1]);
      assert.equal(await store.event("s1", "s1-9"), undefined);
    });

    it("characters that databases refuse are stored as U+FFFD", async (store) => {
      const content = "a\0b \ud800 c \udc00 d \uffff\ufdd0";
      await store.writeSession(madeChange([madeEvent(0, { content, tool_name: "\0" })]));
      const event = await store.event("s1", "s1-0");
      assert.deepEqual([event?.content, event?.tool_name], ["a\ufffdb \ufffd c \ufffd d \ufffd\ufdd0", "\ufffd"]);
      assert.deepEqual(await idsOf(store, { terms: ["a\0b"] }), ["s1-0"]);
    });

    it("times are stored as UTC, and invalid ones not at all", async (store) => {
      const times = [
        "2026-01-31T23:30:00.5+02:00",
        "2026-01-31",
        "yesterday",
        "",
        "2026-13-45T00:00:00Z",
        "+020000-01-01T00:00:00Z",
      ];
      await store.writeSession(madeChange(times.map((occurred_at, at) => madeEvent(at, { occurred_at }))));
      const events = await store.events("s1", { from: 0, limit: 9 });
      assert.deepEqual(
        events.map(({ occurred_at: time }) => time),
        ["2026-01-31T21:30:00.500Z", "2026-01-31T00:00:00.000Z", null, null, null, null],
      );
    });

    it("a large event is kept whole", async (store) => {
      const content = "0123456789 é🎈\n".repeat(700_000);
      await store.writeSession(madeChange([madeEvent(0, { content }), madeEvent(1)]));
      assert.equal((await store.event("s1", "s1-0"))?.content, content);
    });

    it("many events in one change keep their order", async (store) => {
      const events = Array.from({ length: 4_500 }, (_, at) => madeEvent(at));
      await store.writeSession(madeChange(events));
      const page = await store.events("s1", { from: 1_990, limit: 3 });
      const onLines = await store.events("s1", { from: 0, limit: 3, lines: { start: 1_991, end: 1_992 } });
      assert.deepEqual(onLines, page.slice(0, 2));
      assert.deepEqual(
        page.map(({ ordinal }) => ordinal),
        [1_990, 1_991, 1_992],
      );
      assert.deepEqual(await idsOf(store, { terms: ["number 4499."] }), ["s1-4499"]);
    });

    it("reads blocks and messages from any position, and finds a block by its line", async (store) => {
      const lineOf = (at: number): number => 10 + Math.floor(at / 2) * 5;
      await store.writeSession(
        madeChange(Array.from({ length: 40 }, (_, at) => madeEvent(at, { line_number: lineOf(at) }))),
      );
      const ordinals = (rows: readonly { ordinal: number }[]): number[] => rows.map(({ ordinal }) => ordinal);
      assert.deepEqual(ordinals(await store.blocks("s1", { from: 30, limit: 3 })), [30, 31, 32]);
      assert.deepEqual(ordinals(await store.messages("s1", { from: 38 })), [38, 39]);
      assert.deepEqual(ordinals(await store.messages("s1", { from: 5, before: 8, limit: 2 })), [5, 6]);
      assert.deepEqual(ordinals(await store.messages("s1", { ids: ["s1/m7", "s1/none"] })), [7]);
      const found = await Promise.all([1, 10, 14, 15, 16, 105, 9_999].map((line) => store.ordinalAt("s1", line)));
      assert.deepEqual(found, [0, 0, 0, 2, 2, 38, 38]);
      assert.equal(await store.ordinalAt("none", 5), 0);
    });

    it("rows that the file dropped stay, marked, and are updated in place", async (store) => {
      await fillSession(store, 4);
      const again = [madeEvent(2, { content: "Other words." })];
      assert.deepEqual(
        await store.writeSession(laterChange(1, again, { superseded: { messages: [], blocks: ["s1-3"] } })),
        [true],
      );
      const events = await store.events("s1", { from: 0, limit: 9 });
      assert.deepEqual(
        events.map(({ content, superseded }) => [content, superseded]),
        [
          ["Entry number 0.", false],
          ["Entry number 1.", false],
          ["Other words.", false],
          ["Entry number 3.", true],
        ],
      );
      assert.deepEqual(await idsOf(store, { terms: ["number 2"] }), []);
      assert.deepEqual(await idsOf(store, { terms: ["other"] }), ["s1-2"]);
      assert.deepEqual(await idsOf(store, { terms: ["number"] }), ["s1-3", "s1-1", "s1-0"]);
      const superseded = { messages: [], blocks: ["s1-0"] };
      await store.writeSession(laterChange(2, [], { superseded }));
      assert.deepEqual(
        [(await store.event("s1", "s1-0"))?.superseded, (await store.event("s1", "s1-1"))?.superseded],
        [true, false],
      );
    });

    it("a snippet keeps its event when rows are rewritten", async (store) => {
      await fillSession(store, 3);
      const snippets = await Promise.all(
        ["s1-0", "s1-1", "s1-2"].map((event_id) => store.insertSnippet(madeSnippet({ event_id }))),
      );
      await store.writeSession(laterChange(1, [madeEvent(1)]));
      // Not even the time of its last change is another: nothing that it says has changed.
      for (const snippet of snippets) assert.deepEqual(await store.snippet(snippet.snippet_id), snippet);
    });

    it("a row that becomes this program's own output is no longer found, and the reverse", async (store) => {
      const result = { role: "tool", block_type: "tool_result", status: "completed" } as const;
      await store.writeSession(madeChange([0, 1, 2].map((at) => madeEvent(at, { ...result, is_own: at === 2 }))));
      const now = [
        madeEvent(0, { ...result, tool_name: "Read" }),
        madeEvent(1, { ...result, tool_name: "mcp__transcripts__find", is_own: true }),
        madeEvent(2, result),
      ];
      await store.writeSession(laterChange(1, now));
      const events = await store.events("s1", { from: 0, limit: 9 });
      assert.deepEqual(
        events.map(({ tool_name: name, is_own: own }) => [name, own]),
        [
          ["Read", false],
          ["mcp__transcripts__find", true],
          [null, false],
        ],
      );
      assert.deepEqual(await idsOf(store, { terms: ["entry"] }), ["s1-2", "s1-0"]);
      await store.forgetSessions(["s1"], []);
      assert.deepEqual(await idsOf(store, { terms: ["entry"] }), []);
    });

    it("calls are found by the files that they read or changed", async (store) => {
      const uses: [tool: string, input: object, folder: string | null][] = [
        ["Read", { file_path: "/work/shop/price.ts" }, "/work/shop"],
        ["Edit", { file_path: "src/price.ts", old_string: "a", new_string: "b" }, "/work/shop"],
        ["Bash", { command: "cd lib && sed -i s/a/b/ price.ts" }, null],
        ["Bash", { command: "mv a.ts src/price.tsx; cat %_price.ts" }, "/work"],
        ["Grep", { pattern: "price.ts" }, "/work"],
      ];
      const call = { role: "tool", block_type: "tool_use" } as const;
      const events = uses.map(([tool, input], at) =>
        madeEvent(at, {
          ...call,
          tool_name: tool,
          content: JSON.stringify(input),
          status: at === 1 ? "error" : "completed",
        }),
      );
      const { messages, blocks } = rowsOfEvents(events);
      const placed = messages.map((message, at) => ({ ...message, cwd: uses[at]?.[2] ?? null }));
      const whole = blocks.map((block, at) => ({ ...block, content: events[at]?.content ?? "" }));
      const change = { ...madeChange([]), messages: placed, blocks: whole };
      await store.writeSession(change);
      const found = (file: string, query: Partial<CandidateQuery> = {}): Promise<string[]> =>
        idsOf(store, { terms: ["price.ts"], file, ...query });
      const all = ["s1-2", "s1-1", "s1-0"];
      assert.deepEqual(await found("price.ts"), all);
      assert.deepEqual(await found("/work/shop/price.ts"), ["s1-0"]);
      assert.deepEqual(await found("src/price.ts"), ["s1-1"]);
      assert.deepEqual(await found("/work/shop/src/price.ts"), ["s1-1"]);
      // The folder of the third call is unknown.
      assert.deepEqual(await found("/anywhere/lib/price.ts"), ["s1-2"]);
      assert.deepEqual(await found("/anywhere/price.ts"), []);
      assert.deepEqual(await found("rice.ts"), []);
      assert.deepEqual(await found("x_price.ts"), []);
      assert.deepEqual(await found("%_price.ts"), ["s1-3"]);
      assert.deepEqual(await found("price.ts", { errorsOnly: true }), ["s1-1"]);
      const changes = async (file: string): Promise<(boolean | undefined)[]> =>
        (await Array.fromAsync(store.candidates({ terms: ["price.ts"], file })))
          .flat()
          .map(({ changes_file: isChanged }) => isChanged);
      // The second failed.
      assert.deepEqual(await changes("price.ts"), [true, false, false]);
      const ids = async (file: string): Promise<string[]> =>
        (await store.sessions({ file })).map(({ session_id: id }) => id);
      assert.deepEqual([await ids("lib/price.ts"), await ids("a/price.ts")], [["s1"], []]);
      const read = { session_id: "s1", ordinal: 0, reads: 1, changes: 0, last: events[0]?.occurred_at ?? null };
      assert.deepEqual(await store.fileUses("/work/shop/price.ts"), [read]);
      assert.deepEqual((await store.fileSessions()).get("/work/shop/price.ts"), ["s1"]);
      assert.equal((await store.fileSessions({ ids: ["s2"] })).size, 0);
      // The call failed.
      assert.equal((await store.fileSessions()).has("/work/shop/src/price.ts"), false);
      // What a call is said to be later replaces it.
      const again = whole.slice(0, 1).map((block) => ({ ...block, content: '{"file_path":"/work/shop/price.tsx"}' }));
      await store.writeSession({ ...laterChange(1, []), blocks: again });
      assert.deepEqual(await found("/work/shop/price.ts"), []);
    });

    it("a call is in the folder of its session if its message names none", async (store) => {
      const input = JSON.stringify({ file_path: "lib/price.ts" });
      const event = madeEvent(0, {
        role: "tool",
        block_type: "tool_use",
        tool_name: "Read",
        status: "completed",
        content: input,
      });
      const { messages, blocks } = rowsOfEvents([event]);
      const session = { ...madeChange([]).session, cwd: "/work/shop" };
      const whole = blocks.map((block) => ({ ...block, content: input }));
      await store.writeSession({ session, expected: 0, messages, blocks: whole });
      const paths = (await store.touchedFiles({ limit: 9 })).map(({ path }) => path);
      assert.deepEqual(paths, ["/work/shop/lib/price.ts"]);
    });

    it("returns the states of all rows, and blocks by their ids", async (store) => {
      await store.writeSession(madeChange([0, 1, 2].map((at) => madeEvent(at, { status: at === 1 ? "error" : null }))));
      await store.writeSession(laterChange(1, [], { superseded: { messages: ["s1/m0"], blocks: ["s1-0", "s1-2"] } }));
      const { messages, blocks } = await store.rowStates("s1");
      assert.deepEqual(
        [...messages].map(([id, { raw_hash, superseded }]) => `${id} ${raw_hash} ${superseded}`).toSorted(),
        [0, 1, 2].map((at) => `s1/m${at} 1 ${at === 0}`),
      );
      assert.deepEqual(
        [...blocks].map(([id, { status, superseded }]) => `${id} ${status} ${superseded}`).toSorted(),
        [0, 1, 2].map((at) => `s1-${at} ${at === 1 ? "error" : null} ${at !== 1}`),
      );
      assert.deepEqual(
        (await store.blocks("s1", { ids: ["s1-2", "s1-9"] })).map(({ event_id: id }) => id),
        ["s1-2"],
      );
      assert.deepEqual((await store.rowStates("none")).blocks, new Map());
    });
  });
}

async function idsOf(store: Store, query: CandidateQuery): Promise<string[]> {
  const ids: string[] = [];
  for await (const batch of store.candidates(query)) ids.push(...batch.map(({ event_id: id }) => id));
  return ids;
}
