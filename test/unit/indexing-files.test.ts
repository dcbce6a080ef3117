import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { updateIndex, type UpdateOptions } from "../../src/indexing/update-index.ts";
import { findSessions } from "../../src/sessions/find-sessions.ts";
import type { StoredSession } from "../../src/store/stored-model.ts";
import type { Store } from "../../src/store/store.ts";
import { calls, result, says, user } from "../support/cli/claude-lines.ts";
import {
  dump,
  figures,
  INDEX_LIMITS,
  inOneGo,
  newStore,
  NO_REDACTOR,
  SMALL,
  type Dump,
} from "../support/indexing/index-fixture.ts";
import { afterAll, beforeAll, describe, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { Machine } from "./sessions-machine.ts";

afterAll(removeTempDirs);

const A = "a0000000-0000-4000-8000-000000000001";
const B = "b0000000-0000-4000-8000-000000000002";
const OPTIONS: UpdateOptions = { redactor: NO_REDACTOR };

/** Where a session has much to say. */
function talk(from: number, to: number): string {
  let text = "";
  for (let at = from; at < to; at += 1) {
    text += user(`question ${at}`, at * 10) + calls("Bash", `toolu_${at}`, { command: `echo ${at}` }, at * 10 + 1);
    text += result(`toolu_${at}`, `output ${at}`, at * 10 + 2) + says(`answer ${at}`, at * 10 + 3);
  }
  return text;
}

interface Setting {
  machine: Machine;
  store: Store;
  run: (options?: UpdateOptions) => Promise<Record<string, number>>;
}

async function setting(): Promise<Setting> {
  const machine = new Machine();
  const store = await newStore();
  const run = async (options: UpdateOptions = {}): Promise<Record<string, number>> =>
    figures(await updateIndex(store, machine.where, { ...OPTIONS, ...options }));
  return { machine, store, run };
}

async function contents(store: Store, id: string): Promise<string[]> {
  return (await store.events(id, { from: 0, limit: 10_000 })).map(({ content }) => content);
}

/** Checks that the store has the same content as after one run over a new store. */
async function isRight({ machine, store }: Setting, options: UpdateOptions = {}): Promise<Dump> {
  const all = await dump(store);
  assert.deepEqual(all, await inOneGo(machine.where, { ...OPTIONS, ...options }));
  return all;
}

async function sessionOf(store: Store, id: string): Promise<StoredSession> {
  const session = await store.session(id);
  assert.ok(session, `${id} is not there`);
  return session;
}

describe("a session file that changes", () => {
  test("is not read while it does not change", async () => {
    const { machine, store, run } = await setting();
    machine.write(join(machine.claude, `p/${A}.jsonl`), talk(0, 3));
    assert.deepEqual(await run(), { sessions: 1, new: 1, events: 12 });
    const { revision } = (await sessionOf(store, A)).state;
    assert.deepEqual(await run(), { sessions: 1, unchanged: 1 });
    assert.equal((await sessionOf(store, A)).state.revision, revision);
    await store.close();
  });

  test("is read whole when it grew, and only its new rows are written", async () => {
    const all = await setting();
    const { machine, run, store } = all;
    const path = machine.write(join(machine.claude, `p/${A}.jsonl`), talk(0, 200));
    await run();
    appendFileSync(path, talk(200, 201));
    const report = await updateIndex(store, machine.where, OPTIONS);
    assert.deepEqual([report.changed, report.events, report.bytes], [1, 4, statSync(path).size]);
    await isRight(all);
    await store.close();
  });

  test("has its last line read again if it was unfinished", async () => {
    const line = says("a line without an end", 5).trimEnd();
    for (const [rest, found] of [
      ["\n", "a line without an end"],
      ["}\n", "a line without an end"],
      [says("glued", 6), "glued"],
    ] as const) {
      const all = await setting();
      const path = all.machine.write(join(all.machine.claude, `p/${A}.jsonl`), talk(0, 2) + line);
      await all.run();
      assert.ok((await contents(all.store, A)).includes("a line without an end"));
      appendFileSync(path, rest);
      await all.run();
      assert.ok((await contents(all.store, A)).includes(found), rest);
      await isRight(all);
      await all.store.close();
    }
  });

  test("undoes the effect of an unfinished line on earlier results", async () => {
    for (const limits of [SMALL, INDEX_LIMITS]) {
      const all = await setting();
      const start = user("go", 1) + result("toolu_late", "an output", 2);
      const own = calls("mcp__transcripts__read_session", "toolu_late", { id: "s" }, 3).trimEnd();
      const path = all.machine.write(join(all.machine.claude, `p/${A}.jsonl`), start + own);
      await all.run({ limits });
      const [, late] = await all.store.events(A, { from: 0, limit: 9 });
      assert.deepEqual([late?.tool_name, late?.is_own], ["mcp__transcripts__read_session", true]);
      // The program that wrote it was killed, and its successor cut the torn line off.
      writeFileSync(path, start + says("another", 4));
      await all.run({ limits });
      const [, open] = await all.store.events(A, { from: 0, limit: 9 });
      assert.deepEqual([open?.tool_name, open?.is_own], [null, false]);
      await isRight(all, { limits });
      await all.store.close();
    }
  });

  test("is told from a replacement that is longer, shorter or of the same size", async () => {
    for (const [name, text] of [
      ["longer", talk(50, 60)],
      ["shorter", talk(50, 51)],
      ["same size", talk(0, 5).replaceAll("question", "QUESTION")],
      ["same start", talk(0, 5).replaceAll("answer 3", "ANSWER 3") + talk(5, 6)],
      ["empty", ""],
    ] as const) {
      const all = await setting();
      const path = all.machine.write(join(all.machine.claude, `p/${A}.jsonl`), talk(0, 5));
      await all.run();
      all.machine.write(path, text, 7);
      assert.equal((await all.run())["changed"], 1, name);
      if (name !== "empty") await isRight(all);
      else assert.deepEqual((await dump(all.store)).blocks, { [A]: [] });
      const kept = await all.store.blocks(A);
      assert.ok(kept.some(({ content, superseded }) => content === "answer 4" && superseded) || name === "same start");
      await all.store.close();
    }
  });

  test("of several megabytes is recognised by its ends if it grew, and by all of it if its size is unchanged", async () => {
    const all = await setting();
    const text =
      user("x".repeat(100_000), 1).repeat(1) +
      Array.from({ length: 60 }, (_, at) => user(`${at} ${"y".repeat(90_000)}`, at)).join("");
    const path = all.machine.write(join(all.machine.claude, `p/${A}.jsonl`), text);
    await all.run();
    all.machine.write(path, text.replace("30 y", "30 Z"), 9);
    await all.run();
    await isRight(all);
    all.machine.write(path, text.replace("x", "Z") + talk(0, 1), 10);
    await all.run();
    await isRight(all);
    await all.store.close();
  });

  test("that was only touched or moved is not read again", async () => {
    const all = await setting();
    const { machine, store, run } = all;
    const path = machine.write(join(machine.claude, `p/${A}.jsonl`), talk(0, 5));
    await run();
    utimesSync(path, 1_800_000_000, 1_800_000_000);
    assert.deepEqual(await run(), { sessions: 1, changed: 1 });
    assert.deepEqual(await run(), { sessions: 1, unchanged: 1 });
    const moved = join(machine.claude, "q", `${A}.jsonl`);
    mkdirSync(join(machine.claude, "q"));
    renameSync(path, moved);
    assert.deepEqual(await run(), { sessions: 1, changed: 1 });
    assert.equal((await sessionOf(store, A)).path, moved);
    assert.deepEqual(await run(), { sessions: 1, unchanged: 1 });
    await isRight(all);
    await store.close();
  });

  test("stays in the store when it is deleted", async () => {
    const { machine, store, run } = await setting();
    const path = machine.write(join(machine.claude, `p/${A}.jsonl`), talk(0, 2));
    machine.write(join(machine.claude, `p/${B}.jsonl`), talk(2, 3));
    await run();
    rmSync(path);
    assert.deepEqual(await run(), { sessions: 1, unchanged: 1, gone: 1 });
    assert.equal((await contents(store, A)).length, 8);
    await store.close();
  });

  test("that cannot be read or disappears is named, and the rest continues", async () => {
    const { machine, store, run } = await setting();
    const path = machine.write(join(machine.claude, `p/${A}.jsonl`), talk(0, 1));
    machine.write(join(machine.claude, `p/${B}.jsonl`), talk(1, 2));
    mkdirSync(join(machine.claude, "p", "folder.jsonl"));
    machine.write(machine.database, "this is no database");
    const { sessions } = await findSessions(machine.where);
    rmSync(path);
    const report = await updateIndex(store, machine.where, { ...OPTIONS, only: sessions });
    assert.deepEqual(report.unreadable, [{ path, reason: "it went away meanwhile" }]);
    assert.deepEqual(figures(report), { sessions: 2, new: 1, events: 4, unreadable: 1 });
    assert.equal((await run())["unreadable"], 2);
    await store.close();
  });

  test("keeps its events under a version of the program with other rules, if they are the same", async () => {
    const { machine, store, run } = await setting();
    machine.write(join(machine.claude, `p/${A}.jsonl`), talk(0, 2));
    await run();
    const session = await sessionOf(store, A);
    const state = { ...session.state, rules: 1, revision: session.state.revision + 1 };
    await store.writeSession({
      session: { ...session, state },
      expected: session.state.revision,
      messages: [],
      blocks: [],
    });
    const before = await store.events(A, { from: 0, limit: 99 });
    assert.deepEqual(await run(), { sessions: 1, changed: 1 });
    assert.deepEqual(await store.events(A, { from: 0, limit: 99 }), before);
    assert.deepEqual(await run(), { sessions: 1, unchanged: 1 });
    await store.close();
  });

  test("that is one of our own tools' output is not searched", async () => {
    const { machine, store, run } = await setting();
    const text =
      calls("Bash", "toolu_1", { command: "transcripts find needle" }, 1) +
      result("toolu_1", "needle in line 3", 2) +
      says("done", 3);
    machine.write(join(machine.claude, `p/${A}.jsonl`), text);
    await run();
    const events = await store.events(A, { from: 0, limit: 9 });
    assert.deepEqual(
      events.map(({ is_own, content }) => [is_own, content]),
      [
        [true, ""],
        [true, ""],
        [false, "done"],
      ],
    );
    await store.close();
  });
});

describe("several files with one id", () => {
  test("get ids of their own, which they keep", async () => {
    const all = await setting();
    const { machine, store, run } = all;
    const first = machine.write(join(machine.claude, `p/${A}.jsonl`), talk(0, 1));
    machine.write(join(machine.claude, `q/${A}.jsonl`), talk(1, 2));
    await run();
    const names = (await store.sessions()).map(({ session_id, path }) => [session_id, path]);
    assert.equal(names.length, 2);
    assert.deepEqual(names[0], [A, first]);
    assert.match(names[1]?.[0] ?? "", new RegExp(`^${A}@[0-9a-f]{8}$`));
    machine.write(join(machine.claude, `a/${A}.jsonl`), talk(2, 3));
    assert.deepEqual(await run(), { sessions: 3, new: 1, unchanged: 2, events: 4 });
    assert.equal((await sessionOf(store, A)).path, first);
    rmSync(first);
    assert.deepEqual(await run(), { sessions: 2, unchanged: 2, gone: 1 });
    await store.close();
  });
});

describe("a snippet's event", () => {
  let all: Setting;
  beforeAll(async () => {
    all = await setting();
    all.machine.write(join(all.machine.claude, `p/${A}.jsonl`), talk(0, 30));
    await all.run();
  });

  async function cite(ordinal: number): Promise<{ snippet: string; event: string }> {
    const [event] = await all.store.events(A, { from: ordinal, limit: 1 });
    assert.ok(event);
    const { snippet_id } = await all.store.insertSnippet({
      session_id: A,
      event_id: event.event_id,
      snippet_type: "learning_pattern",
      title: "t",
      content: "c".repeat(200),
      source_file: null,
      source_line_start: null,
      source_line_end: null,
      tags: [],
      metadata: {},
    });
    return { snippet: snippet_id, event: event.event_id };
  }

  test("is still cited when it is no longer in the file", async () => {
    const { snippet, event } = await cite(100);
    const path = join(all.machine.claude, `p/${A}.jsonl`);
    truncateSync(path, 3_000);
    await all.run({ limits: SMALL });
    assert.equal((await all.store.snippet(snippet))?.event_id, event);
    assert.equal((await all.store.event(A, event))?.superseded, true);
    assert.equal((await all.store.event(A, (await cite(0)).event))?.superseded, false);
    assert.ok(readFileSync(path).length === 3_000);
    await all.store.close();
  });
});
