import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { AppendFile } from "../../src/transcript/files/append-file.ts";
import { lineFormat, lineRecord, readLines } from "../support/line-format.ts";
import { afterAll, describe, runs, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const numbers = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
const startingWith = (keys: readonly string[], prefix: string) => keys.filter((key) => key.startsWith(prefix));

/** Next step of one of two writers. `both` appends the next record that the two share. */
const step = fc.record({
  who: fc.constantFrom(0, 1),
  what: fc.constantFrom("own", "own", "both", "both", "flush", "yield", "wait", "tear", "reopen"),
  size: fc.oneof({ weight: 9, arbitrary: fc.nat(300) }, { weight: 1, arbitrary: fc.nat(200_000) }),
});

interface Writer {
  file: AppendFile;
  own: number;
  shared: number;
}

describe("two writers of one file in one process", () => {
  test("lose, repeat, tear and reorder nothing, in any interleaving", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: "max" }), fc.nat(2), async (steps, batchSize) => {
        const path = join(makeTempDir(), "file");
        const maxBatchBytes = [1, 500, 1_000_000][batchSize] ?? 1;
        const open = () => new AppendFile({ path, format: lineFormat, maxBatchBytes });
        const writers: Writer[] = [0, 1].map(() => ({ file: open(), own: 0, shared: 0 }));
        let torn = 0;
        for (const { who, what, size } of steps) {
          const writer = writers[who];
          if (!writer) continue;
          const { file } = writer;
          if (what === "own") file.append(lineRecord(`${"ab"[who]}${writer.own++}`, size));
          if (what === "both") file.append(lineRecord(`s${writer.shared++}`, size));
          if (what === "flush") await file.flush();
          if (what === "yield") await new Promise((resolve) => setImmediate(resolve));
          if (what === "wait") await new Promise((resolve) => setTimeout(resolve, 1));
          if (what === "reopen") {
            await file.flush();
            writer.file = open();
          }
          if (what === "tear" && (await quiet(writers))) {
            fs.appendFileSync(path, `{"key":"torn`);
            torn += 1;
          }
        }
        const results = await Promise.all(writers.map(({ file }) => file.flush()));
        assert.ok(results.every(({ complete }) => complete));
        const shared = Math.max(...writers.map((writer) => writer.shared));
        const [ofA, ofB] = writers.map(({ own }) => own);
        if (!fs.existsSync(path)) return assert.equal(shared + (ofA ?? 0) + (ofB ?? 0), 0);
        const found = readLines(fs.readFileSync(path));
        assert.deepEqual(found.problems, []);
        assert.deepEqual(startingWith(found.keys, "s"), numbers(shared, "s"));
        assert.deepEqual(startingWith(found.keys, "a"), numbers(ofA ?? 0, "a"));
        assert.deepEqual(startingWith(found.keys, "b"), numbers(ofB ?? 0, "b"));
        const repaired = found.torn.length + (found.tail === "" ? 0 : 1);
        assert.ok(repaired <= torn && (torn === 0 || repaired > 0));
      }),
      { numRuns: runs(150) },
    );
  });
});

/** Waits until nobody writes; false if there is no file to tear. */
async function quiet(writers: readonly Writer[]): Promise<boolean> {
  await Promise.all(writers.map(({ file }) => file.flush()));
  return fs.existsSync(writers[0]?.file.path ?? "");
}

describe("processes that write the same files", () => {
  for (const [fileCount, count, processes] of [
    [1, 300, 3],
    [50, 12, 2],
  ] as const) {
    test(`${processes} processes, ${fileCount} files: nothing is lost, repeated, torn or reordered`, async () => {
      const folder = join(makeTempDir(), "sub");
      const names = ["a", "b", "c"].slice(0, processes);
      const children = names.map((name, n) => runChild(folder, fileCount, count, name, n + 1));
      await Promise.all(children);
      assert.equal(fs.readdirSync(folder).length, fileCount, "no lock is left");
      for (const file of fs.readdirSync(folder)) {
        const found = readLines(fs.readFileSync(join(folder, file)));
        assert.deepEqual(found.problems, []);
        assert.equal(found.tail, "");
        assert.deepEqual(found.torn, []);
        for (const prefix of ["s", ...names]) {
          assert.deepEqual(startingWith(found.keys, prefix), numbers(count, prefix));
        }
      }
    });
  }
});

async function runChild(...args: [string, number, number, string, number]): Promise<void> {
  const script = join(import.meta.dirname, "..", "support", "append-child.ts");
  const child = spawn(process.execPath, [script, ...args.map(String)], { stdio: ["ignore", "ignore", "inherit"] });
  const code = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(code, 0);
}
