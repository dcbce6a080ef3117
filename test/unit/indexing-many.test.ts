import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureSession } from "../../src/indexing/ensure-session.ts";
import { staleSessions } from "../../src/indexing/stale-sessions.ts";
import { updateIndex } from "../../src/indexing/update-index.ts";
import { findSessions } from "../../src/sessions/find-sessions.ts";
import { sessionRef } from "../../src/places/session-ref.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { SessionChange, Store } from "../../src/store/store.ts";
import { KILLED_LIMITS } from "../crash/index-limits.ts";
import {
  dump,
  figures,
  inOneGo,
  newStore,
  NO_REDACTOR,
  SMALL,
  writingWith,
} from "../support/indexing/index-fixture.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, isLong, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { claudeLine, Machine } from "./sessions-machine.ts";

afterAll(removeTempDirs);

const FILES = isLong ? 5_000 : 1_000;
const OPTIONS = { redactor: NO_REDACTOR };

function idOf(at: number): string {
  return `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;
}

function machineWith(files: number, lines = 1): Machine {
  const machine = new Machine();
  for (let at = 0; at < files; at += 1) {
    const folder = join(machine.claude, `p${at % 50}`);
    if (at < 50) mkdirSync(folder, { recursive: true });
    const text = Array.from({ length: lines }, (_, line) => claudeLine({ uuid: `u-${at}-${line}`, cwd: "/work" }));
    writeFileSync(join(folder, `${idOf(at)}.jsonl`), text.join(""));
  }
  return machine;
}

describe("many sessions", () => {
  test("of which one is forgotten while it is being indexed, which does not come back", async () => {
    const machine = machineWith(3, 30);
    const store = await newStore();
    let writes = 0;
    const forgetful: Store = Object.create(store, {
      machine: { value: store.machine },
      backend: { value: store.backend },
      writeSession: {
        value: async (...changes: SessionChange[]): Promise<boolean[]> => {
          const done = await store.writeSession(...changes);
          writes += 1;
          if (changes.some(({ session, expected }) => session.session_id === idOf(1) && expected === 1))
            await store.forgetSessions([idOf(1)], [{ session_id: idOf(1), place: "" }]);
          return done;
        },
      },
    });
    for (const name of ["marks", "session", "rowStates", "messages", "blocks", "forgotten", "contentOf"] as const)
      Object.defineProperty(forgetful, name, { value: store[name].bind(store) });
    const report = await updateIndex(forgetful, machine.where, { ...OPTIONS, limits: SMALL });
    assert.deepEqual([report.unreadable, report.new], [[], 2]);
    assert.deepEqual(
      (await store.sessions()).map(({ session_id: id }) => id),
      [idOf(0), idOf(2)],
    );
    assert.ok(writes < 100, `${writes} writes: it was tried again and again`);
    await store.close();
  });

  test("are written many at a time, even if another program writes one of them meanwhile", async () => {
    const machine = machineWith(50);
    const store = await newStore();
    const writes: number[] = [];
    const overtaken = writingWith(store, async (...changes) => {
      writes.push(changes.length);
      const [first] = changes;
      if (writes.length === 1 && first !== undefined) await store.writeSession(first);
      return store.writeSession(...changes);
    });
    const report = await updateIndex(overtaken, machine.where, { ...OPTIONS, limits: { events: 40 } });
    assert.deepEqual([report.new + report.unchanged, report.unreadable], [50, []]);
    assert.ok(writes.length <= 8 && Math.max(...writes) <= 40, `writes of ${writes.join(", ")} sessions`);
    assert.deepEqual(await dump(store), await inOneGo(machine.where, OPTIONS));
    await store.close();
  });

  test("are written at once, though another program keeps writing one of them", async () => {
    const machine = machineWith(50);
    const store = await newStore();
    const writes: number[] = [];
    const overtaken = writingWith(store, async (...changes) => {
      writes.push(changes.length);
      const other = changes.find(({ session }) => session.session_id === idOf(7));
      if (other !== undefined) {
        const { figures: _, ...part } = other;
        await store.writeSession({ ...part, session: { ...part.session, figures: null } });
      }
      return store.writeSession(...changes);
    });
    const report = await updateIndex(overtaken, machine.where, OPTIONS);
    assert.equal(report.new, 49);
    assert.deepEqual(
      report.unreadable.map(({ path }) => path.includes(idOf(7))),
      [true],
    );
    assert.deepEqual(new Set(writes), new Set([50, 1]));
    await store.close();
  });

  test("that are read again without a change are marked in several transactions, so that a run continues where the last one ended", async () => {
    const machine = machineWith(40, 100);
    const store = await newStore();
    await updateIndex(store, machine.where, OPTIONS);
    for (let at = 0; at < 40; at += 1)
      utimesSync(join(machine.claude, `p${at}`, `${idOf(at)}.jsonl`), new Date(), new Date());
    const writes: number[] = [];
    const counting = writingWith(store, async (...changes) => {
      writes.push(changes.length);
      return store.writeSession(...changes);
    });
    await updateIndex(counting, machine.where, { ...OPTIONS, limits: { textChars: 20_000 } });
    assert.ok(writes.length > 1 && Math.max(...writes) < 20, `writes of ${writes.join(", ")} sessions`);
    await store.close();
  });

  test("that did not change cost one stat each, and no write", async () => {
    const machine = machineWith(FILES);
    const store = await newStore();
    assert.deepEqual(figures(await updateIndex(store, machine.where, OPTIONS)), {
      sessions: FILES,
      new: FILES,
      events: FILES,
    });
    const before = await store.sessions();
    assert.deepEqual(figures(await updateIndex(store, machine.where, OPTIONS)), { sessions: FILES, unchanged: FILES });
    assert.deepEqual(await store.sessions(), before);

    const path = join(machine.claude, "p7", `${idOf(7)}.jsonl`);
    appendFileSync(path, claudeLine({ uuid: "new" }));
    writeFileSync(join(machine.claude, "p8", "fresh.jsonl"), claudeLine());
    rmSync(join(machine.claude, "p9", `${idOf(9)}.jsonl`));
    const { stale, sessions, gone } = await staleSessions(store, machine.where);
    assert.deepEqual(stale.map(({ sessionId }) => sessionId).toSorted(), [idOf(7), "fresh"]);
    assert.deepEqual([sessions.length, gone.map(({ session_id: id }) => id)], [FILES, [idOf(9)]]);
    const only = stale.map(({ ref }) => ref);
    assert.deepEqual(figures(await updateIndex(store, machine.where, { ...OPTIONS, only })), {
      sessions: 2,
      new: 1,
      changed: 1,
      events: 2,
    });
    assert.deepEqual((await staleSessions(store, machine.where)).stale, []);
    await store.close();
  });
});

describe("two indexers at once", () => {
  test("on two connections give the result of one", async () => {
    const machine = machineWith(12, 60);
    const where = { ...machine.where, env: { TRANSCRIPTS_DATABASE: join(machine.home, "t.db") } };
    const stores = await Promise.all([openStore(where), openStore(where)]);
    const [first, second] = await Promise.all(
      stores.map((store) => updateIndex(store, where, { ...OPTIONS, limits: SMALL })),
    );
    assert.deepEqual([first?.unreadable, second?.unreadable], [[], []]);
    const [store] = stores;
    assert.ok(store);
    assert.deepEqual(await dump(store), await inOneGo(where, { ...OPTIONS, limits: SMALL }));
    for (const each of stores) await each.close();
  });

  test("in two processes give the result of one", async () => {
    const machine = machineWith(40, 80);
    const script = join(REPOSITORY, "test/crash/index-child.ts");
    const children = [0, 1, 2].map(
      () =>
        new Promise<number | null>((resolve) => {
          spawn(process.execPath, [script, machine.home], { stdio: ["ignore", "ignore", "inherit"] }).once(
            "close",
            resolve,
          );
        }),
    );
    assert.deepEqual(await Promise.all(children), [0, 0, 0]);
    const where = { env: {}, home: machine.home, cwd: machine.home };
    const store = await openStore(where);
    assert.deepEqual(await dump(store), await inOneGo(where, { ...OPTIONS, limits: KILLED_LIMITS }));
    await store.close();
  });

  test("a signal that stops one leaves a state that the next run continues", async () => {
    const machine = machineWith(1, 400);
    const store = await newStore();
    const abort = new AbortController();
    const stopping = {
      redact: async (inputs: Parameters<typeof NO_REDACTOR.redact>[0]) => {
        abort.abort(new Error("stopped"));
        return NO_REDACTOR.redact(inputs);
      },
    };
    const options = { limits: { ...SMALL, events: 50 } };
    await assert.rejects(
      updateIndex(store, machine.where, { ...options, redactor: stopping, signal: abort.signal }),
      /stopped/,
    );
    const [session] = await store.sessions();
    assert.ok(session && session.state.events > 0 && session.state.events < 400, String(session?.state.events));
    await updateIndex(store, machine.where, { ...OPTIONS, ...options });
    assert.deepEqual(await dump(store), await inOneGo(machine.where, { ...OPTIONS, ...options }));
    await store.close();
  });
});

describe("a session that something refers to before it is indexed", () => {
  test("is added without events, and later indexed under that id", async () => {
    const machine = machineWith(2);
    const store = await newStore();
    const { sessions } = await findSessions(machine.where);
    const ref = sessions.find(({ id }) => id === idOf(1));
    assert.ok(ref);
    const id = await ensureSession(store, machine.where, ref);
    assert.equal(await ensureSession(store, machine.where, ref), id);
    const entered = await store.session(id);
    assert.deepEqual([id, entered?.project, entered?.state.events], [idOf(1), "/work", 0]);
    assert.deepEqual(figures(await updateIndex(store, machine.where, OPTIONS)), { sessions: 2, new: 2, events: 2 });
    assert.deepEqual(await dump(store), await inOneGo(machine.where));
    await store.close();
  });

  test("may be in any folder", async () => {
    const machine = machineWith(1);
    const path = machine.write(join(machine.project, "elsewhere", "some.jsonl"), claudeLine());
    const store = await newStore();
    const ref = sessionRef({ id: "some", place: "file", agent: null, path, bytes: 10, modifiedMs: 1 });
    assert.equal(await ensureSession(store, machine.where, ref), "some");
    const report = await updateIndex(store, machine.where, OPTIONS);
    assert.deepEqual(figures(report), { sessions: 1, new: 1, events: 1 });
    assert.equal((await store.session("some"))?.place, "file");
    await store.close();
  });
});

test("a session may have more lines in a batch than a call may have arguments", async () => {
  const machine = new Machine();
  const path = join(machine.home, ".claude/projects/-work", `${idOf(1)}.jsonl`);
  machine.write(path, `${claudeLine()}${"\n".repeat(400_000)}${claudeLine()}`);
  const store = await newStore();
  assert.deepEqual((await updateIndex(store, machine.where, OPTIONS)).unreadable, []);
  assert.equal((await store.session(idOf(1)))?.state.lines, 400_002);
  await store.close();
});
