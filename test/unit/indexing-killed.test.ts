/** A session that snippets cite, indexed again by a process that dies at any of its writes. */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { updateIndex } from "../../src/indexing/update-index.ts";
import { openStore, type StoreWhere } from "../../src/store/open-store.ts";
import { SqlStore } from "../../src/store/sql-store.ts";
import type { SqliteDriver } from "../../src/sqlite/driver.ts";
import { openSqliteDatabase } from "../../src/store/sqlite/open-sqlite.ts";
import { SqliteDatabase } from "../../src/store/sqlite/sqlite-database.ts";
import { thisMachine } from "../../src/store/store-place.ts";
import type { Store } from "../../src/store/store.ts";
import type { Where } from "../../src/places/session-ref.ts";
import { calls, result, says, user } from "../support/cli/claude-lines.ts";
import { checkRewritten, dump, inOneGo, NO_REDACTOR, SMALL, type Dump } from "../support/indexing/index-fixture.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { madeSnippet } from "../support/store/made-rows.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { Machine } from "./sessions-machine.ts";

afterAll(removeTempDirs);

const FILE = "p/00000000-0000-4000-8000-000000000001.jsonl";
const SQLITE_FILES = ["", "-wal"];

const turns = Array.from({ length: 8 }, (_, turn) => {
  const id = `toolu_${turn}`;
  const call = calls("Bash", id, { command: `ls ${turn}` }, turn);
  const answer = result(id, `output ${turn}`, turn);
  return user(`question ${turn}`, turn) + (turn % 2 === 0 ? call + answer : answer + call) + says("good", turn);
});
const BEFORE = turns.slice(0, 6).join("");
/** Later forms of the file: it grew; or was written anew, without some of what was cited. */
const AFTER = {
  grown: turns.join(""),
  rewritten: [turns[0], turns[2]?.replace("question 2", "another question"), turns[4], turns[5], turns[6]].join(""),
};

const options = { redactor: NO_REDACTOR, limits: SMALL };

/** Snippets by id, with the event that each cites. */
type Cited = ReadonlyMap<string, string>;

async function citeAll(store: Store): Promise<Cited> {
  const cited = new Map<string, string>();
  for (const rows of Object.values((await dump(store)).blocks)) {
    for (const { session_id, event_id } of rows) {
      const { snippet_id } = await store.insertSnippet(madeSnippet({ session_id, event_id }));
      cited.set(snippet_id, event_id);
    }
  }
  assert.ok(cited.size > 20);
  return cited;
}

/** Checks the store as the next process finds it, and after that has indexed again. */
async function checkAfterDeath(where: Where, cited: Cited, expected: Dump, death: string): Promise<void> {
  const store = await openStore(where);
  try {
    await checkCited(store, cited, death);
    await updateIndex(store, where, options);
    await checkCited(store, cited, death);
    const all = await dump(store);
    for (const { session_id: id } of expected.sessions) checkRewritten(all, expected, id);
  } finally {
    await store.close();
  }
}

async function checkCited(store: Store, cited: Cited, death: string): Promise<void> {
  for (const [id, eventId] of cited) {
    const snippet = await store.snippet(id);
    assert.equal(snippet?.event_id, eventId, death);
    const event = await store.event(snippet?.session_id ?? "", eventId);
    assert.ok(event !== undefined, `${death}: ${eventId} is gone`);
  }
}

const WRITES = /^\s*(?:INSERT|UPDATE|DELETE|REPLACE|WITH\b[^]*\b(?:INSERT|UPDATE|DELETE)\b|COMMIT)/i;

/** Calls back before each statement that writes, and before each commit. */
function watched(driver: SqliteDriver, onWrite: () => void): SqliteDriver {
  const watch = <T extends unknown[], R>(sql: string, run: (...values: T) => R) => {
    return (...values: T): R => {
      if (WRITES.test(sql)) onWrite();
      return run(...values);
    };
  };
  return {
    exec: (sql) => watch(sql, () => driver.exec(sql))(),
    prepare: (sql) => {
      const statement = driver.prepare(sql);
      return {
        run: watch(sql, (...values) => statement.run(...values)),
        all: watch(sql, (...values) => statement.all(...values)),
      };
    },
    close: () => driver.close(),
  };
}

async function begun(where: StoreWhere, machine: Machine): Promise<Cited> {
  machine.write(join(machine.claude, FILE), BEFORE);
  const store = await openStore(where);
  await updateIndex(store, machine.where, options);
  const cited = await citeAll(store);
  await store.close();
  return cited;
}

describe("a session that snippets cite, indexed again by a process that dies at any of its writes", () => {
  for (const [kind, text] of Object.entries(AFTER)) {
    test(`keeps its citations and rows in SQLite, when it was ${kind}`, async () => {
      const machine = new Machine();
      const path = join(makeTempDir(), "store", "transcripts.db");
      const where = { ...machine.where, env: { ...machine.where.env, TRANSCRIPTS_DATABASE: path } };
      const cited = await begun(where, machine);
      machine.write(join(machine.claude, FILE), text, 1);
      const expected = await inOneGo(machine.where, options);
      const deaths = makeTempDir();
      let count = 0;
      // What a process leaves that dies now: the bytes that it passed to the system.
      const keep = (): void => {
        const folder = join(deaths, String(count++));
        mkdirSync(folder);
        for (const end of SQLITE_FILES) if (existsSync(path + end)) copyFileSync(path + end, join(folder, `db${end}`));
      };
      const driver = watched(await openSqliteDatabase(path, { readOnly: false }), keep);
      const store = new SqlStore(new SqliteDatabase(driver, path), () => thisMachine(where, { create: true }));
      await updateIndex(store, machine.where, options);
      await store.close();
      assert.ok(count > 30, `${count} writes`);
      for (let death = 0; death < count; death += 1) {
        for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
        for (const end of SQLITE_FILES) {
          const kept = join(deaths, String(death), `db${end}`);
          if (existsSync(kept)) copyFileSync(kept, path + end);
        }
        await checkAfterDeath(where, cited, expected, `write ${death} of ${count}`);
      }
    });
  }
});
