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
  test("counts the whole lifetime", () => {
    const lines = ["alive 100 0 0", "record 101 a f", "alive 105 0 1", "alive 110 0 2", "record 111 b f"];
    assert.deepEqual(lived(lines, { at: 112, run: 3 }), { a: 11, b: 1 });
  });

  test("leaves out stalls of the machine after the record, and none before it", () => {
    const lines = ["alive 100 0 0", "record 104 a f", "alive 150 44 2", "record 151 b f", "alive 160 49 3"];
    // Of the 44 ms, 4 may have been before record a, and 1 of the 5 before record b.
    assert.deepEqual(lived(lines, { at: 160, run: 3 }), { a: 56 - 40 - 5, b: 9 - 4 });
  });

  test("adds one beat and the used processor time after the last beat", () => {
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

  test("allows only entries of the last 50 ms to be missing", () => {
    assert.equal(violations(["older", "a", "b", "c"]), 0);
    assert.equal(violations(["a"]), 0);
    assert.equal(violations([]), 1);
    assert.equal(violations(["a", "c"]), 1);
    assert.equal(violations(["b", "a", "c"]), 1);
    const { missing, lossWall, lossLived } = judgeKill(accepted, [file(["a"])], true);
    assert.deepEqual([missing, lossWall, lossLived], [2, 40, 40]);
  });

  test("notices when earlier content of a file is gone", () => {
    assert.deepEqual(judgeKept([file(["x", "y"])], [file(["y", "z"])]), ["x stood there and is gone"]);
  });
});
