/** Constraints that the tables enforce, whoever writes them. */
import assert from "node:assert/strict";
import {
  LABELS,
  MESSAGES,
  SESSIONS,
  SNIPPETS,
  TOMBSTONES,
  TOUCHED_FILES,
  WRITTEN_BLOCKS,
} from "../../../src/store/columns.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { test } from "../runner.ts";
import { withStore, type TestBackend } from "./backends.ts";
import { fillSession, madeChange, madeEvent, madeSession, madeSnippet, rowsOfEvents } from "./made-rows.ts";

export function tableContract(backend: TestBackend): void {
  test(`${backend.name}: the table of snippets refuses invalid rows`, () =>
    withStore(backend, async (store, where) => {
      await fillSession(store);
      const insert = (changed: Record<string, string>): Promise<unknown> => {
        const row = {
          session_id: "'s1'",
          snippet_type: "'learning_pattern'",
          title: "'t'",
          content: `'${"x".repeat(100)}'`,
          ...changed,
        };
        return backend.sql(
          where,
          `INSERT INTO conversation_snippets (${Object.keys(row).join()}) VALUES (${Object.values(row).join()})`,
        );
      };
      const bad = [
        { session_id: "'nobody'" },
        { session_id: "NULL" },
        { event_id: "'s1-0'" },
        { event_id: "'nobody'", event_session: "(SELECT number FROM sessions)" },
        { snippet_type: "'opinion'" },
        { title: "NULL" },
        { title: `'${"é".repeat(257)}'` },
        { content: `'${"x".repeat(99)}'` },
        { content: `'${"é".repeat(5_121)}'` },
        { tags: "'{}'" },
        { tags: "'['" },
        { metadata: "'[]'" },
      ];
      for (const changed of bad) await assert.rejects(insert(changed), `${JSON.stringify(changed)} is taken`);
      await insert({});
      const event = { event_id: "'s1-0'", event_session: "(SELECT number FROM sessions)" };
      await insert({ title: `'${"é".repeat(256)}'`, content: `'${"é".repeat(50)}'`, ...event });
      const { snippets, total_count } = await store.querySnippets({ limit: 9, offset: 0 });
      assert.equal(total_count, 2);
      for (const { tags, metadata, snippet_id: id } of snippets) {
        assert.deepEqual([tags, metadata], [[], {}]);
        assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      }
    }));

  test(`${backend.name}: changing a snippet updates its time`, () =>
    withStore(backend, async (store, where) => {
      await fillSession(store);
      const before = await store.insertSnippet(madeSnippet({ tags: ["old"] }));
      // Times have milliseconds: the next one comes.
      await new Promise((resolve) => setTimeout(resolve, 5));
      await backend.sql(where, `UPDATE conversation_snippets SET tags = '["new"]'`);
      const after = await store.snippet(before.snippet_id);
      assert.deepEqual({ ...after, updated_at: "" }, { ...before, tags: ["new"], updated_at: "" });
      assert.ok((after?.updated_at ?? "") > before.updated_at);
      const count = async (tag: string): Promise<number> =>
        (await store.querySnippets({ tags: [tag], limit: 0, offset: 0 })).total_count;
      assert.deepEqual([await count("old"), await count("new")], [0, 1]);
    }));

  test(`${backend.name}: deleting an event keeps its snippets, deleting a session deletes them`, () =>
    withStore(backend, async (store, where) => {
      await fillSession(store);
      const snippet = await store.insertSnippet(madeSnippet({ event_id: "s1-1" }));
      await backend.sql(where, "DELETE FROM events WHERE event_id = 's1-1'");
      assert.deepEqual(await store.snippet(snippet.snippet_id), { ...snippet, event_id: null });
      await backend.sql(where, "DELETE FROM sessions");
      assert.equal(await store.snippet(snippet.snippet_id), undefined);
      assert.equal((await store.querySnippets({ keyword: "queue", limit: 0, offset: 0 })).total_count, 0);
    }));

  test(`${backend.name}: has the same columns as the other database, except for the search index`, () =>
    withStore(backend, async (_, where) => {
      const columns =
        backend.name === "sqlite"
          ? `SELECT t.name || '.' || c.name AS name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
              WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT LIKE 'event_search%'`
          : `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
              WHERE table_schema = 'public' AND table_name <> 'transcripts_schema' AND column_name <> 'folded'`;
      const declared = [LABELS, SESSIONS, MESSAGES, WRITTEN_BLOCKS, SNIPPETS, TOMBSTONES, TOUCHED_FILES].flatMap(
        ({ table, columns: names }) => names.map((name) => `${table}.${name}`),
      );
      const keys = [
        "sessions.number",
        "messages.number",
        "events.position",
        "conversation_snippets.position",
        "conversation_snippets.event_session",
      ];
      assert.deepEqual(
        (await backend.sql(where, columns)).map(({ name }) => String(name)).toSorted(),
        [...declared, ...keys, "forgotten_sessions.forgotten_at"].toSorted(),
      );
      const views =
        backend.name === "sqlite"
          ? "SELECT 1 FROM sqlite_schema WHERE type = 'view'"
          : "SELECT 1 FROM pg_views WHERE schemaname = 'public'";
      assert.deepEqual(await backend.sql(where, views), []);
    }));

  test(`${backend.name}: two sessions may have rows with the same id`, () =>
    withStore(backend, async (store) => {
      const [first, second] = ["s1", "s2"].map((session_id) => {
        const { messages, blocks } = rowsOfEvents([madeEvent(0, { session_id, content: `Of ${session_id}.` })]);
        return madeChange([], {
          session: madeSession(session_id),
          messages: messages.map((row) => ({ ...row, message_id: "m" })),
          blocks: blocks.map((row) => ({ ...row, message_id: "m", event_id: "e" })),
        });
      });
      assert.ok(first !== undefined && second !== undefined);
      await store.writeSession(first);
      await store.writeSession(second);
      for (const id of ["s1", "s2"]) {
        assert.equal((await store.event(id, "e"))?.content, `Of ${id}.`);
        assert.deepEqual(
          (await store.blocks(id)).map(({ session_id, message_id }) => [session_id, message_id]),
          [[id, "m"]],
        );
        await store.insertSnippet(madeSnippet({ session_id: id, event_id: "e" }));
      }
    }));

  test(`${backend.name}: each unique key begins with the session`, () =>
    withStore(backend, async (_, where) => {
      const keys =
        backend.name === "sqlite"
          ? `SELECT t.name AS "table", i.name AS key, x.name AS "column" FROM sqlite_schema AS t
              JOIN pragma_index_list(t.name) AS i JOIN pragma_index_info(i.name) AS x
              WHERE t.type = 'table' AND t.name NOT LIKE 'event_search%' AND i."unique" AND x.seqno = 0`
          : `SELECT c.relname AS "table", i.indexrelid::regclass AS key, a.attname AS "column" FROM pg_index AS i
              JOIN pg_class AS c ON c.oid = i.indrelid JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
              WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace AND c.relname <> 'transcripts_schema'`;
      const found = await backend.sql(where, keys);
      assert.ok(found.length >= 5);
      for (const { table, key, column } of found) {
        const names = table === "sessions" ? ["number", "session_id"] : ["session", "session_id"];
        assert.ok(names.includes(String(column)), `${String(table)}: ${String(key)} begins with ${String(column)}`);
      }
    }));

  test(`${backend.name}: several programs can open a new store at the same time`, async () => {
    const where = await backend.newPlace();
    const stores = await Promise.all([1, 2, 3, 4].map(() => openStore(where)));
    for (const store of stores) assert.deepEqual(await store.sessions(), []);
    for (const store of stores) await store.close();
  });

  test(`${backend.name}: has the specified indexes`, () =>
    withStore(backend, async (_, where) => {
      const names =
        backend.name === "sqlite"
          ? await backend.sql(where, "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
          : await backend.sql(where, "SELECT indexname AS name, indexdef AS sql FROM pg_indexes");
      const sqlOf = new Map(names.map(({ name, sql }) => [String(name), String(sql)]));
      assert.match(sqlOf.get("idx_snippets_instance_type") ?? "", /\(session_id, snippet_type\)/);
      assert.match(sqlOf.get("idx_snippets_type_created") ?? "", /\(snippet_type, created_at DESC/);
      assert.match(sqlOf.get("idx_snippets_created") ?? "", /\(created_at DESC/);
    }));
}
