/** find_in_transcripts: the same passages with an index and without, within the budget, page by page, and never its own. */
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { updateIndex } from "../../src/indexing/update-index.ts";
import { openSqliteDatabase } from "../../src/store/sqlite/open-sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { calls, result, says, SESSION, storeSession, user } from "../support/cli/claude-lines.ts";
import { randomSecret } from "../support/parse/secret.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { machineAt, tokensOf, type Machine } from "../support/tools/tool-calls.ts";
import { TranscriptsError } from "../../src/transcripts-error.ts";

afterAll(removeTempDirs);

const shape = z.object({
  passages: z.array(
    z.object({
      session_id: z.string(),
      path: z.string().nullable(),
      line_number: z.number(),
      timestamp: z.string().nullable(),
      role: z.string(),
      passage: z.string(),
      gone: z.boolean(),
      unavailable: z.optional(z.string()),
      read_session: z.nullable(z.looseObject({ session: z.string(), around_line: z.number() })),
    }),
  ),
  total: z.string(),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
  notes: z.array(z.string()),
});
type Found = z.infer<typeof shape>;

/** A machine with sessions in two projects. `isIndexed`: it has an index. */
async function machine(isIndexed: boolean): Promise<Machine & { home: string }> {
  const home = makeTempDir();
  for (let at = 0; at < 6; at += 1) {
    const id = `${String(at).repeat(8)}-2222-4333-8444-555555555555`;
    const text = [
      user(`Question ${at} about Herons`, at),
      says(`The heron number ${at} stands in reeds; ${"water ".repeat(30)}`, at + 1),
      calls("Bash", `toolu_${at}`, { command: `look --heron ${at}` }, at + 2),
      result(`toolu_${at}`, `heron ${at} not found`, at + 3, at % 2 === 0),
    ].join("");
    storeSession(
      home,
      text
        .replaceAll("0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f", id)
        .replaceAll("/work/shop", at < 4 ? "/work/shop" : "/work/lake"),
      {
        id,
        project: at < 4 ? "-work-shop" : "-work-lake",
      },
    );
  }
  const made = machineAt(home);
  if (isIndexed) await updateIndex(await made.context.openStore("save"), made.context.where);
  return { ...made, home };
}

function pathOf(home: string, at: number): string {
  const project = at < 4 ? "-work-shop" : "-work-lake";
  return join(home, ".claude/projects", project, `${String(at).repeat(8)}-2222-4333-8444-555555555555.jsonl`);
}

function pathOfSession(home: string): string {
  return join(home, ".claude/projects/-work-shop", `${SESSION}.jsonl`);
}

/** Lines with the time that they are written at, and a little more. */
function saidNow(lines: string): string {
  return lines.replaceAll(/"timestamp":"[^"]*"/g, `"timestamp":"${new Date(Date.now() + 60_000).toISOString()}"`);
}

/** Adds to a session what is no hit, and lets it look as if that was some seconds ago or in some. */
function writtenLater(path: string, page: number): void {
  appendFileSync(path, says("Nothing to see here.", 50));
  const then = new Date(Date.now() + (page + 1) * 5_000);
  utimesSync(path, then, then);
}

async function find(made: Machine, args: Record<string, unknown>): Promise<Found> {
  const answer = await made.call("find_in_transcripts", args);
  assert(!answer.isError, answer.text);
  const budget = typeof args["max_tokens"] === "number" ? args["max_tokens"] : 2_500;
  assert(tokensOf(answer) <= budget, `${tokensOf(answer)} tokens of ${budget}`);
  return shape.parse(answer.data);
}

async function findAll(made: Machine, args: Record<string, unknown>): Promise<Found["passages"]> {
  const all: Found["passages"] = [];
  for (let cursor: string | null = null; ;) {
    const found: Found = await find(made, cursor === null ? args : { ...args, cursor });
    all.push(...found.passages);
    if (!found.has_more) return all;
    assert.notEqual(found.next_cursor, cursor);
    cursor = found.next_cursor;
  }
}

function places(passages: Found["passages"]): string[] {
  return passages.map(({ session_id: id, line_number: line, role }) => `${id} ${line} ${role}`).toSorted();
}

/** The store, which takes nothing. */
function refusingWrites(store: Store): Store {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "writeSession") return () => Promise.reject(new TranscriptsError("busy", "It is busy.", "Wait."));
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

describe("find_in_transcripts", () => {
  test("finds the same with an index and without, on pages of any size", async () => {
    const indexed = await machine(true);
    const plain = await machine(false);
    for (const args of [
      { query: "HERON" },
      { query: "heron", role: "user" },
      { query: "heron", errors: true },
      { query: "heron", tool: "bash", project: "lake" },
      { query: "heron", project: "/work/shop", role: "tool" },
      { query: "reeds heron", match: "words" },
      { query: "heron", since: "2026-01-05T10:00:06Z" },
      { query: "-- heron" },
    ]) {
      const whole = places(await findAll(indexed, { ...args, limit: 100, max_tokens: 20_000 }));
      assert.deepEqual(
        places(await findAll(plain, { ...args, limit: 100, max_tokens: 20_000 })),
        whole,
        JSON.stringify(args),
      );
      for (const paged of [{ limit: 2 }, { limit: 100, max_tokens: 900 }, { limit: 5, max_tokens: 1_300 }]) {
        assert.deepEqual(places(await findAll(indexed, { ...args, ...paged })), whole, JSON.stringify([args, paged]));
        assert.deepEqual(places(await findAll(plain, { ...args, ...paged })), whole, JSON.stringify([args, paged]));
      }
    }
    await indexed.close();
  }, 120_000);

  for (const isIndexed of [true, false]) {
    const name = isIndexed ? "with an index" : "without an index";

    test(`cites session, file, line and time, and how to read on, ${name}`, async () => {
      const made = await machine(isIndexed);
      const { text } = await made.call("find_in_transcripts", { query: "heron 3 not" });
      assert.match(text, /^1 of 1 passages/);
      assert.match(text, /^Session 33333333-2222-4333-8444-555555555555, .*project shop\nfile .*33333333-\S+\.jsonl$/m);
      assert.match(text, /^\[4\] result Bash, 2026-01-05 10:00:06: heron 3 not found$/m);
      const { passages } = await find(made, { query: "heron 3 not" });
      const read = await made.call("read_session", passages[0]?.read_session);
      assert.match(read.text, /^\[4\] result Bash.*\nheron 3 not found$/m);
      await made.close();
    });

    test(`finds what was said a moment ago, and not what it printed itself, ${name}`, async () => {
      const made = await machine(isIndexed);
      const path = storeSession(made.home, user("one", 0));
      appendFileSync(path, says("the otter came by", 1));
      assert.equal((await find(made, { query: "otter" })).passages.length, 1);
      for (const [tool, id] of [
        ["mcp__transcripts__find_in_transcripts", "a"],
        ["transcripts_read_session", "b"],
        ["list_errors", "c"],
      ] as const) {
        appendFileSync(
          path,
          calls(tool, `toolu_${id}`, { query: "otter" }, 2) + result(`toolu_${id}`, "the otter came by", 3),
        );
      }
      assert.equal((await find(made, { query: "otter" })).passages.length, 1);
      await made.close();
    });
  }

  test("goes on where a page ended though sessions grow meanwhile", async () => {
    const made = await machine(true);
    const first = await find(made, { query: "heron", limit: 4 });
    const seen = [...first.passages];
    for (let cursor = first.next_cursor; cursor !== null;) {
      storeSession(made.home, user(`heron that came later ${cursor.length}`, 1), {
        id: `${"9".repeat(8)}-2222-4333-8444-${String(seen.length).padStart(12, "0")}`,
      });
      const next = await find(made, { query: "heron", limit: 4, cursor });
      seen.push(...next.passages);
      cursor = next.next_cursor;
    }
    assert.equal(new Set(places(seen)).size, 24 - 0, "each of the first ones once");
    assert.equal(seen.length, 24);
    await made.close();
  });

  test("goes on where a page ended though sessions are written meanwhile, without an index", async () => {
    for (const limit of [1, 3, 5]) {
      const made = await machine(false);
      const whole = places(await findAll(made, { query: "heron", limit: 100, max_tokens: 20_000 }));
      const seen: Found["passages"] = [];
      for (let cursor: string | null = null, page = 0; ; page += 1) {
        const found: Found = await find(made, { query: "heron", limit, ...(cursor === null ? {} : { cursor }) });
        seen.push(...found.passages);
        cursor = found.next_cursor;
        if (cursor === null) break;
        // One that was shown, one that is being shown, and one that was not yet; and a new one.
        for (const id of [0, 2, 5]) writtenLater(pathOf(made.home, (id + page) % 6), page);
        storeSession(made.home, saidNow(user("a heron of a new session", 1)), {
          id: `${"8".repeat(8)}-2222-4333-8444-${page}`,
        });
      }
      const old = seen.filter(({ passage }) => !passage.includes("new session"));
      assert.deepEqual(places(old), whole, `limit ${limit}`);
    }
  }, 60_000);

  test("words: the same with an index and without where no entry has all, page by page", async () => {
    const indexed = await machine(true);
    const plain = await machine(false);
    const args = { query: "heron reeds unicorn", match: "words" };
    for (const made of [indexed, plain]) {
      assert.match(
        (await find(made, args)).notes.join(),
        /No entry has all of heron, reeds, unicorn: these have 2 of them/,
      );
    }
    const whole = places(await findAll(indexed, { ...args, limit: 100, max_tokens: 20_000 }));
    assert.equal(whole.length, 6);
    for (const limit of [1, 4]) assert.deepEqual(places(await findAll(plain, { ...args, limit })), whole);
    await indexed.close();
  });

  test("many sessions that the index lacks come after the ranked passages, on pages of any size", async () => {
    const made = await machine(true);
    for (let at = 0; at < 25; at += 1) {
      const id = `9${String(at).padStart(7, "0")}-2222-4333-8444-555555555555`;
      storeSession(made.home, user(`An egret and heron ${at}`, 100 + at), { id, project: "-work-lake" });
    }
    const store = await made.context.openStore("save");
    const openStore = (): Promise<Store> => Promise.resolve(refusingWrites(store));
    const machineOf = { ...made, call: (tool: string, args: unknown) => made.call(tool, args, { openStore }) };
    for (const limit of [3, 24, 100]) {
      const all = await findAll(machineOf, { query: "heron", limit, max_tokens: 50_000 });
      assert.deepEqual([all.length, new Set(places(all)).size], [49, 49], `limit ${limit}`);
      const isNew = all.map(({ session_id: id }) => id.startsWith("9"));
      assert.deepEqual([isNew.indexOf(true), isNew.lastIndexOf(false)], [24, 23], `limit ${limit}`);
    }
    const both = await findAll(machineOf, { query: "heron egret", match: "words", limit: 4, max_tokens: 50_000 });
    assert.deepEqual([both.length, both.every(({ passage }) => passage.includes("egret"))], [25, true]);
    await made.close();
  }, 60_000);

  test("a session that the index could not take is read beside it, and stays so on later pages", async () => {
    const made = await machine(true);
    const store = await made.context.openStore("save");
    const refusing = refusingWrites(store);
    let isRefusing = true;
    const openStore = (): Promise<Store> => Promise.resolve(isRefusing ? refusing : store);
    const machineOf = { ...made, call: (tool: string, args: unknown) => made.call(tool, args, { openStore }) };
    const secret = randomSecret();
    appendFileSync(pathOf(made.home, 1), says(`A heron came late ${secret}`, 40));
    const first = await find(machineOf, { query: "heron", limit: 6, max_tokens: 20_000 });
    assert.equal(first.passages.length, 6);
    isRefusing = false;
    // By now the index has it, and more.
    await updateIndex(store, made.context.where);
    storeSession(made.home, saidNow(user("one more heron", 1)), { id: `${"9".repeat(8)}-2222-4333-8444-555555555555` });
    await updateIndex(store, made.context.where);
    const seen = [...first.passages];
    for (let cursor = first.next_cursor; cursor !== null;) {
      const next = await find(machineOf, { query: "heron", limit: 6, max_tokens: 20_000, cursor });
      seen.push(...next.passages);
      cursor = next.next_cursor;
    }
    assert.equal(new Set(places(seen)).size, seen.length, "none twice");
    assert.equal(seen.filter(({ passage }) => /came late|heron/i.test(passage)).length, 25, "each of the first ones");
    assert.equal(seen.filter(({ passage }) => passage.startsWith("A heron came late")).length, 1);
    assert.ok(!JSON.stringify(seen).includes(secret), "what is read is redacted too");
    await made.close();
  });

  for (const isIndexed of [true, false]) {
    const name = isIndexed ? "with an index" : "without an index";

    test(`goes on to the last of many passages, and its totals never contradict each other, ${name}`, async () => {
      const home = makeTempDir();
      const lines = Array.from({ length: 1_320 }, (_, at) => says(`stork ${at}`, at));
      storeSession(home, lines.join(""));
      const made = machineAt(home);
      if (isIndexed) await updateIndex(await made.context.openStore("save"), made.context.where);
      const seen: string[] = [];
      const totals: string[] = [];
      for (let cursor: string | null = null; ;) {
        const args = { query: "stork", limit: 100, max_tokens: 50_000, ...(cursor === null ? {} : { cursor }) };
        const found: Found = await find(made, args);
        seen.push(...found.passages.map(({ passage }) => passage));
        totals.push(found.total);
        assert.equal(found.has_more, found.next_cursor !== null);
        assert.equal(Number(/\d+/.exec(found.total)?.[0]) >= seen.length, true, found.total);
        assert.equal(found.has_more || found.total === "1320", true, found.total);
        cursor = found.next_cursor;
        if (cursor === null) break;
        appendFileSync(pathOfSession(home), saidNow(says("stork that came later", 900)));
      }
      assert.deepEqual([new Set(seen).size, seen.length], [1320, 1320]);
      const least = totals.map((total) => Number(/\d+/.exec(total)?.[0]));
      assert.deepEqual(
        least,
        least.toSorted((a, b) => a - b),
      );
      await made.close();
    }, 60_000);

    test(`gives a cut passage where the budget is too small for one, ${name}`, async () => {
      const home = makeTempDir();
      const id = "7".repeat(8) + "-2222-4333-8444-555555555555";
      storeSession(home, user(`${"鷺".repeat(500)} stork ${"鷺".repeat(500)}`, 0) + user(`a stork`, 1), {
        id,
        project: `-work-${"long".repeat(50)}`,
      });
      const made = machineAt(home);
      if (isIndexed) await updateIndex(await made.context.openStore("save"), made.context.where);
      const all: Found["passages"] = [];
      for (const query of ["stork", `stork ${"鷺".repeat(300)}`]) {
        all.push(...(await findAll(made, { query, max_tokens: 800 })));
      }
      assert.equal(all.length, 3);
      for (const { passage } of all) assert.match(passage, /stork/);
      await made.close();
    });
  }

  test("says on a page behind the last passage that there are no more, not that there is nothing", async () => {
    const made = await machine(false);
    // The first session has them all, and the others are looked through only for the next page.
    storeSession(made.home, saidNow(user("a bittern", 1) + user("two bitterns", 2)), { id: SESSION });
    const first = await find(made, { query: "bittern", limit: 2 });
    assert.deepEqual([first.total, first.has_more], ["at least 2", true]);
    const next = { query: "bittern", limit: 2, cursor: first.next_cursor };
    assert.match((await made.call("find_in_transcripts", next)).text, /^No more passages: there are 2\.$/);
    assert.deepEqual((await find(made, next)).total, "2");
  });

  test("marks passages whose file is gone, with a call that reads the session from the store", async () => {
    const made = await machine(true);
    rmSync(pathOf(made.home, 3));
    const [gone] = (await find(made, { query: "heron 3 not" })).passages;
    assert.deepEqual([gone?.gone, gone?.unavailable, gone?.read_session?.session], [true, undefined, gone?.session_id]);
    const read = await made.call("read_session", gone?.read_session ?? {});
    assert.match(read.text, /^From the store: its file no longer has it\.$/m);
    assert.match(read.text, /heron 3 not/);
    const [there] = (await find(made, { query: "heron 2 not" })).passages;
    assert.deepEqual([there?.gone, there?.read_session?.session === there?.session_id], [false, true]);
    await made.close();
  });

  test("reads the files where damage of the index shows only in the search", async () => {
    const made = await machine(true);
    const { next_cursor: cursor } = await find(made, { query: "heron", limit: 1 });
    await made.close();
    const opened = await openSqliteDatabase(join(made.home, "data/opencode-transcripts/transcripts.db"), {
      readOnly: false,
    });
    opened.exec("UPDATE events SET role = 'walrus' WHERE content LIKE '%heron 3%'");
    opened.close();
    const found = await find(made, { query: "heron", limit: 100, max_tokens: 20_000 });
    assert.equal(found.passages.length, 24);
    assert.match(found.notes.join(" "), /The files were searched, not the index\. .*is damaged.* Move it away/);
    const later = await made.call("find_in_transcripts", { query: "heron", limit: 20, cursor });
    assert.equal(later.isError, true);
    assert.match(
      later.text,
      /cursor: the index .* cannot be read\. .*is damaged.* Leave out the cursor to search the files/s,
    );
    await made.close();
  });

  test("searches the files where the index cannot be used, and says so", async () => {
    const made = await machine(false);
    const folder = join(made.home, "data/opencode-transcripts");
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "transcripts.db"),
      "this is no database, but it is long enough to look like a file of one".repeat(20),
    );
    const found = await find(made, { query: "heron", max_tokens: 20_000 });
    assert.equal(found.passages.length, 10);
    assert.match(found.notes.join(" "), /The files were searched, not the index\. .*transcripts\.db is damaged/);
  });

  test("gives no secret away, and refuses what it cannot mean", async () => {
    const secret = randomSecret();
    const made = await machine(false);
    storeSession(made.home, user(`herring ${secret}`, 0));
    const { text, data } = await made.call("find_in_transcripts", { query: "herring" });
    assert(!text.includes(secret) && !JSON.stringify(data).includes(secret));
    for (const [args, words] of [
      [{}, /query: it is missing; it must be a text/],
      [{ query: "" }, /query: "" is not allowed/],
      [{ query: "x", cursor: "zzz" }, /cursor: not a cursor of this/],
      [{ query: "x", cursor: "snope" }, /cursor: not a cursor of this/],
      [{ query: "x", since: "whenever" }, /since: "whenever" is not a date\. Write "12h"/],
      [
        { query: "x", role: "bot" },
        /role: "bot" is not allowed; it must be one of "user", "assistant", "tool", "system"/,
      ],
      [{ query: ["x"] }, /query: \["x"\] is not allowed/],
      ["query", /"query" are not valid arguments for find_in_transcripts: they must be an object/],
      [{ query: "x", term: "y" }, /"term": find_in_transcripts has no such argument, it has query, match/],
    ] as const) {
      const answer = await made.call("find_in_transcripts", args);
      assert.equal(answer.isError, true);
      assert.match(answer.text, words);
      assert.match(answer.text, /For example|Pass|Write/);
    }
    assert.match((await made.call("find_in_transcripts", { query: "no such thing" })).text, /^Nothing found/);
  });
});
