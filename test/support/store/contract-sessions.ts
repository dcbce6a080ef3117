/** What every store does with sessions and their events. */
import assert from "node:assert/strict";
import type { StoredSession } from "../../../src/store/model.ts";
import { openStore } from "../../../src/store/open-store.ts";
import type { Candidate, CandidateQuery, Store } from "../../../src/store/store.ts";
import { describe, test } from "../runner.ts";
import { withStore, type TestBackend } from "./backends.ts";
import { fillSession, laterChange, madeChange, madeEvent, madeSession, madeSnippet, madeState } from "./made-rows.ts";
import { refused } from "./rejection.ts";

export function sessionContract(backend: TestBackend): void {
  describe(`${backend.name}: sessions`, () => {
    const it = (name: string, work: (store: Store) => Promise<void>): void =>
      test(name, () => withStore(backend, work));

    it("a session comes back as it was written", async (store) => {
      const memory = Uint8Array.from({ length: 300 }, (_, at) => at % 256);
      const session = madeSession("a", {
        source: "opencode-store",
        project: null,
        parent_id: "p",
        agent_id: "g",
        title: "Título 🎈 '\"\\%",
        modified_at: "2026-02-03T04:05:06.789Z",
        state: madeState({ source_bytes: 2 ** 52, done_lines: 3_000_000_000, memory }),
      });
      assert.equal(await store.writeSession({ session, expected: 0, events: [] }), true);
      const read = await store.session("a");
      assert.deepEqual(read && { ...read, state: { ...read.state, memory: [...(read.state.memory ?? [])] } }, {
        ...session,
        state: { ...session.state, memory: [...memory] },
      });
      assert.equal(await store.session("A"), undefined);
    });

    it("all sessions come in the order of their ids, without their memory", async (store) => {
      const state = madeState({ memory: new Uint8Array(5) });
      const ids = ["b", "B", "a-1", "a", "é", "ｚ", "𐀀"];
      for (const id of ids) await store.writeSession({ session: madeSession(id, { state }), expected: 0, events: [] });
      const read = await store.sessions();
      assert.deepEqual(
        read.map(({ session_id: id }) => id),
        ["B", "a", "a-1", "b", "é", "ｚ", "𐀀"],
      );
      assert.ok(read.every((session) => session.state.memory === null));
    });

    it("sessions are found by machine and path", async (store) => {
      const make = (id: string, host: string, path: string): Promise<boolean> =>
        store.writeSession({ session: madeSession(id, { host, path }), expected: 0, events: [] });
      await make("1", "one", "/a");
      await make("2", "one", "/b");
      await make("3", "two", "/a");
      const ids = (sessions: StoredSession[]): string => sessions.map(({ session_id: id }) => id).join();
      assert.equal(ids(await store.sessions({ host: "one" })), "1,2");
      assert.equal(ids(await store.sessions({ path: "/a" })), "1,3");
      assert.equal(ids(await store.sessions({ host: "two", path: "/a" })), "3");
      assert.equal(ids(await store.sessions({ host: "two", path: "/b" })), "");
    });

    it("registering enters a session once, and changes none", async (store) => {
      const { state: _, ...session } = madeSession("r");
      await store.registerSession(session);
      assert.equal((await store.session("r"))?.state.revision, 0);
      assert.equal(await store.writeSession({ ...madeChange([]), session: madeSession("r") }), true);
      await store.registerSession({ ...session, title: "other" });
      const read = await store.session("r");
      assert.deepEqual([read?.title, read?.state.revision], [null, 1]);
    });

    it("a writer that was overtaken changes nothing", async (store) => {
      await fillSession(store, 2);
      const late = { ...laterChange(0, [madeEvent(2)]), removeFrom: 0 };
      assert.equal(await store.writeSession(late), false);
      assert.equal(await store.writeSession(laterChange(7, [])), false);
      assert.equal((await store.events("s1", { from: 0, limit: 10 })).length, 2);
      assert.equal((await store.session("s1"))?.state.revision, 1);
      assert.equal(await store.writeSession(laterChange(1, [madeEvent(2)])), true);
    });

    it("of writers at once exactly one goes first", async (store) => {
      const first = await Promise.all([1, 2, 3, 4].map(() => store.writeSession(madeChange([madeEvent(0)]))));
      assert.equal(first.filter(Boolean).length, 1);
      const next = await Promise.all([1, 2, 3].map(() => store.writeSession(laterChange(1, [madeEvent(1)]))));
      assert.equal(next.filter(Boolean).length, 1);
      assert.equal((await store.events("s1", { from: 0, limit: 10 })).length, 2);
    });

    it("a change that fails half-way leaves nothing behind", async (store) => {
      await fillSession(store, 2);
      await fillSession(store, 1, "s2");
      const stolen = [madeEvent(0, { session_id: "s1", event_id: "new" }), madeEvent(1, { event_id: "s2-0" })];
      await refused(store.writeSession({ ...laterChange(1, stolen), removeFrom: 0 }), "invalid", "event_id");
      const events = await store.events("s1", { from: 0, limit: 10 });
      assert.deepEqual(
        events.map(({ event_id: id }) => id),
        ["s1-0", "s1-1"],
      );
      assert.equal((await store.session("s1"))?.state.revision, 1);
    });

    it("ids that no index takes are refused", async (store) => {
      const session = madeSession("x".repeat(1_001));
      await refused(store.writeSession({ session, expected: 0, events: [] }), "invalid", "session_id");
      const events = [madeEvent(0, { event_id: "é".repeat(501) })];
      await refused(store.writeSession(madeChange(events)), "invalid", "event_id");
      assert.deepEqual(await store.sessions(), []);
    });

    it("a session takes all that is its own with it", async (store) => {
      await fillSession(store, 2);
      await fillSession(store, 2, "s2");
      const kept = await store.insertSnippet(madeSnippet({ session_id: "s2" }));
      const gone = await store.insertSnippet(madeSnippet({ event_id: "s1-1", tags: ["t"] }));
      await store.writeCached("figures", "s1", { key: "k", value: new Uint8Array([1]) });
      assert.equal(await store.deleteSession("s1"), true);
      assert.equal(await store.deleteSession("s1"), false);
      assert.equal(await store.event("s1-0"), undefined);
      assert.equal(await store.snippet(gone.snippet_id), undefined);
      assert.deepEqual((await store.cached("figures")).size, 0);
      assert.deepEqual(await contentsOf(store, { terms: ["entry"] }), ["s2-1", "s2-0"]);
      for (const keyword of ["queue", "qu"]) {
        const found = await store.querySnippets({ keyword, limit: 5, offset: 0 });
        assert.deepEqual(found, { snippets: [kept], total_count: 1 });
      }
      assert.equal((await store.querySnippets({ tags: ["t"], limit: 5, offset: 0 })).total_count, 0);
    });

    it("cached values are replaced, and belong to sessions that are there", async (store) => {
      await fillSession(store);
      await store.writeCached("figures", "s1", { key: "1", value: new Uint8Array([1, 0, 255]) });
      await store.writeCached("figures", "s1", { key: "2", value: new Uint8Array([0]) });
      await store.writeCached("other", "s1", { key: "3", value: new Uint8Array() });
      const cached = await store.cached("figures");
      assert.deepEqual([...cached.keys()], ["s1"]);
      assert.deepEqual([cached.get("s1")?.key, ...(cached.get("s1")?.value ?? [])], ["2", 0]);
      assert.equal((await store.cached("other")).get("s1")?.value.length, 0);
      await refused(
        store.writeCached("figures", "none", { key: "", value: new Uint8Array() }),
        "unknown_session",
        "session_id",
      );
    });
  });
  closedStores(backend);
}

function closedStores(backend: TestBackend): void {
  test(`${backend.name}: what was written is there when the store is opened again, for reading too`, async () => {
    const where = await backend.newPlace();
    const first = await openStore(where);
    await fillSession(first, 2);
    await first.insertSnippet(madeSnippet());
    await first.close();
    const second = await openStore(where, { readOnly: true });
    try {
      assert.equal((await second.events("s1", { from: 0, limit: 9 })).length, 2);
      assert.deepEqual(await contentsOf(second, { terms: ["number 1"] }), ["s1-1"]);
      assert.equal((await second.querySnippets({ keyword: "queue", limit: 9, offset: 0 })).total_count, 1);
      await refused(second.insertSnippet(madeSnippet()), "read_only");
      await refused(second.writeSession(laterChange(1, [])), "read_only");
      await refused(second.deleteSession("s1"), "read_only");
    } finally {
      await second.close();
    }
  });
}

/** Ids of the candidates, as they come. */
async function contentsOf(store: Store, query: CandidateQuery): Promise<string[]> {
  const found: Candidate[] = [];
  for await (const batch of store.candidates(query)) found.push(...batch);
  return found.map(({ event_id: id }) => id);
}
