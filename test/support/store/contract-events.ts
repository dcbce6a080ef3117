/** What every store does with the events of a session. */
import assert from "node:assert/strict";
import type { StoredEvent } from "../../../src/store/model.ts";
import type { CandidateQuery, Store } from "../../../src/store/store.ts";
import { describe, test } from "../runner.ts";
import { withStore, type TestBackend } from "./backends.ts";
import { fillSession, laterChange, madeChange, madeEvent, madeSnippet } from "./made-rows.ts";

export function eventContract(backend: TestBackend): void {
  describe(`${backend.name}: events`, () => {
    const it = (name: string, work: (store: Store) => Promise<void>): void =>
      test(name, () => withStore(backend, work));

    it("an event comes back as it was written", async (store) => {
      const events: StoredEvent[] = [
        madeEvent(0, {
          content: "Plain\r\n\ttext\u001ewith 'quotes', \"more\", \\, {}, NULL, $1, ? and %_ 🎈 é ﬀ ß 漢字",
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
      assert.deepEqual(await store.events("s1", { from: 0, limit: 9 }), events);
      assert.deepEqual(await store.event("s1-1"), events[1]);
      assert.equal(await store.event("s1-9"), undefined);
    });

    it("what no database holds is kept as U+FFFD", async (store) => {
      const content = "a\0b \ud800 c \udc00 d \uffff\ufdd0";
      await store.writeSession(madeChange([madeEvent(0, { content, tool_name: "\0" })]));
      const event = await store.event("s1-0");
      assert.deepEqual([event?.content, event?.tool_name], ["a\ufffdb \ufffd c \ufffd d \ufffd\ufffd", "\ufffd"]);
      assert.deepEqual(await idsOf(store, { terms: ["a\0b"] }), ["s1-0"]);
    });

    it("times are kept as UTC, and what is none is not kept", async (store) => {
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
      assert.equal((await store.event("s1-0"))?.content, content);
    });

    it("many events in one change keep their order", async (store) => {
      const events = Array.from({ length: 4_500 }, (_, at) => madeEvent(at));
      await store.writeSession(madeChange(events));
      const page = await store.events("s1", { from: 1_990, limit: 3 });
      assert.deepEqual(
        page.map(({ ordinal }) => ordinal),
        [1_990, 1_991, 1_992],
      );
      assert.deepEqual(await idsOf(store, { terms: ["number 4499."] }), ["s1-4499"]);
    });

    it("events are removed from an ordinal on", async (store) => {
      await fillSession(store, 4);
      const again = [madeEvent(2, { content: "Other words." }), madeEvent(3)];
      assert.equal(await store.writeSession(laterChange(1, again, { removeFrom: 2 })), true);
      const events = await store.events("s1", { from: 0, limit: 9 });
      assert.deepEqual(
        events.map(({ content }) => content),
        ["Entry number 0.", "Entry number 1.", "Other words.", "Entry number 3."],
      );
      assert.deepEqual(await idsOf(store, { terms: ["number 2"] }), []);
      assert.deepEqual(await idsOf(store, { terms: ["other"] }), ["s1-2"]);
      assert.deepEqual(await idsOf(store, { terms: ["number"] }), ["s1-3", "s1-1", "s1-0"]);
    });

    it("a snippet keeps its event where that is written again, and loses it where it is not", async (store) => {
      await fillSession(store, 3);
      const [first, second, third] = await Promise.all(
        ["s1-0", "s1-1", "s1-2"].map((event_id) => store.insertSnippet(madeSnippet({ event_id }))),
      );
      assert.ok(first && second && third);
      await store.writeSession(laterChange(1, [madeEvent(1)], { removeFrom: 1 }));
      // Not even the time of its last change is another: nothing that it says has changed.
      assert.deepEqual(await store.snippet(first.snippet_id), first);
      assert.deepEqual(await store.snippet(second.snippet_id), second);
      assert.deepEqual(await store.snippet(third.snippet_id), { ...third, event_id: null });
    });

    it("a call that comes after its result names the result's tool", async (store) => {
      const result = { role: "tool", block_type: "tool_result", status: "completed" } as const;
      await store.writeSession(madeChange([0, 1, 2].map((at) => madeEvent(at, { ...result, is_own: at === 2 }))));
      const toolNames = [
        { event_id: "s1-0", tool_name: "Read", is_own: false },
        { event_id: "s1-1", tool_name: "mcp__transcripts__find", is_own: true },
        { event_id: "s1-2", tool_name: null, is_own: false },
        { event_id: "nobody", tool_name: "x", is_own: false },
      ];
      await store.writeSession(laterChange(1, [], { toolNames }));
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
      await store.deleteSession("s1");
      assert.deepEqual(await idsOf(store, { terms: ["entry"] }), []);
    });
  });
}

async function idsOf(store: Store, query: CandidateQuery): Promise<string[]> {
  const ids: string[] = [];
  for await (const batch of store.candidates(query)) ids.push(...batch.map(({ event_id: id }) => id));
  return ids;
}
