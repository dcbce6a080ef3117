/** A very large database of opencode: a list reads no more than it shows, and the store can be stopped and goes on. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { makeOpencodeStore } from "../../bench/made-opencode-store.ts";
import type { StoredSession } from "../../src/store/stored-model.ts";
import { openStore } from "../../src/store/open-store.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, isLong, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const SESSION_BYTES = 2_000_000;
const SESSIONS = isLong ? 2_500 : 24;
/** The same for any size of the database: three threads with what finds secrets, and the parts of sessions they hold. */
const MOST_MEMORY_MB = 750;
/** Prints the most memory that the process itself had; `maxRSS` includes that of the process that started it. */
const PEAK = `data:text/javascript,import{readFileSync}from"node:fs";process.on("exit",()=>{
  const[,kilobytes]=/VmHWM:\\s*(\\d+)/.exec(readFileSync("/proc/self/status","utf8"));
  console.error("peak",kilobytes/1024)})`;

class Machine {
  readonly home = makeTempDir();
  readonly bytes = makeOpencodeStore(join(this.home, "data/opencode/opencode.db"), SESSIONS, SESSION_BYTES);
  readonly #env = { ...process.env, HOME: this.home, XDG_DATA_HOME: join(this.home, "data") };

  /** Runs the program in Node; `stops` is a signal to send once so many sessions are indexed. */
  async run(
    args: readonly string[],
    stops?: { with: NodeJS.Signals; at: number },
  ): Promise<{ code: number | null; stdout: string }> {
    const child = spawn(
      join(REPOSITORY, "node_modules/.bin/node"),
      ["--import", PEAK, join(REPOSITORY, "src/cli/main.ts"), ...args],
      {
        cwd: this.home,
        env: this.#env,
      },
    );
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (text) => (stdout += String(text)));
    child.stderr.on("data", (text) => (stderr += String(text)));
    const closed = once(child, "close");
    if (stops !== undefined) {
      const { at } = stops;
      while (child.exitCode === null && (await this.indexed()).length < at) await setTimeout(100);
      child.kill(stops.with);
    }
    await closed;
    const peaks = Array.from(stderr.matchAll(/^peak (.*)$/gm), ([, peak]) => Number(peak));
    if (stops === undefined) assert.ok(peaks.length > 0, "the peak of memory was not printed");
    for (const peak of peaks) assert.ok(peak < MOST_MEMORY_MB, `${args.join(" ")}: ${peak} MB`);
    if (stops === undefined) assert.equal(child.exitCode, 0, stderr);
    return { code: child.exitCode, stdout };
  }

  async sessions(): Promise<StoredSession[]> {
    try {
      const store = await openStore(
        { env: { XDG_DATA_HOME: join(this.home, "data") }, home: this.home },
        { readOnly: true },
      );
      try {
        return await store.sessions();
      } finally {
        await store.close();
      }
    } catch {
      // There is no index yet.
      return [];
    }
  }

  /** Sessions whose content is in the store to their end. */
  async indexed(): Promise<StoredSession[]> {
    return (await this.sessions()).filter(({ state }) => state.rules > 0 && state.source_modified_ms > 0);
  }
}

describe("a very large database of opencode", () => {
  test(
    "is listed by reading the sessions that are shown, and indexed in as many runs as it takes",
    async () => {
      const machine = new Machine();
      assert.ok(machine.bytes >= SESSIONS * SESSION_BYTES);
      const { stdout } = await machine.run(["list", "--recent", "5", "--json"]);
      const listed = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).session_id);
      assert.deepEqual(listed, newest(5));
      const read = await machine.sessions();
      assert.ok(read.length < 10, `${read.length} sessions were read for a list of 5`);

      const stopped = await machine.run(["index"], { with: "SIGINT", at: 3 });
      assert.equal(stopped.code, 130);
      const first = await machine.indexed();
      await machine.run(["index"], { with: "SIGKILL", at: first.length + 3 });
      const second = await machine.indexed();
      assert.ok(first.length >= 3 && second.length >= first.length + 3 && second.length < SESSIONS);
      assert.deepEqual(
        second.filter(({ session_id: id }) => first.some((each) => each.session_id === id)),
        first,
      );
      // All of five gigabytes take a quarter of an hour.
      if (isLong) return;
      const { stdout: report } = await machine.run(["index", "--json"]);
      const { new: added, changed, unchanged, unreadable } = JSON.parse(report);
      assert.deepEqual([added + changed + unchanged, unreadable], [SESSIONS, []]);
      assert.ok(unchanged >= second.length, report);
      assert.equal((await machine.indexed()).length, SESSIONS);
    },
    isLong ? 1_800_000 : 240_000,
  );
});

function newest(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `ses_${String(SESSIONS - 1 - at).padStart(6, "0")}`);
}
