import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { judgeKept, judgeKill } from "./judge.ts";
import { readLifeLog } from "./life-log.ts";
import type { CrashFile } from "./subject.ts";

afterAll(removeTempDirs);

function lived(lines: string[], kill: { at: number; run: number | undefined }): Record<string, number> {
  const path = join(makeTempDir(), "log");
  fs.writeFileSync(path, `${lines.join("\n")}\ncut off`);
  return Object.fromEntries(readLifeLog(path, kill).map((record) => [record.id, record.lived]));
}

describe("the life log of a killed child", () => {
  test("counts all the time in which it lived", () => {
    const lines = ["alive 100 0 0", "record 101 a f", "alive 105 0 1", "alive 110 0 2", "record 111 b f"];
    assert.deepEqual(lived(lines, { at: 112, run: 3 }), { a: 11, b: 1 });
  });

  test("leaves out what the machine took after the record, and nothing that it took before", () => {
    const lines = ["alive 100 0 0", "record 104 a f", "alive 150 44 2", "record 151 b f", "alive 160 49 3"];
    // Of the 44 ms, 4 may have been before record a, and 1 of the 5 before record b.
    assert.deepEqual(lived(lines, { at: 160, run: 3 }), { a: 56 - 40 - 5, b: 9 - 4 });
  });

  test("after the last beat counts one beat more, and the processor time that the child used", () => {
    const lines = ["alive 100 0 10", "record 101 a f"];
    assert.deepEqual(lived(lines, { at: 180, run: 12 }), { a: 79 - 73 });
    assert.deepEqual(lived(lines, { at: 180, run: 90 }), { a: 79 });
    assert.deepEqual(lived(lines, { at: 180, run: undefined }), { a: 79 });
  });
});

describe("the judge", () => {
  const file = (ids: string[]): CrashFile => ({
    file: "f",
    path: "/f",
    ids,
    tailBytes: 0,
    repaired: 0,
    problems: [],
  });
  const accepted = [
    { id: "a", file: "f", wall: 90, lived: 60 },
    { id: "b", file: "f", wall: 40, lived: 40 },
    { id: "c", file: "f", wall: 10, lived: 10 },
  ];
  const violations = (ids: string[]) => {
    const verdict = judgeKill(accepted, [file(ids)], true);
    return verdict.violations.length + verdict.late.length;
  };

  test("allows the last 50 ms to be missing, no more, and nothing in the middle", () => {
    assert.equal(violations(["older", "a", "b", "c"]), 0);
    assert.equal(violations(["a"]), 0);
    assert.equal(violations([]), 1);
    assert.equal(violations(["a", "c"]), 1);
    assert.equal(violations(["b", "a", "c"]), 1);
    const { missing, lossWall, lossLived } = judgeKill(accepted, [file(["a"])], true);
    assert.deepEqual([missing, lossWall, lossLived], [2, 40, 40]);
  });

  test("misses what stood in a file before", () => {
    assert.deepEqual(judgeKept([file(["x", "y"])], [file(["y", "z"])]), ["x stood there and is gone"]);
  });
});
