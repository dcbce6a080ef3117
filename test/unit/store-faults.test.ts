/** A file that cannot be opened, read or written: closed codes, and the next step. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openStore, storePlace, type StoreWhere } from "../../src/store/open-store.ts";
import { openDriver } from "../../src/sqlite/driver.ts";
import { openSqliteDatabase } from "../../src/store/sqlite/open-sqlite.ts";
import { setAside } from "../../src/store/sqlite/set-aside.ts";
import { SqlStore } from "../../src/store/sql-store.ts";
import { SqliteDatabase } from "../../src/store/sqlite/sqlite-database.ts";
import type { Store } from "../../src/store/store.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { fillSession, laterChange, madeEvent, madeMachine, madeSnippet } from "../support/store/made-rows.ts";
import { refused } from "../support/store/rejection.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const NOBODY = 65_534;
const OPEN_CHILD = join(import.meta.dirname, "../support/store/open-child.ts");

function placeFor(name = "store.db"): { path: string; where: StoreWhere } {
  const path = join(makeTempDir(), "data", name);
  return { path, where: { env: { TRANSCRIPTS_DATABASE: path }, home: "/nowhere" } };
}

async function filled(where: StoreWhere): Promise<void> {
  const store = await openStore(where);
  await fillSession(store, 50);
  await store.insertSnippet(madeSnippet());
  await store.close();
}

describe("a SQLite file", () => {
  test("is its owner's alone, whatever the umask", async () => {
    for (const mask of [0o000, 0o077, 0o027]) {
      const { path, where } = placeFor();
      const before = process.umask(mask);
      let store: Store;
      try {
        store = await openStore(where);
      } finally {
        process.umask(before);
      }
      await fillSession(store);
      const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);
      assert.equal(modeOf(dirname(path)), "700");
      assert.deepEqual(
        readdirSync(dirname(path)).map((name) => `${name} ${modeOf(join(dirname(path), name))}`),
        ["store.db 600", "store.db-shm 600", "store.db-wal 600"],
      );
      await store.close();
      assert.deepEqual(readdirSync(dirname(path)), ["store.db"]);
    }
  });

  test("is where the environment says", () => {
    const place = (env: Record<string, string>): string => storePlace({ env, home: "/home/me" }).place;
    assert.equal(place({}), "/home/me/.local/share/opencode-transcripts/transcripts.db");
    assert.equal(place({ XDG_DATA_HOME: "/data" }), "/data/opencode-transcripts/transcripts.db");
    assert.equal(place({ XDG_DATA_HOME: "relative" }), "/home/me/.local/share/opencode-transcripts/transcripts.db");
    assert.equal(place({ TRANSCRIPTS_DATABASE: "~/my.db", XDG_DATA_HOME: "/data" }), "/home/me/my.db");
    assert.equal(place({ TRANSCRIPTS_DATABASE: "my.db" }), join(process.cwd(), "my.db"));
    const { where, path } = placeFor();
    assert.deepEqual(storePlace(where), { backend: "sqlite", place: path, exists: false });
  });

  test("may have any name", async () => {
    for (const name of ["a?b.db", "a#b.db", "a%20b é.db", "file:x.db", ":memory:"]) {
      const { path, where } = placeFor(name);
      await filled(where);
      assert.ok(statSync(path).size > 4_096, name);
      const store = await openStore(where, { readOnly: true });
      assert.equal((await store.sessions()).length, 1);
      await store.close();
    }
  });

  test("is not created by a reader", async () => {
    const { path, where } = placeFor();
    const { message } = await refused(openStore(where, { readOnly: true }), "unavailable");
    assert.ok(message.includes(path) && message.includes("transcripts index"), message);
    assert.throws(() => statSync(dirname(path)));
  });

  test("is not changed by reading", async () => {
    const { path, where } = placeFor();
    await filled(where);
    const before = readFileSync(path);
    const store = await openStore(where, { readOnly: true });
    assert.equal((await store.sessions()).length, 1);
    await store.close();
    await (await openStore(where)).close();
    assert.ok(before.equals(readFileSync(path)));
    assert.deepEqual(readdirSync(dirname(path)), ["store.db"]);
  });
});

describe("a file that is no store of ours", () => {
  test("is refused and left alone if it is no database", async () => {
    for (const content of ["Some text that somebody wrote.\n".repeat(100), "SQLite format 3\0", "x"]) {
      const { path, where } = placeFor();
      mkdirSync(dirname(path));
      writeFileSync(path, content);
      for (const readOnly of [false, true]) {
        const { message } = await refused(openStore(where, { readOnly }), "damaged");
        assert.ok(message.includes(path));
      }
      assert.equal(readFileSync(path, "utf8"), content);
    }
  });

  test("is refused and left alone if it is a database of another program", async () => {
    const { path, where } = placeFor();
    mkdirSync(dirname(path));
    const other = await openDriver(path, { readOnly: false });
    other.exec("CREATE TABLE session (id TEXT); INSERT INTO session VALUES ('theirs'); PRAGMA user_version = 5;");
    other.close();
    await refused(openStore(where), "damaged");
    await refused(openStore(where, { readOnly: true }), "damaged");
    const again = await openDriver(path, { readOnly: true });
    assert.deepEqual(
      again
        .prepare("SELECT name FROM sqlite_schema")
        .all()
        .map(({ name }) => name),
      ["session"],
    );
    again.close();
  });

  test("an empty file becomes one", async () => {
    const { path, where } = placeFor();
    mkdirSync(dirname(path));
    writeFileSync(path, "");
    await refused(openStore(where, { readOnly: true }), "unavailable");
    await filled(where);
    assert.ok(statSync(path).size > 0);
  });

  test("reports overwritten pages as damage", async () => {
    const { path, where } = placeFor();
    await filled(where);
    const bytes = readFileSync(path);
    bytes.fill(0xa5, 4_096);
    writeFileSync(path, bytes);
    for (const readOnly of [false, true]) {
      const damage = async (): Promise<void> => {
        const store = await openStore(where, { readOnly });
        try {
          await store.sessions();
        } finally {
          await store.close();
        }
      };
      assert.match((await refused(damage(), "damaged")).message, /transcripts index/);
    }
  });

  test("reports a path that cannot be a file", async () => {
    const folder = makeTempDir();
    writeFileSync(join(folder, "file"), "");
    await refused(openStore({ env: { TRANSCRIPTS_DATABASE: join(folder, "file/x.db") }, home: "/" }), "unavailable");
    await refused(openStore({ env: { TRANSCRIPTS_DATABASE: folder }, home: "/" }), "unavailable");
    await refused(openStore({ env: { TRANSCRIPTS_DATABASE: folder }, home: "/" }, { readOnly: true }), "unavailable");
  });
});

describe("a store of another version", () => {
  test("is renamed, with its log, and a new one is created", async () => {
    const { path, where } = placeFor();
    await filled(where);
    const other = await openDriver(path, { readOnly: false });
    other.exec("PRAGMA user_version = 7; CREATE TABLE theirs (x)");
    other.close();
    const { message } = await refused(openStore(where, { readOnly: true }), "unavailable");
    assert.match(message, /created by another version of this program/);
    const notes: string[] = [];
    const opened = await Promise.all(
      [1, 2, 3].map(() => openStore({ ...where, note: (text) => void notes.push(text) })),
    );
    for (const store of opened) assert.deepEqual(await store.sessions(), []);
    for (const store of opened) await store.close();
    assert.equal(notes.filter((note) => note.includes("another version")).length, 1);
    assert.ok(notes[0]?.includes(`${path}.version-7`), notes[0]);
    assert.deepEqual(readdirSync(dirname(path)).toSorted(), ["store.db", "store.db.version-7"]);
    const aside = await openDriver(`${path}.version-7`, { readOnly: true });
    assert.equal(aside.prepare("SELECT count(*) AS count FROM events").all()[0]?.["count"], 50);
    aside.close();
  });

  test("is left alone while another program uses it", async () => {
    const { path, where } = placeFor();
    await filled(where);
    const other = await openDriver(path, { readOnly: false });
    other.exec("PRAGMA user_version = 7; BEGIN; SELECT 1 FROM events");
    await refused(setAside(path, { waitMs: 50 }), "busy");
    assert.deepEqual(
      readdirSync(dirname(path)).filter((name) => name.includes("version")),
      [],
    );
    other.close();
  });
});

describe("a read-only store", () => {
  /** As a user who is not the owner of the folder, where the tests run as root. */
  const asNobody = (path: string, ...args: string[]): unknown => {
    const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    const { stdout, stderr } = spawnSync(process.execPath, [OPEN_CHILD, path, ...args], { ...user, encoding: "utf8" });
    assert.notEqual(stdout, "", stderr);
    return JSON.parse(stdout);
  };

  test("is still read, and reports the problem when it should be written", async () => {
    const { path, where } = placeFor();
    await filled(where);
    chmodSync(dirname(dirname(path)), 0o755);
    chmodSync(dirname(path), 0o555);
    chmodSync(path, 0o444);
    assert.deepEqual(asNobody(path, "read"), { sessions: 1, insert: "read_only" });
    const written = asNobody(path);
    assert.deepEqual(written, { open: "read_only" });
    chmodSync(dirname(path), 0o755);
  });

  test("reports a folder in which none can be created", () => {
    const folder = makeTempDir();
    chmodSync(folder, 0o555);
    if (process.getuid?.() === 0) chownSync(folder, 0, 0);
    assert.deepEqual(asNobody(join(folder, "data/store.db")), { open: "read_only" });
    chmodSync(folder, 0o755);
  });
});

describe("a store at its limits", () => {
  test("reports that another program holds the lock, and works again afterwards", async () => {
    const { path, where } = placeFor();
    await filled(where);
    const store = new SqlStore(
      new SqliteDatabase(await openSqliteDatabase(path, { readOnly: false, busyMs: 50 }), path),
      madeMachine,
    );
    const other = await openDriver(path, { readOnly: false });
    other.exec("BEGIN IMMEDIATE");
    await refused(store.insertSnippet(madeSnippet()), "busy");
    await refused(store.writeSession(laterChange(1, [])), "busy");
    assert.equal((await store.querySnippets({ limit: 1, offset: 0 })).total_count, 1);
    other.exec("ROLLBACK");
    other.close();
    await store.insertSnippet(madeSnippet());
    await store.close();
  });

  test("on a full disk loses nothing that it had, and goes on when there is room", async () => {
    const { path, where } = placeFor();
    await filled(where);
    const database = await openSqliteDatabase(path, { readOnly: false });
    const store = new SqlStore(new SqliteDatabase(database, path), madeMachine);
    database.exec("PRAGMA max_page_count = 120");
    const many = Array.from({ length: 100 }, (_, at) =>
      madeEvent(at + 50, { content: randomBytes(10_000).toString("base64") }),
    );
    await refused(store.writeSession(laterChange(1, many)), "full");
    assert.equal((await store.session("s1"))?.state.revision, 1);
    assert.equal((await store.events("s1", { from: 0, limit: 200 })).length, 50);
    database.exec("PRAGMA max_page_count = 100000");
    assert.deepEqual(await store.writeSession(laterChange(1, many)), [true]);
    await store.close();
  });
});
