import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { lineFormat, lineRecord, readLines } from "../support/line-format.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const child = join(import.meta.dirname, "..", "support", "exit-child.ts");

/** A process that appends `count` records, at once or after a while, and exits without waiting for any. */
function runAndExit(path: string, first: number, count: number, when: string): void {
  const result = spawnSync(process.execPath, [child, path, `${first}`, `${count}`, when], {
    encoding: "utf8",
  });
  assert.equal(result.status, 0, result.stderr);
  assert.equal(result.stdout, "", "all records are in the file");
}

const keys = (count: number) => Array.from({ length: count }, (_, n) => `k${n}`);

describe("flushSync in an exit handler", () => {
  test("writes what was accepted right before the exit, header included", () => {
    const path = join(makeTempDir(), "new", "file");
    runAndExit(path, 0, 50, "at once");
    const found = readLines(fs.readFileSync(path));
    assert.deepEqual(found.keys, keys(50));
    assert.deepEqual(found.problems, []);
    assert.deepEqual(fs.readdirSync(join(path, "..")), ["file"]);
  });

  test("loses and doubles nothing in the middle of asynchronous writing", () => {
    const path = join(makeTempDir(), "file");
    for (let round = 0; round < 5; round += 1) runAndExit(path, round * 400, 400, "in the middle");
    const found = readLines(fs.readFileSync(path));
    assert.deepEqual(found.keys, keys(2000));
    assert.deepEqual(found.problems, []);
  });

  test("repairs a torn tail first, and skips entries already there", () => {
    const path = join(makeTempDir(), "file");
    fs.writeFileSync(path, `${lineFormat.header()}${lineRecord("k1").data}{"key":"to`);
    runAndExit(path, 0, 3, "at once");
    const found = readLines(fs.readFileSync(path));
    assert.deepEqual(found.keys, ["k1", "k0", "k2"]);
    assert.deepEqual(
      found.torn.map(({ text }) => text),
      [`{"key":"to`],
    );
    assert.deepEqual(found.problems, []);
  });
});
