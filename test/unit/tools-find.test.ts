/** find_in_transcripts: the same passages with a store and without, page by page, and never its own. */
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { updateIndex } from "../../src/indexing/update-index.ts";
import type { Store } from "../../src/store/store.ts";
import { calls, result, says, storeSession, user } from "../support/cli/claude-lines.ts";
import { randomSecret } from "../support/parse/secret.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { allAnswers, machineAt, type Machine } from "../support/tools/tool-calls.ts";
import { TranscriptsError } from "../../src/transcripts-error.ts";

afterAll(removeTempDirs);

/** A machine with sessions in two projects. `isIndexed`: it has a store. */
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
      { id, project: at < 4 ? "-work-shop" : "-work-lake" },
    );
  }
  const made = machineAt(home);
  if (isIndexed) await updateIndex(await made.context.openStore(), made.context.where);
  return { ...made, home };
}

function pathOf(home: string, at: number): string {
  const project = at < 4 ? "-work-shop" : "-work-lake";
  return join(home, ".claude/projects", project, `${String(at).repeat(8)}-2222-4333-8444-555555555555.jsonl`);
}

/** The passages of answers, each as `session line side`. */
function places(texts: readonly string[]): string[] {
  const found: string[] = [];
  let session = "";
  for (const line of texts.join("\n").split("\n")) {
    session = /^Session (\S{8})/.exec(line)?.[1] ?? session;
    const [, at, side] = /^\[(\d+)\] ([a-z]+)/.exec(line) ?? [];
    if (at !== undefined) found.push(`${session} ${at} ${side}`);
  }
  return found;
}

const findAll = async (made: Machine, args: Record<string, unknown>): Promise<string[]> =>
  places(await allAnswers(made, "find_in_transcripts", args));

async function find(made: Machine, args: Record<string, unknown>): Promise<string> {
  const { text, isError } = await made.call("find_in_transcripts", args);
  assert.notEqual(isError, true, text);
  return text;
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
      { query: "reeds heron" },
      { query: "heron", since: "2026-01-05T10:00:06Z" },
      { query: "-- heron" },
    ]) {
      const whole = await findAll(indexed, { ...args, limit: 100, max_chars: 50_000 });
      assert.equal(new Set(whole).size, whole.length, JSON.stringify(args));
      for (const made of [indexed, plain]) {
        for (const paged of [{ limit: 100 }, { limit: 2 }, { limit: 100, max_chars: 1_200 }]) {
          const found = await findAll(made, { ...args, ...paged });
          assert.deepEqual(found.toSorted(), whole.toSorted(), JSON.stringify([args, paged]));
        }
      }
    }
    await indexed.close();
  });

  for (const isIndexed of [true, false]) {
    const name = isIndexed ? "with a store" : "without a store";

    test(`cites session, file, line and time, and how to read on, ${name}`, async () => {
      const made = await machine(isIndexed);
      const text = await find(made, { query: "heron 3 not", exact: true });
      assert.match(text, /^Passages 1 to 1 of 1, \[N\] is the line\..*read_session/);
      assert.match(text, /^Session 33333333-2222-4333-8444-555555555555, .*project shop\nfile .*33333333-\S+\.jsonl$/m);
      assert.match(text, /^\[4\] result Bash, 2026-01-05 10:00: heron 3 not found$/m);
      const session = "33333333-2222-4333-8444-555555555555";
      const read = await made.call("read_session", { session, line: 4, with_tools: true });
      assert.match(read.text, /^>\[4\] {3}< heron 3 not found$/m);
      await made.close();
    });

    test(`finds what was said a moment ago, and not what it printed itself, ${name}`, async () => {
      const made = await machine(isIndexed);
      const path = storeSession(made.home, user("one", 0));
      appendFileSync(path, says("the otter came by", 1));
      assert.equal((await findAll(made, { query: "otter" })).length, 1);
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
      assert.equal((await findAll(made, { query: "otter" })).length, 1);
      await made.close();
    });
  }

  test("says that no passage has all words", async () => {
    const indexed = await machine(true);
    const plain = await machine(false);
    const args = { query: "heron reeds unicorn" };
    for (const made of [indexed, plain]) {
      assert.match(await find(made, args), /^No passage has all the words; these have most of them\.$/m);
    }
    const whole = await findAll(indexed, args);
    assert.equal(whole.length, 6);
    assert.deepEqual((await findAll(plain, { ...args, limit: 4 })).toSorted(), whole.toSorted());
    await indexed.close();
  });

  test("a store that cannot be written is asked as it is, and the answer says what it lacks", async () => {
    const made = await machine(true);
    for (let at = 0; at < 25; at += 1) {
      const id = `9${String(at).padStart(7, "0")}-2222-4333-8444-555555555555`;
      storeSession(made.home, user(`An egret and heron ${at}`, 100 + at), { id, project: "-work-lake" });
    }
    const store = await made.context.openStore();
    const openStore = (): Promise<Store> => Promise.resolve(refusingWrites(store));
    const machineOf = { ...made, call: (tool: string, args: unknown) => made.call(tool, args, { openStore }) };
    assert.match(
      await find(machineOf, { query: "heron" }),
      /^Note: not in the store yet: 25 sessions \(0\.\d MB\) that may have more; /m,
    );
    for (const limit of [10, 100]) {
      const all = await findAll(machineOf, { query: "heron", per_session: 100, limit, max_chars: 50_000 });
      assert.deepEqual([all.length, new Set(all).size], [24, 24], `limit ${limit}`);
    }
    await made.close();
  });

  test("does not advise other words where there are no sessions", async () => {
    assert.match(await find(machineAt(makeTempDir()), { query: "heron" }), /^No session was searched: /);
  });

  test("says after the last passage that there are no more, not that there is nothing", async () => {
    const made = await machine(false);
    assert.match(
      await find(made, { query: "heron", per_session: 9, offset: 24 }),
      /^No more passages: there are 24\.$/,
    );
    assert.match(await find(made, { query: "no such thing" }), /^Nothing found/);
  });

  test("marks passages whose file is gone, and reads them from the store", async () => {
    const made = await machine(true);
    rmSync(pathOf(made.home, 3));
    assert.match(await find(made, { query: "heron 3 not" }), /^\[4\] result Bash, 2026-01-05 10:00, from the store:/m);
    const session = "33333333-2222-4333-8444-555555555555";
    const read = await made.call("read_session", { session, with_tools: true });
    assert.match(read.text, /^From the store, since its file no longer has it\.$/m);
    assert.match(read.text, /heron 3 not/);
    assert.doesNotMatch(await find(made, { query: "heron 2 not" }), /from the store/);
    await made.close();
  });

  test("has a store in memory where the one on disk cannot be used, and says so", async () => {
    const made = await machine(false);
    const folder = join(made.home, "data/opencode-transcripts");
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "transcripts.db"),
      "this is no database, but it is long enough to look like a file of one".repeat(20),
    );
    const text = await find(made, { query: "heron" });
    assert.equal(places([text]).length, 10);
    assert.match(text, /^Note: the store is kept in memory for this question: .*transcripts\.db is damaged/m);
  });

  test("reveals no secret, and refuses invalid filters", async () => {
    const secret = randomSecret();
    const made = await machine(false);
    storeSession(made.home, user(`herring ${secret}`, 0));
    const text = await find(made, { query: "herring" });
    assert.ok(!text.includes(secret) && text.includes("REDACTED"));
    for (const [args, words] of [
      [{}, /query: It is missing; give words/],
      [{ query: "" }, /query: "" is not allowed/],
      [{ query: "x", offset: -1 }, /offset: -1 is not allowed/],
      [{ query: "x", since: "whenever" }, /since: "whenever" is not a date\. Write "12h"/],
      [
        { query: "x", role: "bot" },
        /role: "bot" is not allowed\. It must be one of "user", "assistant", "tool", "system"/,
      ],
      [{ query: ["x"] }, /query: \["x"\] is not allowed/],
      ["query", /"query" is not allowed\. It must be an object/],
      [{ query: "x", term: "y" }, /term: "term" is not known\. Use one of these: query, exact/],
    ] as const) {
      const answer = await made.call("find_in_transcripts", args);
      assert.equal(answer.isError, true);
      assert.match(answer.text, words);
      assert.match(answer.text, /For example|Pass|Write/);
    }
  });
});
