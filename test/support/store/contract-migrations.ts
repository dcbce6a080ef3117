/** The steps of the tables, on every backend. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { foldedPattern } from "../../../src/matching/folding.ts";
import { MIGRATIONS } from "../../../src/store/migrations/migrations.ts";
import {
  LATEST_VERSION,
  migrateStore,
  openStore,
  storeVersion,
  type StoreWhere,
} from "../../../src/store/open-store.ts";
import type { NewSnippet, Store } from "../../../src/store/store.ts";
import { describe, test } from "../runner.ts";
import type { TestBackend } from "./backends.ts";
import { laterChange, madeEvent, madeSnippet, rowsOfEvents } from "./made-rows.ts";
import { migrationChild } from "./waiting-children.ts";
import { refused } from "./rejection.ts";

const EVENT = "Straße, KELVIN \u212a and plain words";
const CONTENT = `ΣΊΣΥΦΟΣ and an "old" snippet ${"z".repeat(100)}`;
/** Events that a step works on for long enough to be killed in it. */
const MANY = 8_000;
const VERSIONS = Array.from({ length: LATEST_VERSION }, (_, at) => at + 1);

export function migrationContract(backend: TestBackend): void {
  describe(`${backend.name}: migrations`, () => {
    test("up, down and up again, step by step and at once", async () => {
      assert.deepEqual(
        MIGRATIONS.map(({ version }) => version),
        VERSIONS,
      );
      const where = await backend.newPlace();
      const empty = await shapeOf(backend, where, 0);
      const shapes = new Map<number, string>();
      for (const version of VERSIONS) shapes.set(version, await shapeOf(backend, where, version));
      for (const version of VERSIONS.toReversed()) {
        assert.equal(await shapeOf(backend, where, version), shapes.get(version));
      }
      assert.equal(await shapeOf(backend, where, 0), empty);
      assert.equal(await shapeOf(backend, where, LATEST_VERSION), shapes.get(LATEST_VERSION));
      assert.equal(await shapeOf(backend, where, 0), empty);
    });

    test("a step that was made is not made again", async () => {
      const where = await backend.newPlace();
      assert.deepEqual(await migrateStore(where), { from: 0, to: LATEST_VERSION });
      assert.deepEqual(await migrateStore(where), { from: LATEST_VERSION, to: LATEST_VERSION });
      assert.deepEqual(await migrateStore(where, 2), { from: LATEST_VERSION, to: 2 });
      const applied = await backend.sql(where, "SELECT version FROM transcripts_migrations ORDER BY version");
      assert.deepEqual(
        applied.map(({ version }) => version),
        [1, 2],
      );
      assert.equal(await storeVersion(where), 2);
    });

    for (const version of VERSIONS) {
      test(`rows of version ${version} are kept, found, and there again after the way back`, async () => {
        const where = await backend.newPlace();
        await migrateStore(where, version);
        await insertRows(backend, where, version);
        await checkRows(where, version >= 2);
        await migrateStore(where, version);
        await checkRows(where, version >= 2);
      });
    }

    test("what was suggested before is not suggested again", async () => {
      const where = await backend.newPlace();
      await migrateStore(where, 4);
      await insertRows(backend, where, 4);
      const store = await openStore(where);
      try {
        assert.equal(await store.deleteSnippetsBefore(new Date("9999-01-01")), 1);
        const of = (line: number): NewSnippet =>
          madeSnippet({ snippet_type: "learning_pattern", source_line_start: line, source_line_end: line + 4 });
        assert.equal(await store.insertSuggestion(of(5)), undefined);
        assert.ok(await store.insertSuggestion(of(50)));
      } finally {
        await store.close();
      }
    });

    test("events of version 7 are blocks with their text, and the same blocks once they are read again", async () => {
      const where = await backend.newPlace();
      await migrateStore(where, 2);
      await insertRows(backend, where, 2);
      await backend.sql(where, "UPDATE sessions SET title = 'Straße, KELVIN K and…', source = 'claude-code'");
      await backend.sql(where, "UPDATE events SET occurred_at = '2026-01-01T00:00:05.000Z' WHERE ordinal = 2");
      await migrateStore(where, 7);
      const store = await openStore(where);
      try {
        const session = await store.session("s1");
        // The title is the beginning of the prompt, which is found as what it is.
        assert.deepEqual([session?.agent, session?.given_title], ["claude-code", null]);
        assert.equal(session?.ended_at, "2026-01-01T00:00:05.000Z");
        const [first] = await store.blocks("s1");
        assert.deepEqual([first?.event_id, first?.kept, first?.content], ["s1-0", "text", EVENT]);
        const messages = await store.messages("s1");
        assert.deepEqual(
          messages.map(({ ordinal, role, has_text, superseded }) => [ordinal, role, has_text, superseded]),
          [0, 1, 2].map((at) => [at, "user", true, false]),
        );
        const events = [EVENT, EVENT, "Later words"].map((content, at) => madeEvent(at, { content, is_own: at === 1 }));
        const whole = rowsOfEvents(events).blocks.map((block) => ({ ...block, kept: "all" as const }));
        assert.equal(await store.writeSession(laterChange(1, events, { rewritesFrom: 0, blocks: whole })), true);
        const blocks = await store.blocks("s1");
        assert.deepEqual(
          blocks.map(({ event_id, kept, superseded }) => [event_id, kept, superseded]),
          [0, 1, 2].map((at) => [`s1-${at}`, "all", false]),
        );
        // None that the migration made is left.
        assert.deepEqual(
          (await store.messages("s1")).map(({ message_id }) => message_id),
          blocks.map(({ message_id }) => message_id),
        );
        const { snippets } = await store.querySnippets({ limit: 5, offset: 0 });
        assert.equal(snippets[0]?.event_id, "s1-0");
        assert.equal(await countOf(store, "straße"), 1);
      } finally {
        await store.close();
      }
    });

    test("long texts are the same after the way back and there again, whatever replaces them", async () => {
      const where = await backend.newPlace();
      const long = `${EVENT} \u{1f600} `.repeat(200);
      const noise = randomBytes(3_000).toString("base64");
      const write = async (revision: number, texts: readonly string[]): Promise<void> => {
        const store = await openStore(where);
        const events = texts.map((content, at) => madeEvent(at, { content }));
        assert.equal(await store.writeSession(laterChange(revision, events, { rewritesFrom: 0 })), true);
        await store.close();
      };
      const check = async (texts: readonly string[]): Promise<void> => {
        const store = await openStore(where);
        assert.deepEqual(
          (await store.blocks("s1")).map(({ content }) => content),
          texts,
        );
        assert.equal(await countOf(store, "straße"), texts.filter((text) => text.includes("Straße")).length);
        await store.close();
      };
      await migrateStore(where, 2);
      await insertRows(backend, where, 2);
      await write(1, [long, noise, EVENT]);
      await check([long, noise, EVENT]);
      await migrateStore(where, 12);
      await check([long, noise, EVENT]);
      await write(2, [EVENT, long, noise]);
      await check([EVENT, long, noise]);
    });

    test("two stores opened at once in one thread are made by one of them", async () => {
      const where = await backend.newPlace();
      await migrateStore(where, 2);
      await insertMany(backend, where);
      const stores = await Promise.all([openStore(where), openStore(where)]);
      for (const store of stores) assert.equal((await store.messages("s1")).length, MANY);
      for (const store of stores) await store.close();
    });

    test("versions that there are not are refused", async () => {
      const where = await backend.newPlace();
      for (const version of [-1, 0.5, LATEST_VERSION + 1]) {
        await refused(migrateStore(where, version), "invalid", "version");
      }
      assert.equal(await storeVersion(where), 0);
    });

    test("tables of a newer program are refused, and left alone", async () => {
      const where = await backend.newPlace();
      await migrateStore(where);
      const newer = LATEST_VERSION + 1;
      await backend.sql(
        where,
        `INSERT INTO transcripts_migrations (version, name, checksum, applied_at)
        VALUES (${newer}, 'later', 'x', '2030-01-01')`,
      );
      if (backend.name === "sqlite") await backend.sql(where, `PRAGMA user_version = ${newer}`);
      for (const readOnly of [false, true]) {
        const { message } = await refused(openStore(where, { readOnly }), "newer_version");
        assert.match(message, new RegExp(`version ${newer}.*Update`, "s"));
      }
      await refused(migrateStore(where), "newer_version");
      await refused(migrateStore(where, 0), "newer_version");
      assert.equal(await storeVersion(where), newer);
    });

    test("tables that another build made are refused before a step is made on them", async () => {
      const where = await backend.newPlace();
      await migrateStore(where, 2);
      await backend.sql(where, "UPDATE transcripts_migrations SET checksum = 'other' WHERE version = 2");
      await refused(openStore(where), "damaged");
      assert.equal(await storeVersion(where), 2);
    });

    test("reading only makes no tables, and says how to", async () => {
      const where = await backend.newPlace();
      assert.match((await refused(openStore(where, { readOnly: true }), "unavailable")).message, /transcripts index/);
      await migrateStore(where, 3);
      assert.match((await refused(openStore(where, { readOnly: true }), "unavailable")).message, /transcripts index/);
      assert.equal(await storeVersion(where), 3);
    });
  });

  describe(`${backend.name}: migrations by several processes`, () => {
    test("processes that start at once make each step once", async () => {
      const where = await backend.newPlace();
      const children = await Promise.all([1, 2, 3].map(() => migrationChild(where)));
      for (const child of children) child.go();
      for (const child of children) assert.deepEqual(await child.end(), { done: true });
      const applied = await backend.sql(where, "SELECT version FROM transcripts_migrations ORDER BY version");
      assert.deepEqual(
        applied.map(({ version }) => version),
        VERSIONS,
      );
    });

    for (const from of [2, 7]) {
      test(`a process killed in the middle, from version ${from}, leaves whole steps, and the next one goes on`, () =>
        checkKills(from));
    }

    async function checkKills(from: number): Promise<void> {
      const where = await backend.newPlace();
      await migrateStore(where, 2);
      await insertMany(backend, where);
      await migrateStore(where, from);
      const reached = new Set<number>();
      for (const waitMs of [5, 30, 80, 150, 300]) {
        const child = await migrationChild(where);
        child.go();
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        child.process.kill("SIGKILL");
        await child.end();
        const version = await storeVersion(where);
        reached.add(version);
        assert.ok(version >= from && version <= LATEST_VERSION);
        const [row] = await backend.sql(where, "SELECT count(*) AS steps FROM transcripts_migrations");
        assert.equal(row?.["steps"], version);
      }
      const store = await openStore(where);
      try {
        assert.equal(await countOf(store, `straße ${MANY - 1}`), 1);
        assert.equal(await countOf(store, "plain words"), MANY);
        assert.equal((await store.messages("s1")).length, MANY);
      } finally {
        await store.close();
      }
      assert.ok(reached.has(from), `No process was killed early enough: ${[...reached].join()}`);
    }
  });
}

/** The tables, indexes and triggers that a version has. */
async function shapeOf(backend: TestBackend, where: StoreWhere, version: number): Promise<string> {
  await migrateStore(where, version);
  assert.equal(await storeVersion(where), version);
  const sql =
    backend.name === "sqlite"
      ? "SELECT type || name || coalesce(sql, '') AS shape FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY shape"
      : `SELECT shape FROM (
           SELECT table_name || column_name || data_type AS shape FROM information_schema.columns WHERE table_schema = 'public'
           UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
           UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname LIKE 'conv%'
           UNION ALL SELECT tgname FROM pg_trigger WHERE NOT tgisinternal
         ) AS shapes ORDER BY shape`;
  // A table that was made anew has its name in quotes.
  return (await backend.sql(where, sql)).map(({ shape }) => String(shape).replaceAll(/["\s]/g, "")).join("\n");
}

const EVENT_COLUMNS =
  "event_id, session_id, ordinal, line_number, byte_offset, message_type, role, block_type, is_sidechain, is_own, content";

async function insertRows(backend: TestBackend, where: StoreWhere, version: number): Promise<void> {
  await backend.sql(
    where,
    "INSERT INTO sessions (session_id, source, host, path, revision) VALUES ('s1', 'file', 'h', '/p', 1)",
  );
  const event = (at: number, own: string, content: string): string =>
    `('s1-${at}', 's1', ${at}, 1, 0, 'user', 'user', 'text', (1 = 0), (${own}), '${content}')`;
  const events = [event(0, "1 = 0", EVENT), event(1, "1 = 1", EVENT), event(2, "1 = 0", "Later words")];
  // From version 3 on the search table is written with the events: that is the store's doing, not the table's.
  if (version < 3) await backend.sql(where, `INSERT INTO events (${EVENT_COLUMNS}) VALUES ${events.join()}`);
  if (version < 2) return;
  const cited = version < 3 ? "'s1-0'" : "NULL";
  if (version >= 7) return;
  await backend.sql(
    where,
    `INSERT INTO conversation_snippets
       (session_id, event_id, snippet_type, title, content, tags, source_line_start, source_line_end, metadata)
     VALUES ('s1', ${cited}, 'learning_pattern', 'Título', '${CONTENT}', '["alt", "%"]', 5, 9, '{"auto": true}')`,
  );
}

/** Opens the store, which brings it up to date, and looks for what there was; or enters it, where it is current. */
async function checkRows(where: StoreWhere, hasSnippets: boolean): Promise<void> {
  const store = await openStore(where);
  try {
    await enterMissing(store, hasSnippets);
    assert.equal((await store.events("s1", { from: 0, limit: 9 })).length, 3);
    for (const term of ["STRASSE".replace("SS", "ẞ"), "straße", "kelvin k", "words"])
      assert.ok((await countOf(store, term)) >= 1, term);
    assert.equal(await countOf(store, "later"), 1);
    if (!hasSnippets) return;
    for (const query of [{ keyword: "σίσυφοσ" }, { keyword: '"OLD"' }, { keyword: "tí" }, { tags: ["%", "alt"] }]) {
      const { snippets, total_count } = await store.querySnippets({ ...query, limit: 5, offset: 0 });
      assert.deepEqual([total_count, snippets[0]?.content], [1, CONTENT], JSON.stringify(query));
    }
  } finally {
    await store.close();
  }
}

async function enterMissing(store: Store, hasSnippets: boolean): Promise<void> {
  const session = await store.session("s1");
  assert.ok(session);
  if ((await store.event("s1-0")) === undefined) {
    const contents = [EVENT, EVENT, "Later words"];
    const events = contents.map((content, at) => madeEvent(at, { content, is_own: at === 1 }));
    assert.equal(await store.writeSession(laterChange(1, events)), true);
  }
  const { total_count: snippets } = await store.querySnippets({ limit: 0, offset: 0 });
  if (!hasSnippets || snippets > 0) return;
  await store.insertSnippet(madeSnippet({ title: "Título", content: CONTENT, tags: ["alt", "%"] }));
}

/** Enough that filling an index takes a while. */
async function insertMany(backend: TestBackend, where: StoreWhere): Promise<void> {
  await backend.sql(
    where,
    "INSERT INTO sessions (session_id, source, host, path, revision) VALUES ('s1', 'file', 'h', '/p', 1)",
  );
  await backend.sql(
    where,
    `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${MANY - 1})
     INSERT INTO events (${EVENT_COLUMNS})
     SELECT 's1-' || n, 's1', n, 1, 0, 'user', 'user', 'text', (1 = 0), (1 = 0),
       'Straße ' || n || ', plain words and others that make it long enough to take its time ' || (n * 7919) FROM numbers`,
  );
}

/** Returns the number of candidates that have the term. */
async function countOf(store: Store, term: string): Promise<number> {
  let count = 0;
  for await (const batch of store.candidates({ terms: [term] })) {
    count += batch.filter(({ content }) => foldedPattern(term).test(content)).length;
  }
  return count;
}
