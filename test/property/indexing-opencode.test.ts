/** A session in opencode's database, indexed in parts, stopped and changed at any moment. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { updateIndex, type UpdateOptions } from "../../src/indexing/update-index.ts";
import type { SessionChange, Store } from "../../src/store/store.ts";
import {
  checkRewritten,
  dump,
  INDEX_LIMITS,
  inOneGo,
  newStore,
  NO_REDACTOR,
  SMALL,
  writingWith,
} from "../support/indexing/index-fixture.ts";
import { afterAll, describe, runs, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { Machine, minuteMs, openFakeStore } from "../unit/sessions-machine.ts";

afterAll(removeTempDirs);

const ID = "ses_1";
const WORDS = ["alpha", "beta\nbeta", "γάμμα", "delta ".repeat(30), ""] as const;

interface MadeMessage {
  role: "user" | "assistant";
  texts: string[];
  call: boolean;
}

const message: fc.Arbitrary<MadeMessage> = fc.record({
  role: fc.constantFrom("user" as const, "assistant" as const),
  texts: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }),
  call: fc.boolean(),
});

type Step =
  | { kind: "add"; messages: MadeMessage[] }
  | { kind: "index"; level: "figures" | "content"; stopAfter: number }
  | { kind: "change"; at: number }
  | { kind: "remove"; at: number }
  | { kind: "rename"; title: string };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("add" as const), messages: fc.array(message, { maxLength: 12 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("index" as const),
      level: fc.constantFrom("content" as const, "content" as const, "figures" as const),
      stopAfter: fc.nat(6),
    }),
  },
  fc.record({ kind: fc.constant("change" as const), at: fc.nat(30) }),
  fc.record({ kind: fc.constant("remove" as const), at: fc.nat(30) }),
  fc.record({ kind: fc.constant("rename" as const), title: fc.constantFrom("A", "A much longer title") }),
);

class Opencode {
  readonly machine = new Machine();
  readonly #database: Awaited<ReturnType<typeof openFakeStore>>;
  #ids: string[] = [];
  #count = 0;
  #minute = 0;

  static async begin(): Promise<Opencode> {
    const machine = new Machine();
    return new Opencode(machine, await openFakeStore(machine.database, [{ id: ID }]));
  }

  private constructor(machine: Machine, database: Awaited<ReturnType<typeof openFakeStore>>) {
    this.machine = machine;
    this.#database = database;
  }

  add({ role, texts, call }: MadeMessage): void {
    const id = `msg_${String(this.#count).padStart(4, "0")}`;
    const time = { created: minuteMs(this.#count) };
    const tokens = { input: 10, output: this.#count, reasoning: 0, cache: { read: 0, write: 0 } };
    const info = role === "user" ? { role, time } : { role, time, tokens, cost: 0.5, modelID: "m", providerID: "p" };
    this.#database.run("INSERT INTO message VALUES (?, ?, ?, 0, ?)", id, ID, this.#count, JSON.stringify(info));
    const parts: Record<string, unknown>[] = texts.map((text) => ({ type: "text", text }));
    const state = { status: "completed", input: { command: "ls" }, output: `out ${id}`, time: { start: 1, end: 2 } };
    if (call) parts.push({ type: "tool", tool: "bash", callID: `call_${this.#count % 3}`, state });
    for (const [at, part] of parts.entries()) {
      const values = [`prt_${id}_${at}`, id, ID, 0, 0, JSON.stringify(part)];
      this.#database.run("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", ...values);
    }
    this.#ids.push(id);
    this.#count += 1;
    this.#touch();
  }

  change(at: number): void {
    const text = JSON.stringify({ type: "text", text: `changed ${at}` });
    this.#database.run("UPDATE part SET data = ? WHERE message_id = ? AND id LIKE '%_0'", text, this.#idAt(at));
    this.#touch();
  }

  remove(at: number): void {
    const id = this.#idAt(at);
    for (const sql of ["DELETE FROM message WHERE id = ?", "DELETE FROM part WHERE message_id = ?"])
      this.#database.run(sql, id);
    this.#ids = this.#ids.filter((each) => each !== id);
    this.#touch();
  }

  rename(title: string): void {
    this.#database.run("UPDATE session SET title = ?", title);
    this.#touch();
  }

  close(): void {
    this.#database.close();
  }

  #idAt(at: number): string {
    return this.#ids[at % Math.max(1, this.#ids.length)] ?? "";
  }

  #touch(): void {
    this.#minute += 1;
    this.#database.run("UPDATE session SET time_updated = ?", minuteMs(this.#minute));
  }
}

/** A store that is gone after some writes, as for a program that is killed. */
function stopping(store: Store, after: number, changes: SessionChange[] = []): Store {
  let writes = 0;
  return writingWith(store, async (...more) => {
    if (writes >= after) throw new Error("killed");
    writes += 1;
    changes.push(...more);
    return store.writeSession(...more);
  });
}

const IN_PARTS: UpdateOptions = { redactor: NO_REDACTOR, limits: SMALL };

async function isKilled(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => false,
    (error: unknown) => {
      assert.equal(error instanceof Error && error.message, "killed");
      return true;
    },
  );
}

describe("a session in opencode's database that is indexed in parts", () => {
  test("has the rows of a single run, however it changed and wherever indexing stopped", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
        const opencode = await Opencode.begin();
        const store = await newStore();
        try {
          const { where } = opencode.machine;
          for (const each of steps) {
            if (each.kind === "add") for (const made of each.messages) opencode.add(made);
            else if (each.kind === "rename") opencode.rename(each.title);
            else if (each.kind === "change") opencode.change(each.at);
            else if (each.kind === "remove") opencode.remove(each.at);
            else
              await isKilled(updateIndex(stopping(store, each.stopAfter), where, { ...IN_PARTS, level: each.level }));
          }
          await updateIndex(store, where, IN_PARTS);
          const fresh = await inOneGo(where, { redactor: NO_REDACTOR, limits: INDEX_LIMITS });
          checkRewritten(await dump(store), fresh, ID);
        } finally {
          await store.close();
          opencode.close();
        }
      }),
      { numRuns: runs(90) },
    );
  });

  test("continues where it stopped, in transactions of bounded size", async () => {
    const opencode = await Opencode.begin();
    for (let at = 0; at < 60; at += 1)
      opencode.add({ role: at % 2 === 0 ? "user" : "assistant", texts: [`text ${at}`], call: at % 2 === 1 });
    const { where } = opencode.machine;
    const store = await newStore();
    const [first, second]: [SessionChange[], SessionChange[]] = [[], []];
    // Figures have rows of their own, which are no obstacle.
    await updateIndex(store, where, { ...IN_PARTS, level: "figures" });
    assert.ok(await isKilled(updateIndex(stopping(store, 5, first), where, IN_PARTS)));
    await updateIndex(stopping(store, 1_000, second), where, IN_PARTS);
    const blocks = [...first, ...second].map((change) => change.blocks.length);
    assert.equal(
      blocks.reduce((sum, count) => sum + count),
      120,
      "each block is written once",
    );
    assert.equal(first.length, 5);
    assert.ok(Math.max(...blocks) <= 2 * SMALL.events, String(blocks));
    await store.close();
    opencode.close();
  });
});
