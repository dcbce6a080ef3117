/** Contract of every store for sessions and their events. */
import assert from "node:assert/strict";
import type { StoredBlock, StoredSession } from "../../../src/store/stored-model.ts";
import { openStore } from "../../../src/store/open-store.ts";
import type { Candidate, CandidateQuery, SessionChange, Store, TitleQuery } from "../../../src/store/store.ts";
import { describe, test } from "../runner.ts";
import { withStore, type TestBackend } from "./backends.ts";
import {
  fillSession,
  laterChange,
  madeChange,
  madeEvent,
  madeFigures,
  madeSession,
  madeSnippet,
  madeState,
} from "./made-rows.ts";
import { refused } from "./rejection.ts";

export function sessionContract(backend: TestBackend): void {
  describe(`${backend.name}: sessions`, () => {
    const it = (name: string, work: (store: Store) => Promise<void>): void =>
      test(name, () => withStore(backend, work));

    it("a session comes back as it was written", async (store) => {
      const session = madeSession("a", {
        place: "opencode",
        project: null,
        parent_id: "p",
        agent_id: "g",
        agent: "opencode",
        machine_id: "machine-1",
        first_prompt: "Why?",
        ended_at: "2026-02-03T04:05:06.789Z",
        title: "Título 🎈 '\"\\%",
        modified_at: "2026-02-03T04:05:06.789Z",
        state: madeState({ source_bytes: 2 ** 52, lines: 3_000_000_000 }),
      });
      assert.deepEqual(await store.writeSession({ session, expected: 0, messages: [], blocks: [] }), [true]);
      assert.deepEqual(await store.session("a"), session);
      assert.equal(await store.session("A"), undefined);
    });

    it("all sessions come in the order of their ids", async (store) => {
      const ids = ["b", "B", "a-1", "a", "é", "ｚ", "𐀀"];
      for (const id of ids)
        await store.writeSession({ session: madeSession(id), expected: 0, messages: [], blocks: [] });
      const read = await store.sessions();
      assert.deepEqual(
        read.map(({ session_id: id }) => id),
        ["B", "a", "a-1", "b", "é", "ｚ", "𐀀"],
      );
    });

    it("sessions and their events are found by agent, project and machine", async (store) => {
      const { machine } = store;
      const made: [id: string, more: Partial<StoredSession>][] = [
        ["a", { agent: "claude-code", project: "/work/shop", machine_id: machine.id, host: machine.host }],
        ["b", { agent: "opencode", project: "/work/paint", machine_id: "another", host: "elsewhere" }],
        ["c", { agent: "claude-code", project: null, machine_id: "another", host: "elsewhere" }],
      ];
      for (const [id, more] of made) {
        await store.writeSession({ ...madeChange([madeEvent(0, { session_id: id })]), session: madeSession(id, more) });
      }
      assert.deepEqual((await store.projects()).toSorted(), ["/work/paint", "/work/shop"]);
      for (const [sessions, wanted] of [
        [{}, ["a", "b", "c"]],
        [{ agent: "claude-code" }, ["a", "c"]],
        [{ projects: ["/work/shop", "/work/paint"] }, ["a", "b"]],
        [{ projects: [] }, []],
        [{ ids: ["b", "c"], agent: "claude-code" }, ["c"]],
        [{ except: ["a", "none"] }, ["b", "c"]],
      ] as const) {
        const said = JSON.stringify(sessions);
        assert.deepEqual(
          (await store.sessions(sessions)).map(({ session_id: id }) => id),
          wanted,
          said,
        );
        assert.deepEqual(
          (await contentsOf(store, { terms: ["entry"], sessions })).toSorted(),
          wanted.map((id) => `${id}-0`),
          said,
        );
        assert.equal((await store.contentOf(sessions)).sessions, wanted.length, said);
      }
    });

    it("titles are found by enough of the terms, in any case", async (store) => {
      const titles = [null, "Mend the ÉCLAIR 100%", "Mend an éclair", "Mend it"];
      for (const [day, given_title] of titles.entries()) {
        const times = {
          started_at: `2026-01-0${day + 1}T00:00:00.000Z`,
          ended_at: `2026-01-0${day + 1}T12:00:00.000Z`,
        };
        const session = madeSession("dabc"[day], {
          given_title,
          title_is_message: given_title === "Mend it",
          ...times,
        });
        await store.writeSession({ session, expected: 0, messages: [], blocks: [] });
      }
      const found = async (query: TitleQuery): Promise<string> =>
        (await store.titles(query)).map(({ session_id: id }) => id).join("");
      assert.equal(await found({ terms: ["mend"] }), "ab");
      assert.equal(await found({ terms: ["100%"] }), "a");
      assert.equal(await found({ terms: ["éclair", "mend", "absent"], atLeast: 2 }), "ab");
      assert.equal(await found({ terms: ["éclair", "absent"] }), "");
      assert.equal(await found({ terms: ["mend"], sessions: { ids: ["a"] } }), "a");
      assert.equal(await found({ terms: ["mend"], since: new Date("2026-01-03T06:00:00Z") }), "b");
      assert.equal(await found({ terms: ["mend"], until: new Date("2026-01-03T00:00:00Z") }), "a");
    });

    it("a writer whose session changed meanwhile changes nothing", async (store) => {
      await fillSession(store, 2);
      const late = laterChange(0, [madeEvent(2)]);
      assert.deepEqual(await store.writeSession(late), [false]);
      assert.deepEqual(await store.writeSession(laterChange(7, [])), [false]);
      assert.equal((await store.events("s1", { from: 0, limit: 10 })).length, 2);
      assert.equal((await store.session("s1"))?.state.revision, 1);
      assert.deepEqual(await store.writeSession(laterChange(1, [madeEvent(2)])), [true]);
    });

    it("parts of several sessions are written together, without those that another program wrote", async (store) => {
      const changeOf = (id: string, expected = 0): SessionChange => {
        const { messages, blocks } = madeChange([madeEvent(0, { session_id: id, content: `the text of ${id}` })]);
        const state = { ...madeSession(id).state, revision: expected + 1 };
        return { session: madeSession(id, { state }), expected, messages, blocks };
      };
      assert.deepEqual(await store.writeSession(changeOf("a"), changeOf("b")), [true, true]);
      const again = changeOf("a");
      again.session.title = "not written";
      const changes = [changeOf("c"), again, changeOf("d"), changeOf("d")];
      assert.deepEqual(await store.writeSession(...changes), [true, false, true, false]);
      assert.equal((await store.session("a"))?.title, madeSession("a").title);
      assert.deepEqual(await store.writeSession(changeOf("b", 3), changeOf("a", 1)), [false, true]);
      for (const id of ["a", "b", "c", "d"]) {
        const [event] = await store.events(id, { from: 0, limit: 10 });
        assert.equal(event?.content, `the text of ${id}`);
        const found = (await Array.fromAsync(store.candidates({ terms: [`text of ${id}`] }))).flat();
        assert.deepEqual(
          found.map(({ session_id }) => session_id),
          [id],
        );
      }
    });

    it("of concurrent writers exactly one succeeds first", async (store) => {
      const first = await Promise.all([1, 2, 3, 4].map(() => store.writeSession(madeChange([madeEvent(0)]))));
      assert.equal(first.flat().filter(Boolean).length, 1);
      const next = await Promise.all([1, 2, 3].map(() => store.writeSession(laterChange(1, [madeEvent(1)]))));
      assert.equal(next.flat().filter(Boolean).length, 1);
      assert.equal((await store.events("s1", { from: 0, limit: 10 })).length, 2);
    });

    it("a change that fails half-way leaves nothing behind", async (store) => {
      await fillSession(store, 2);
      const change = laterChange(1, [madeEvent(0, { event_id: "new" }), madeEvent(3)]);
      const messages = change.messages.slice(0, 1);
      await refused(store.writeSession({ ...change, messages }), "invalid", "message");
      const events = await store.events("s1", { from: 0, limit: 10 });
      assert.deepEqual(
        events.map(({ event_id: id }) => id),
        ["s1-0", "s1-1"],
      );
      assert.equal((await store.session("s1"))?.state.revision, 1);
    });

    it("ids that are too long for an index are refused", async (store) => {
      const session = madeSession("x".repeat(1_001));
      await refused(store.writeSession({ session, expected: 0, messages: [], blocks: [] }), "invalid", "session_id");
      const events = [madeEvent(0, { event_id: "é".repeat(501) })];
      await refused(store.writeSession(madeChange(events)), "invalid", "event_id");
      assert.deepEqual(await store.sessions(), []);
    });

    it("forgetting a session deletes all its rows", async (store) => {
      await fillSession(store, 2);
      await fillSession(store, 2, "s2");
      const kept = await store.insertSnippet(madeSnippet({ session_id: "s2" }));
      const gone = await store.insertSnippet(madeSnippet({ event_id: "s1-1", tags: ["t"] }));
      await store.forgetSessions(["s1"], []);
      assert.equal(await store.event("s1", "s1-0"), undefined);
      assert.equal(await store.snippet(gone.snippet_id), undefined);
      assert.deepEqual(await contentsOf(store, { terms: ["entry"] }), ["s2-1", "s2-0"]);
      for (const keyword of ["queue", "qu"]) {
        const found = await store.querySnippets({ keyword, limit: 5, offset: 0 });
        assert.deepEqual(found, { snippets: [kept], total_count: 1 });
      }
      assert.equal((await store.querySnippets({ tags: ["t"], limit: 5, offset: 0 })).total_count, 0);
    });

    it("figures are read back equal, and stay until they are replaced", async (store) => {
      const mark = { rules: 3, source_bytes: 9, source_modified_ms: 1.5 };
      const session = madeSession("s1", { figures: mark, state: madeState({ rules: 0, format: "" }) });
      const figures = madeFigures({ tools: { Bash: { calls: 2, errors: 1 } } });
      assert.deepEqual(
        await store.writeSession({ session, expected: 0, messages: [], blocks: [], figures: madeFigures() }),
        [true],
      );
      assert.deepEqual(await store.session("s1"), session);
      const again = { ...session, state: madeState({ revision: 2 }) };
      await store.writeSession({ session: again, expected: 1, messages: [], blocks: [], figures });
      await store.writeSession({ ...laterChange(2, [madeEvent(0)]) });
      await fillSession(store, 1, "s2");
      assert.deepEqual(await store.figures("s1"), figures);
      assert.equal(await store.figures("s2"), undefined);
      assert.equal(await store.figures("none"), undefined);
    });

    it("a forgotten session cannot be added again", async (store) => {
      await fillSession(store, 2);
      await fillSession(store, 1, "s2");
      await store.insertSnippet(madeSnippet());
      const tombstones = [
        { session_id: "s1", place: "" },
        { session_id: "s1", place: "p1" },
        { session_id: "s3", place: "p3" },
      ];
      await store.forgetSessions(["s1"], tombstones);
      await store.forgetSessions([], tombstones);
      assert.deepEqual(await store.forgotten(), tombstones);
      assert.deepEqual(
        (await store.sessions()).map(({ session_id: id }) => id),
        ["s2"],
      );
      assert.equal((await store.querySnippets({ limit: 5, offset: 0 })).total_count, 0);
      assert.deepEqual(await store.writeSession(madeChange([madeEvent(0)])), [false]);
      assert.deepEqual(await store.writeSession(laterChange(1, [madeEvent(0)])), [false]);
      assert.deepEqual(
        (await store.sessions()).map(({ session_id: id }) => id),
        ["s2"],
      );
    });

    it("failures are counted by signature, in current rows", async (store) => {
      const failed = (at: number, content: string, changed: Partial<StoredBlock> = {}) =>
        madeEvent(at, { block_type: "tool_result", tool_name: "Bash", status: "error", content, ...changed });
      const events = [
        failed(0, "/a/b.ts:1: error: no such thing"),
        failed(1, "/c/d.ts:22: error: no such thing"),
        failed(2, "error: no such thing", { superseded: true }),
        failed(3, "error: another one here"),
        failed(4, "error: of our own output", { is_own: true }),
        failed(5, "error: it is said, but it did not fail", { status: "completed" }),
        failed(6, "Exit code 1"),
      ];
      const change = madeChange(events);
      assert.deepEqual(await store.writeSession(change), [true]);
      const seen = async () =>
        new Set(
          (await store.failures(await store.failureSignatures())).map(({ session_id, signature, count }) =>
            [session_id, signature, count].join(" "),
          ),
        );
      assert.deepEqual(await seen(), new Set(["s1 <path>: error: no such thing 2", "s1 error: another one here 1"]));
      const [error] = await store.failures();
      assert.deepEqual(await store.failures([error?.signature ?? ""], { ids: ["s1"] }), [error]);
      assert.deepEqual(await store.failures(undefined, { ids: ["s2"] }), []);
      const [first] = change.blocks;
      const mended = {
        ...change,
        expected: 1,
        messages: [],
        blocks: first ? [{ ...first, status: "completed" as const }] : [],
      };
      const session = { ...change.session, state: { ...change.session.state, revision: 2 } };
      assert.deepEqual(await store.writeSession({ ...mended, session }), [true]);
      assert.deepEqual(await seen(), new Set(["s1 <path>: error: no such thing 1", "s1 error: another one here 1"]));
    });
  });
  closedStores(backend);
}

function closedStores(backend: TestBackend): void {
  test(`${backend.name}: data survives reopening, also for reading only`, async () => {
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
      await refused(second.forgetSessions(["s1"], []), "read_only");
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
