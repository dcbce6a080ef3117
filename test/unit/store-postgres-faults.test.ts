/** A PostgreSQL server that cannot be reached or refuses the login. No message contains the password. */
import assert from "node:assert/strict";
import { inspect } from "node:util";
import { openStore, storePlace } from "../../src/store/open-store.ts";
import { openPostgres } from "../../src/store/postgres/postgres-database.ts";
import { SqlStore } from "../../src/store/sql-store.ts";
import type { Store } from "../../src/store/store.ts";
import { describe, test } from "../support/runner.ts";
import { fillSession, madeMachine, madeSnippet } from "../support/store/made-rows.ts";
import { sharedPostgres } from "../support/store/postgres-suite.ts";
import { refused } from "../support/store/rejection.ts";
import type { ErrorCode, TranscriptsError } from "../../src/transcripts-error.ts";

const PASSWORD = "p4ss-w0rd-that-nobody-sees";
const server = sharedPostgres();

function open(url: string, readOnly = false): Promise<Store> {
  return openStore({ env: { TRANSCRIPTS_DATABASE_URL: url }, home: "/", team: true }, { readOnly });
}

async function sql(url: string, ...statements: string[]): Promise<void> {
  const pool = await openPostgres(url, { readOnly: false });
  try {
    for (const statement of statements) await pool.exec(statement);
  } finally {
    await pool.close();
  }
}

/** The address of a database for another user. */
function forUser(url: string, user: string): string {
  const address = new URL(url);
  address.username = user;
  address.password = PASSWORD;
  return address.href;
}

describe("an address", () => {
  const refuse = async (url: string, code: ErrorCode = "unavailable"): Promise<TranscriptsError> => {
    const error = await refused(open(url), code);
    assert.ok(!inspect(error, { depth: 9 }).includes(PASSWORD), error.message);
    assert.ok(!storePlace({ env: { TRANSCRIPTS_DATABASE_URL: url }, home: "/", team: true }).place.includes(PASSWORD));
    return error;
  };

  test("that is invalid is refused", async () => {
    for (const url of [
      `me:${PASSWORD}@host`,
      `mysql://me:${PASSWORD}@host/x`,
      `postgres://me:${PASSWORD}@ho st/x`,
      "x",
    ]) {
      assert.match((await refuse(url)).message, /TRANSCRIPTS_DATABASE_URL/);
    }
  });

  test("where nobody answers is reported without its password", async () => {
    const place = `postgres://me@127.0.0.1:1/x`;
    const { message } = await refuse(`postgres://me:${PASSWORD}@127.0.0.1:1/x?sslmode=disable&password=${PASSWORD}`);
    assert.ok(message.includes(place), message);
    await refuse(`postgres://me:${PASSWORD}@no-such-host.invalid/x`);
  });

  test("with a wrong user, password or database is reported", async () => {
    const url = await server().newDatabase();
    assert.match((await refuse(forUser(url, "postgres"))).message, /user or password/);
    assert.match((await refuse(forUser(url, "nobody"))).message, /user or password/);
    assert.match((await refuse(url.replace(/[^/]*$/, "missing"))).message, /createdb/);
  });
});

describe("a database", () => {
  test("with tables of another program is left alone", async () => {
    const url = await server().newDatabase();
    await sql(url, "CREATE TABLE events (theirs TEXT); INSERT INTO events VALUES ('x')");
    assert.match((await refused(open(url), "unavailable")).message, /of another program/);
    await sql(url, "SELECT theirs FROM events");
  });

  test("without Unicode is refused", async () => {
    await sql(server().url, "CREATE DATABASE latin ENCODING LATIN1 LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0");
    const url = server().url.replace(/[^/]*$/, "latin");
    assert.match((await refused(open(url), "unavailable")).message, /LATIN1.*UTF8/s);
  });

  test("works for a user who may not add extensions", async () => {
    const url = await server().newDatabase();
    await sql(
      url,
      `CREATE ROLE plain LOGIN PASSWORD '${PASSWORD}'`,
      "CREATE SCHEMA AUTHORIZATION plain",
      "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
    );
    const store = await open(forUser(url, "plain"));
    try {
      await fillSession(store);
      await store.insertSnippet(madeSnippet());
      assert.equal((await store.querySnippets({ keyword: "QUEUE", limit: 1, offset: 0 })).total_count, 1);
      const found: string[] = [];
      for await (const batch of store.candidates({ terms: ["NUMBER 2"] }))
        found.push(...batch.map((event) => event.event_id));
      assert.deepEqual(found, ["s1-2"]);
    } finally {
      await store.close();
    }
    const pool = await openPostgres(url, { readOnly: true });
    assert.deepEqual(await pool.all("SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'", [], (row) => row), []);
    await pool.close();
  });

  test("can be read by a user who may not write", async () => {
    const url = await server().newDatabase();
    const store = await open(url);
    await fillSession(store);
    await store.close();
    await sql(
      url,
      `CREATE ROLE reader LOGIN PASSWORD '${PASSWORD}'`,
      "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader",
    );
    const reading = await open(forUser(url, "reader"));
    try {
      assert.equal((await reading.sessions()).length, 1);
      await refused(reading.insertSnippet(madeSnippet()), "read_only");
      await refused(reading.forgetSessions(["s1"], []), "read_only");
    } finally {
      await reading.close();
    }
  });

  test("whose server ends is reported, and used again when it is back", async () => {
    const url = await server().newDatabase();
    const store = await open(url);
    try {
      await fillSession(store);
      const kill =
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'opencode-transcripts'";
      await sql(server().url, `${kill} AND datname = '${new URL(url).pathname.slice(1)}'`);
      // The connections are gone: the first to notice may be the one who asks.
      await store
        .sessions()
        .catch((error: unknown) => assert.equal(error instanceof Error && error.name, "TranscriptsError"));
      assert.equal((await store.sessions()).length, 1);
    } finally {
      await store.close();
    }
  });

  test("in which a row is locked for long is reported as busy", async () => {
    const url = await server().newDatabase();
    const store = await open(url);
    await fillSession(store);
    await store.close();
    const pool = await openPostgres(url, { readOnly: false });
    const impatient = new SqlStore(
      {
        ...pool,
        transaction: (work) =>
          pool.transaction(async (session) => {
            await session.exec("SET LOCAL lock_timeout = 100");
            return await work(session);
          }),
      },
      madeMachine,
    );
    const other = await openPostgres(url, { readOnly: false });
    await other.transaction(async (session) => {
      await session.exec("SELECT 1 FROM sessions FOR UPDATE");
      await refused(
        impatient.writeSession({
          session: (await impatient.sessions())[0] ?? assert.fail(),
          expected: 1,
          messages: [],
          blocks: [],
        }),
        "busy",
      );
    });
    await other.close();
    await impatient.close();
  });
});
