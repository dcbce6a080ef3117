import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { updateIndex } from "../../src/indexing/update-index.ts";
import { calls, result, says, user } from "../support/cli/claude-lines.ts";
import { dump, figures, inOneGo, newStore, SMALL } from "../support/indexing/index-fixture.ts";
import { randomSecret } from "../support/parse/secret.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { Machine } from "./sessions-machine.ts";
import { TranscriptsError } from "../../src/transcripts-error.ts";

afterAll(removeTempDirs);

const limits = { ...SMALL, events: 20 };
const secret = randomSecret();

function machineWith(sessions: number): Machine {
  const machine = new Machine();
  for (let at = 0; at < sessions; at += 1) {
    const text = Array.from({ length: 10 + at }, (_, turn) => {
      const id = `toolu_${at}_${turn}`;
      return (
        user(`question ${turn}, with ${secret}`, turn) +
        calls("Bash", id, { command: "ls" }, turn) +
        result(id, "a\nb", turn)
      );
    });
    machine.write(
      join(machine.claude, `p/00000000-0000-4000-8000-00000000000${at}.jsonl`),
      text.join("") + says("end", 99),
      at,
    );
  }
  return machine;
}

describe("threads that help", () => {
  test("return the same as this thread alone", async () => {
    const machine = machineWith(7);
    const store = await newStore();
    const report = await updateIndex(store, machine.where, { limits, threads: 2 });
    assert.deepEqual(figures(report), { sessions: 7, new: 7, events: 7 * 31 + 63 });
    const all = await dump(store);
    assert.deepEqual(all, await inOneGo(machine.where, { limits, threads: 0 }));
    assert.ok(JSON.stringify(all).includes("[REDACTED:"));
    assert.ok(!JSON.stringify(all).includes(secret));
    await store.close();
  });

  test("end with the store's error", async () => {
    const machine = machineWith(4);
    const store = await newStore();
    let left = 3;
    const failing: typeof store.writeSession = async (...changes) => {
      left -= 1;
      if (left < 0) throw new TranscriptsError("full", "The disk is full.", "Free some space.");
      return writeSession(...changes);
    };
    const writeSession = store.writeSession.bind(store);
    store.writeSession = failing;
    await assert.rejects(updateIndex(store, machine.where, { limits, threads: 2 }), {
      code: "full",
      message: /Free some/,
    });
    store.writeSession = writeSession;
    await updateIndex(store, machine.where, { limits, threads: 2 });
    assert.deepEqual(await dump(store), await inOneGo(machine.where, { limits, threads: 0 }));
    await store.close();
  });

  test("keep the process alive until they have ended", () => {
    const code = `
      import { WorkerThread } from ${JSON.stringify(new URL("../../src/worker-thread.ts", import.meta.url).href)};
      const thread = new WorkerThread(new URL("data:text/javascript,setInterval(() => {}, 1000)"), { data: null });
      const abort = new AbortController();
      const task = thread.run("task", abort.signal).catch(() => undefined);
      const stopped = thread.stop();
      abort.abort();
      await task;
      await stopped;
      console.log("ended");`;
    const script = join(makeTempDir(), "stop.mjs");
    writeFileSync(script, code);
    const { stdout, status } = spawnSync(process.execPath, [script], { encoding: "utf8" });
    assert.deepEqual([stdout, status], ["ended\n", 0]);
  });

  test("read the figures of the newest sessions first, and their content last", async () => {
    const machine = machineWith(3);
    const first = async (level: "figures" | "content"): Promise<string[]> => {
      const store = await newStore();
      const abort = new AbortController();
      const onProgress = (): void => abort.abort(new Error("enough"));
      const options = { limits: { ...limits, events: 1 }, threads: 0, signal: abort.signal, onProgress, level };
      await assert.rejects(updateIndex(store, machine.where, options), /enough/);
      const names = (await store.sessions({})).map(({ path }) => basename(path, ".jsonl").slice(-1));
      await store.close();
      return names;
    };
    assert.deepEqual(await first("figures"), ["2"]);
    assert.deepEqual(await first("content"), ["0"]);
  });

  test("stop at a signal", async () => {
    const machine = machineWith(6);
    const store = await newStore();
    const abort = new AbortController();
    const onProgress = (): void => abort.abort(new Error("enough"));
    await assert.rejects(
      updateIndex(store, machine.where, { limits, threads: 2, signal: abort.signal, onProgress }),
      /enough/,
    );
    await updateIndex(store, machine.where, { limits, threads: 2 });
    assert.deepEqual(await dump(store), await inOneGo(machine.where, { limits, threads: 0 }));
    await store.close();
  });
});
