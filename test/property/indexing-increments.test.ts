import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import type { IndexLimits } from "../../src/indexing/limits.ts";
import { updateIndex } from "../../src/indexing/update-index.ts";
import type { Where } from "../../src/places/session-ref.ts";
import {
  checkDump,
  dump,
  INDEX_LIMITS,
  inOneGo,
  newStore,
  NO_REDACTOR,
  SMALL,
} from "../support/indexing/index-fixture.ts";
import { anyLines } from "../support/parse/any-lines.ts";
import { testSessions } from "../support/parse/session-files.ts";
import { damages, damaged } from "../support/parse/damage.ts";
import { afterAll, describe, runs, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

/** A machine with one session file, which may grow. */
function machineWith(name = "11111111-1111-4111-8111-111111111111.jsonl"): { where: Where; path: string } {
  const home = makeTempDir();
  const path = join(home, ".claude", "projects", "-p", name);
  mkdirSync(dirname(path), { recursive: true });
  return { where: { env: {}, home, cwd: home }, path };
}

/** Adds the bytes piece by piece, with a run after each, and holds the end against one run over all. */
async function check(bytes: Buffer, cuts: readonly number[], limits: readonly IndexLimits[]): Promise<void> {
  const { where, path } = machineWith();
  const store = await newStore();
  const places = [...new Set([...cuts, bytes.length])].toSorted((a, b) => a - b);
  try {
    let done = 0;
    for (const [at, place] of places.entries()) {
      if (done === 0) writeFileSync(path, bytes.subarray(0, place));
      else appendFileSync(path, bytes.subarray(done, place));
      done = place;
      const chosen = limits[at % limits.length] ?? INDEX_LIMITS;
      await updateIndex(store, where, { redactor: NO_REDACTOR, limits: chosen });
    }
    const last = limits[(places.length - 1) % limits.length] ?? INDEX_LIMITS;
    const all = await dump(store);
    checkDump(all, await inOneGo(where, { redactor: NO_REDACTOR, limits: last }));
  } finally {
    await store.close();
  }
}

/** A record of a session, with a time or without. */
function line(type: string, uuid: string, message: object, timestamp?: string): string {
  return JSON.stringify({ type, uuid, sessionId: "S", message, timestamp });
}

const cutsIn = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 12 });

describe("indexing a session that grows", () => {
  test("gives the rows of a single run, wherever it was cut", async () => {
    await fc.assert(
      fc.asyncProperty(anyLines(), cutsIn, fc.boolean(), damages, async (lines, cuts, ends, done) => {
        const text = Buffer.from(lines.join("\n") + (ends ? "\n" : ""));
        const bytes = damaged(text, done);
        const places = cuts.map((cut) => Math.floor((cut / 1_000_000) * bytes.length));
        await check(bytes, places, [SMALL, INDEX_LIMITS]);
      }),
      { numRuns: runs(150) },
    );
  });

  test("gives the rows of a single run if the stored title is blank", async () => {
    const title = JSON.stringify({ type: "ai-title", aiTitle: "\r\n", sessionId: "S" });
    const message = { role: "user", content: "What is this?" };
    const prompt = JSON.stringify({ type: "user", uuid: "u-1", sessionId: "S", message });
    await check(Buffer.from(`${title}\n${prompt}\n`), [title.length + 1], [SMALL, INDEX_LIMITS]);
  });

  const PROMPT = line("user", "u-1", { role: "user", content: "What is this?" }, "2026-01-01T00:00:01.000Z");

  test("gives the rows of a single run if a complete last line continues and becomes invalid", async () => {
    await check(Buffer.from(`${PROMPT}*`), [PROMPT.length], [INDEX_LIMITS]);
  });

  test("gives the rows of a single run if a record without a row is repeated", async () => {
    const piece = (uuid: string, stop_reason: string, content: unknown[]): string =>
      line("assistant", uuid, {
        id: "msg_1",
        role: "assistant",
        model: "m",
        content,
        stop_reason,
        usage: { output_tokens: 7 },
      });
    const records = [
      piece("u-1", "tool_use", []),
      piece("u-2", "tool_use", []),
      piece("u-3", "end_turn", [{ type: "text", text: "Done." }]),
      piece("u-2", "tool_use", []),
    ];
    const ends = records.map((_, at) => `${records.slice(0, at + 1).join("\n")}\n`.length);
    await check(Buffer.from(`${records.join("\n")}\n`), ends, [INDEX_LIMITS]);
  });

  test("gives the rows of a single run if a record without a row is repeated on the line of another with its uuid", async () => {
    const empty = line("user", "u-2", { role: "user" });
    const said = line("user", "u-2", { role: "user", content: "Go on." });
    const first = `${PROMPT}\n${empty}\n`;
    await check(Buffer.from(`${first}${said}${empty}\n`), [first.length], [INDEX_LIMITS]);
  });

  test("gives the rows of a single run if an unusable line is repeated", async () => {
    const broken = '{"typ":"user","uuid":"u-1"}\n';
    await check(Buffer.from(broken.repeat(2)), [broken.length + 1], [INDEX_LIMITS]);
  });

  test("reports nothing of the earlier file if reading the new one was interrupted", async () => {
    const { where, path } = machineWith();
    const store = await newStore();
    const options = { redactor: NO_REDACTOR, limits: SMALL, threads: 0 };
    writeFileSync(path, `${line("user", "u-9", { role: "user", content: "Old." }, "2026-02-02T00:00:00.000Z")}\n`);
    await updateIndex(store, where, options);
    const untold = Array.from({ length: 20 }, (_, at) =>
      line("user", `v-${at}`, { role: "user", content: "x".repeat(50) }),
    );
    writeFileSync(path, `${[...untold, PROMPT].join("\n")}\n`);
    const write = store.writeSession.bind(store);
    let writes = 0;
    store.writeSession = async (...changes) => {
      if ((writes += 1) === 2) throw new Error("killed");
      return write(...changes);
    };
    await assert.rejects(updateIndex(store, where, options), /killed/);
    await updateIndex(store, where, options);
    checkDump(await dump(store), await inOneGo(where, options));
    await store.close();
  });

  testSessions(
    "gives the rows of a single run with session files",
    ["claude-code", "claude-stream-json"],
    async (files) => {
      let seed = 7;
      const random = (below: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
      for (const [at, { path }] of files.entries()) {
        const bytes = readFileSync(path);
        if (bytes.length > 1_500_000 && at % 4 !== 0) continue;
        const cuts = Array.from({ length: 4 }, () => random(bytes.length));
        await check(bytes, cuts, at % 2 === 0 ? [INDEX_LIMITS] : [SMALL, INDEX_LIMITS]);
      }
    },
  );
});
