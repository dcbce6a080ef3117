import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { createFolder } from "../../src/user-folders.ts";
import { AppendFile, type FaultEvent } from "../../src/transcript/files/append-file.ts";
import { nodeFileSystem } from "../../src/transcript/files/node-file-system.ts";
import { WritePool } from "../../src/transcript/files/write-pool.ts";
import { type FaultPlan, FaultyFileSystem } from "../support/faulty-file-system.ts";
import { type LineFile, lineFormat, lineRecord, readLines } from "../support/line-format.ts";
import { notOnLinux } from "../support/machine.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

const rejections: unknown[] = [];
process.on("unhandledRejection", (reason) => rejections.push(reason));

afterAll(removeTempDirs);

interface Outcome {
  file: LineFile;
  appended: string[];
  faulty: FaultyFileSystem;
}

/** Appends in three rounds through a faulty file system to a file that has a torn tail at first. */
async function run(path: string, plan?: FaultPlan): Promise<Outcome> {
  fs.writeFileSync(path, `${lineFormat.header()}${lineRecord("old").data}{"key":"torn`);
  const faulty = new FaultyFileSystem(nodeFileSystem, plan);
  const writer = new AppendFile({ path, format: lineFormat, fs: faulty, retryDelaysMs: [0, 1] });
  const appended: string[] = [];
  for (const round of ["a", "b", "c"]) {
    for (let n = 0; n < 4; n += 1) appended.push(`${round}${n}`);
    // Without keys: that nothing is doubled must come from knowing what arrived.
    for (const key of appended.slice(-4)) writer.append({ data: lineRecord(key, 200).data });
    assert.equal((await writer.flush()).complete, true, JSON.stringify(plan));
  }
  const closed = await writer.flush();
  assert.deepEqual([closed.complete, closed.waiting, closed.missing], [true, 0, 0]);
  const file = readLines(fs.readFileSync(path));
  return { file, appended, faulty };
}

function checkWhole(outcome: Outcome, plan: FaultPlan | undefined): void {
  const what = JSON.stringify(plan);
  assert.deepEqual(outcome.file.keys, ["old", ...outcome.appended], what);
  assert.deepEqual(outcome.file.problems, [], what);
  assert.equal(outcome.file.tail, "", what);
  assert.equal(outcome.file.torn[0]?.text, `{"key":"torn`, `${what}: the torn tail is kept`);
}

const kinds: Omit<FaultPlan, "nth">[] = [
  { code: "ENOSPC" },
  { code: "EACCES" },
  { code: "EIO" },
  { code: "EIO", how: "after" },
  { code: "EIO", times: 7 },
  { code: "EIO", times: 7, how: "after" },
  { how: "short" },
  { how: "short", times: 5 },
];

describe("a file system whose Nth call fails", () => {
  for (const kind of kinds) {
    test(`${kind.how ?? "before"} ${kind.code ?? ""} x${kind.times ?? 1}: nothing is lost, doubled or out of order`, async () => {
      const root = makeTempDir();
      for (let nth = 1; ; nth += 1) {
        const plan = { nth, ...kind };
        const path = join(root, `${nth}`, "file");
        fs.mkdirSync(join(path, ".."));
        const outcome = await run(path, plan);
        checkWhole(outcome, plan);
        if (outcome.faulty.faults === 0) {
          assert.ok(nth > 3, "some calls failed");
          break;
        }
      }
      assert.deepEqual(rejections, []);
    });
  }

  test("entries written before a failure are found again, even if others appended since", async () => {
    const path = join(makeTempDir(), "file");
    const faulty = new FaultyFileSystem(nodeFileSystem, { nth: 1, only: ["handle.close"] });
    const first = new AppendFile({ path, format: lineFormat, fs: faulty, retryDelaysMs: [60_000] });
    for (const key of ["a", "b"]) first.append({ data: lineRecord(key).data });
    assert.equal((await first.flush(20)).complete, false);
    const second = new AppendFile({ path, format: lineFormat });
    second.append({ data: lineRecord("c").data });
    await second.flush();
    first.append({ data: lineRecord("d").data });
    assert.equal((await first.flush()).complete, true);
    const found = readLines(fs.readFileSync(path));
    assert.deepEqual(found.keys, ["a", "b", "c", "d"]);
    assert.deepEqual(found.problems, []);
  });

  test("writes that are short and then fail leave no fragment", async () => {
    const path = join(makeTempDir(), "file");
    const faulty = new FaultyFileSystem(nodeFileSystem);
    const writer = new AppendFile({
      path,
      format: lineFormat,
      fs: faulty,
      retryDelaysMs: [60_000],
    });
    const inner = faulty.openAppend.bind(faulty);
    let writes = 0;
    faulty.openAppend = async (name) => {
      const handle = await inner(name);
      return {
        ...handle,
        write: (data) => {
          writes += 1;
          if (writes === 1) return handle.write(data.subarray(0, 500));
          throw Object.assign(new Error("full"), { code: "ENOSPC" });
        },
      };
    };
    for (let n = 0; n < 10; n += 1) writer.append(lineRecord(`k${n}`, 200));
    const result = await writer.flush(50);
    assert.equal(result.complete, false);
    const found = readLines(fs.readFileSync(path));
    assert.equal(found.tail, "");
    assert.deepEqual(found.keys, []);
    assert.equal(result.waiting, 10);
    faulty.openAppend = inner;
    assert.equal((await writer.flush()).complete, true);
    assert.equal(readLines(fs.readFileSync(path)).keys.length, 10);
  });
});

describe("a disk that fails for long", () => {
  test("memory stays bounded, and one gap in the right place has the count and reason of missing entries", async () => {
    const path = join(makeTempDir(), "file");
    const faulty = new FaultyFileSystem(nodeFileSystem);
    const events: FaultEvent[] = [];
    const pool = new WritePool();
    const writer = new AppendFile({
      path,
      format: lineFormat,
      fs: faulty,
      pool,
      maxQueuedBytes: 10_000,
      retryDelaysMs: [1],
      onFault: (event) => {
        events.push(event);
        throw new Error("a listener's own trouble");
      },
    });
    writer.append(lineRecord("before", 100));
    await writer.flush();
    faulty.plan = { nth: 1, times: Infinity, code: "ENOSPC" };
    for (let n = 0; n < 1000; n += 1) {
      writer.append(lineRecord(`k${n}`, 1000));
      if (n % 100 === 0) await writer.flush(5);
      assert.ok(pool.queuedBytes <= 10_000);
    }
    const failed = await writer.flush(5);
    assert.equal(failed.complete, false);
    assert.ok(failed.missing > 900);
    assert.equal(failed.waiting + failed.missing, 1000);

    faulty.plan = undefined;
    assert.equal((await writer.flush()).complete, false, "some are missing for ever");
    writer.append(lineRecord("after", 100));
    await writer.flush();
    const found = readLines(fs.readFileSync(path));
    assert.deepEqual(found.problems, []);
    const kept = found.keys.length - 2;
    assert.equal(kept + found.missing, 1000, "recorded and counted missing are what was appended");
    const firstKept = Array.from({ length: kept }, (_, n) => `k${n}`);
    assert.deepEqual(found.order, ["before", ...firstKept, found.missing, "after"]);
    assert.deepEqual(found.reasons, { ENOSPC: found.missing });
    assert.equal(pool.queuedBytes, 0);
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ["fault", "recovered"],
    );
    assert.equal(events[1]?.kind === "recovered" && events[1].missing, found.missing);
    assert.match(events[0]?.fault.message ?? "", /free some space/);
  });

  test("a new record does not start a busy loop of tries", async () => {
    const path = join(makeTempDir(), "file");
    const faulty = new FaultyFileSystem(nodeFileSystem, { nth: 1, times: Infinity });
    const writer = new AppendFile({
      path,
      format: lineFormat,
      fs: faulty,
      retryDelaysMs: [60_000],
    });
    for (let n = 0; n < 50; n += 1) {
      writer.append(lineRecord(`k${n}`));
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(faulty.faults, 1);
  });

  test("files share the memory of one pool", async () => {
    const root = makeTempDir();
    const faulty = new FaultyFileSystem(nodeFileSystem, { nth: 1, times: Infinity, code: "EIO" });
    const pool = new WritePool({ maxQueuedBytes: 50_000 });
    const files = Array.from(
      { length: 20 },
      (_, n) =>
        new AppendFile({
          path: join(root, `${n}`),
          format: lineFormat,
          fs: faulty,
          pool,
          retryDelaysMs: [1],
        }),
    );
    for (let n = 0; n < 20; n += 1) {
      for (const file of files) file.append(lineRecord(`k${n}`, 1000));
      assert.ok(pool.queuedBytes <= 50_000);
    }
    await Promise.all(files.map((file) => file.flush(5)));
    faulty.plan = undefined;
    await Promise.all(files.map((file) => file.flush()));
    let total = 0;
    for (const file of files) {
      const found = readLines(fs.readFileSync(file.path));
      assert.deepEqual(found.problems, []);
      assert.equal(found.keys.length + found.missing, 20);
      total += found.missing;
    }
    assert.ok(total > 300);
    assert.equal(pool.queuedBytes, 0);
  });

  test("no more writers run at once than the pool allows", async () => {
    const root = makeTempDir();
    const pool = new WritePool({ maxTurns: 2 });
    let [open, most] = [0, 0];
    const counting = {
      ...nodeFileSystem,
      openAppend: async (path: string) => {
        most = Math.max(most, (open += 1));
        const handle = await nodeFileSystem.openAppend(path);
        return {
          write: handle.write.bind(handle),
          read: handle.read.bind(handle),
          stat: handle.stat.bind(handle),
          truncate: handle.truncate.bind(handle),
          close: () => ((open -= 1), handle.close()),
        };
      },
    };
    const files = Array.from(
      { length: 10 },
      (_, n) => new AppendFile({ path: join(root, `${n}`), format: lineFormat, fs: counting, pool }),
    );
    for (const file of files) file.append(lineRecord("k"));
    const results = await Promise.all(files.map((file) => file.flush()));
    assert.ok(results.every(({ complete }) => complete));
    assert.equal(most, 2);
  });
});

test.skipIf(notOnLinux)(
  "a folder that the file system refuses with ENOENT is an error, not an endless loop",
  async () => {
    const path = "/proc/no-folder/deeper";
    await assert.rejects(nodeFileSystem.mkdir(path), { code: "ENOENT" });
    assert.throws(() => createFolder(path), { code: "ENOENT" });
    const made = join(makeTempDir(), "a/b/c");
    await nodeFileSystem.mkdir(made);
    await nodeFileSystem.mkdir(made);
    createFolder(join(made, "d/e"));
    assert.equal(fs.statSync(join(made, "d/e")).mode & 0o777, 0o700);
  },
);

test("several writers can create the same folder at once", async () => {
  const root = makeTempDir();
  for (let round = 0; round < 200; round += 1) {
    const paths = ["a/b/c", "a/b/d", "a/b/c", "a"].map((path) => join(root, String(round), path));
    await Promise.all(paths.map((path) => nodeFileSystem.mkdir(path)));
    for (const path of paths) assert.ok(fs.statSync(path).isDirectory());
  }
});
