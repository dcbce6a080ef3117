import assert from "node:assert/strict";
import { appendFileSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { updateIndex, type UpdateOptions } from "../../src/indexing/update-index.ts";
import { foldedPattern } from "../../src/matching/folding.ts";
import type { Store } from "../../src/store/store.ts";
import { figures, newStore, NO_REDACTOR, SMALL, writingWith } from "../support/indexing/index-fixture.ts";
import { madeEntry } from "../support/indexing/made-transcript.ts";
import { FORMATS } from "../support/parse/transcript-file.ts";
import { grepSession } from "../support/search/grep-session.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { Machine, minuteMs, openFakeStore, type StoredSession } from "./sessions-machine.ts";

afterAll(removeTempDirs);

const OPTIONS: UpdateOptions = { redactor: NO_REDACTOR, limits: SMALL };

const placesIn = async (store: Store): Promise<string[]> => (await store.sessions()).map(({ path }) => path);

async function found(store: Store, id: string, term: string): Promise<number[]> {
  const events = await store.events(id, { from: 0, limit: 10_000 });
  return events
    .filter(({ content, is_own }) => !is_own && foldedPattern(term).test(content))
    .map(({ line_number }) => line_number);
}

/** Writes only what comes after the first that differs. */
function counting(store: Store): { store: Store; written: () => number } {
  let events = 0;
  const counted = writingWith(store, async (...changes) => {
    events += changes.reduce((sum, { blocks }) => sum + blocks.length, 0);
    return store.writeSession(...changes);
  });
  return { store: counted, written: () => events };
}

for (const [name, format] of Object.entries(FORMATS)) {
  describe(`a transcript of ours as ${name}`, () => {
    const extension = name === "markdown" ? "md" : "jsonl";

    test("is found as when read directly, and only its last message is written when it grew", async () => {
      const machine = new Machine();
      const entries = Array.from({ length: 120 }, (_, at) => madeEntry("ses_1", at, at % 4));
      const path = machine.write(join(machine.transcripts, `ses_1.${extension}`), format.text(entries));
      const { store, written } = counting(await newStore());
      await updateIndex(store, machine.where, OPTIONS);
      assert.equal(written(), 120);
      appendFileSync(path, format.entry(madeEntry("ses_1", 120, 3)));
      await updateIndex(store, machine.where, OPTIONS);
      // Entries of small parts are in one message of four.
      assert.ok(written() > 120 && written() <= 125, String(written()));
      for (const term of ["entry 7", "goes on", "bash", "ENTRY 12"]) {
        const hits = await grepSession(readFileSync(path), { term });
        assert.deepEqual(
          await found(store, "ses_1", term),
          hits.map(({ line_number }) => line_number).toSorted((a, b) => a - b),
          term,
        );
      }
      await store.close();
    });
  });
}

const message = (id: string, role: string, parts: readonly unknown[]) => ({
  id,
  data: { role, time: { created: 1_750_000_000_000 } },
  parts: parts.map((data, at) => ({ id: `prt_${id}_${at}`, data })),
});

function stored(texts: readonly string[], minute: number): StoredSession {
  const messages = texts.map((text, at) =>
    message(`msg_${at}`, at % 2 === 0 ? "user" : "assistant", [{ type: "text", text }]),
  );
  return { id: "ses_stored", directory: "/work/shop", title: "Fix the shop", minute, messages };
}

describe("a session in opencode's own store", () => {
  test("is indexed as when read directly, and again when it changed", async () => {
    const machine = new Machine();
    const database = await openFakeStore(machine.database, [stored(["first question", "first answer"], 0)]);
    const { store, written } = counting(await newStore());
    await updateIndex(store, machine.where, OPTIONS);
    const session = await store.session("ses_stored");
    assert.deepEqual(
      [session?.place, session?.path, session?.project, session?.title],
      ["opencode", machine.database, "/work/shop", "Fix the shop"],
    );
    // The number of a message is its line.
    assert.deepEqual(await found(store, "ses_stored", "first"), [1, 2]);

    assert.deepEqual(figures(await updateIndex(store, machine.where, OPTIONS)), { sessions: 1, unchanged: 1 });
    database.run("INSERT INTO message VALUES ('msg_9', 'ses_stored', 9, 0, ?)", JSON.stringify({ role: "user" }));
    database.run(
      "INSERT INTO part VALUES ('prt_9', 'msg_9', 'ses_stored', 0, 0, ?)",
      JSON.stringify({ type: "text", text: "second question" }),
    );
    database.run("UPDATE session SET time_updated = ? WHERE id = 'ses_stored'", minuteMs(5));
    const before = written();
    assert.equal((await updateIndex(store, machine.where, OPTIONS)).changed, 1);
    assert.equal(written() - before, 1);
    assert.equal((await found(store, "ses_stored", "second")).length, 1);

    database.run("DELETE FROM session");
    assert.deepEqual(figures(await updateIndex(store, machine.where, OPTIONS)), { gone: 1 });
    assert.equal((await found(store, "ses_stored", "first")).length, 2);
    database.close();
    await store.close();
  });

  test("has changed if only its parts did", async () => {
    const machine = new Machine();
    const database = await openFakeStore(machine.database, [stored(["a question", "half an an"], 0)]);
    const store = await newStore();
    await updateIndex(store, machine.where, OPTIONS);
    const text = JSON.stringify({ type: "text", text: "half an answer made whole" });
    database.run("UPDATE part SET data = ?, time_updated = ? WHERE id = 'prt_msg_1_0'", text, minuteMs(3));
    assert.equal((await updateIndex(store, machine.where, OPTIONS)).changed, 1);
    assert.equal((await found(store, "ses_stored", "whole")).length, 1);
    assert.deepEqual(figures(await updateIndex(store, machine.where, OPTIONS)), { sessions: 1, unchanged: 1 });
    database.close();
    await store.close();
  });

  test("that was recorded too is indexed once, from wherever it is looked at", async () => {
    const machine = new Machine();
    const database = await openFakeStore(machine.database, [stored(["a question"], 0)]);
    database.close();
    const text = FORMATS["jsonl"]?.text([madeEntry("ses_stored", 1, 0)], { version: 1, sessionID: "ses_stored" }) ?? "";
    const path = machine.write(join(machine.transcripts, "ses_stored.jsonl"), text);
    const store = await newStore();
    const elsewhere = { ...machine.where, cwd: machine.home };
    for (const where of [elsewhere, machine.where, elsewhere]) {
      const isFirst = (await store.sessions()).length === 0;
      const expected = isFirst ? { sessions: 1, new: 1, events: 1 } : { sessions: 1, unchanged: 1 };
      assert.deepEqual(figures(await updateIndex(store, where, OPTIONS)), expected);
      assert.deepEqual(await placesIn(store), [machine.database]);
    }
    // opencode's own store is gone, and comes back.
    renameSync(machine.database, `${machine.database}.away`);
    await updateIndex(store, machine.where, OPTIONS);
    await updateIndex(store, elsewhere, OPTIONS);
    assert.deepEqual(await placesIn(store), [path]);
    renameSync(`${machine.database}.away`, machine.database);
    await updateIndex(store, elsewhere, OPTIONS);
    assert.deepEqual(await placesIn(store), [machine.database]);
    await store.close();
  });
});
