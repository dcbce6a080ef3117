import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppendFile } from "../../src/transcript/files/append-file.ts";
import { FileLock, newLockOwner, ownerIsGone } from "../../src/transcript/files/file-lock.ts";
import { nodeFileSystem } from "../../src/transcript/files/node-file-system.ts";
import { FaultyFileSystem } from "../support/faulty-file-system.ts";
import { lineFormat, lineRecord, readLines } from "../support/line-format.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const deadPid = spawnSync(process.execPath, ["--version"]).pid;
const deadOwner = `${deadPid}.abc.1.${hostname()}`;

function lockIn(folder: string, now?: () => number): FileLock {
  return new FileLock(nodeFileSystem, join(folder, "lock"), now);
}

describe("FileLock", () => {
  test("two processes cannot hold the lock", async () => {
    const folder = makeTempDir();
    const [one, two] = [lockIn(folder), lockIn(folder)];
    assert.equal(await one.tryAcquire(), true);
    assert.equal(await two.tryAcquire(), false);
    await one.release();
    assert.equal(await two.tryAcquire(), true);
    assert.equal(await one.isHeld(), false);
    await two.release();
    assert.deepEqual(fs.readdirSync(folder), []);
  });

  test("the lock of a process that is gone is free at once", async () => {
    const folder = makeTempDir();
    await nodeFileSystem.createMarker(join(folder, "lock"), deadOwner);
    assert.equal(await lockIn(folder).tryAcquire(), true);
    assert.deepEqual(fs.readdirSync(folder), ["lock"]);
  });

  test("the lock of a live process is taken over only after the whole waiting time", async () => {
    const folder = makeTempDir();
    let now = 0;
    const [holder, waiter] = [lockIn(folder), lockIn(folder, () => now)];
    await holder.tryAcquire();
    assert.equal(await waiter.tryAcquire(), false);
    now = 4_999;
    assert.equal(await waiter.tryAcquire(), false);
    await holder.release();
    await holder.tryAcquire();
    now = 9_998;
    assert.equal(await waiter.tryAcquire(), false, "another lock: its time begins anew");
    now = 14_998;
    assert.equal(await waiter.tryAcquire(), true);
  });

  test("an owner whose lock was taken over leaves the new lock alone", async () => {
    const folder = makeTempDir();
    let now = 0;
    const clock = () => now;
    const [slow, waiter] = [lockIn(folder, clock), lockIn(folder, clock)];
    await slow.tryAcquire();
    await waiter.tryAcquire();
    now = 6_000;
    assert.equal(await waiter.tryAcquire(), true);
    assert.equal(slow.isFresh, false);
    assert.equal(await slow.isHeld(), false);
    await slow.release();
    assert.equal(await waiter.isHeld(), true);
  });

  test("of many waiters on a stale lock one gets it", async () => {
    for (let round = 0; round < 50; round += 1) {
      const folder = makeTempDir();
      await nodeFileSystem.createMarker(join(folder, "lock"), deadOwner);
      const locks = Array.from({ length: 8 }, () => lockIn(folder));
      const got = await Promise.all(locks.map((lock) => lock.tryAcquire()));
      assert.ok(got.filter(Boolean).length <= 1);
      const again = await Promise.all(locks.filter((_, n) => !got[n]).map((lock) => lock.tryAcquire()));
      assert.equal([...got, ...again].filter(Boolean).length, 1);
      assert.deepEqual(fs.readdirSync(folder), ["lock"], "no permit is left");
    }
  });

  test("a waiter that dies while taking over a lock blocks nobody", async () => {
    const folder = makeTempDir();
    const permit = join(folder, `lock.${deadPid}-abc-1`);
    await nodeFileSystem.createMarker(join(folder, "lock"), deadOwner);
    await nodeFileSystem.createMarker(permit, deadOwner);
    await nodeFileSystem.createMarker(`${permit}.${deadPid}-abc-1`, deadOwner);
    assert.equal(await lockIn(folder).tryAcquire(), true);
    assert.equal(fs.existsSync(permit), false);
  });

  test("recognizes its own lock if creating or removing it was reported as failed", async () => {
    const folder = makeTempDir();
    const faulty = new FaultyFileSystem(nodeFileSystem, { nth: 1, how: "after" });
    const lock = new FileLock(faulty, join(folder, "lock"));
    await assert.rejects(lock.tryAcquire());
    assert.equal(await lock.tryAcquire(), true);
    faulty.plan = { nth: 1 };
    assert.equal(await lock.release(), false);
    assert.equal(await lock.tryAcquire(), true);
    assert.equal(await lock.release(), true);
    assert.deepEqual(fs.readdirSync(folder), []);
  });

  test("a process of another machine counts as alive", () => {
    const [own, other] = [newLockOwner(), newLockOwner()];
    assert.notEqual(own, other);
    assert.equal(ownerIsGone(own), false);
    assert.equal(ownerIsGone(deadOwner), true);
    assert.equal(ownerIsGone(`${deadOwner}.example`), false);
    for (const odd of ["", "x", "0.a.1.h", `-1.a.1.${hostname()}`]) assert.equal(ownerIsGone(odd), false);
  });

  test("uses a file where symbolic links are not supported", async () => {
    const path = join(makeTempDir(), "marker");
    fs.writeFileSync(path, "text");
    assert.equal(await nodeFileSystem.readMarker(path), "text");
    await assert.rejects(nodeFileSystem.createMarker(path, "other"), { code: "EEXIST" });
    await assert.rejects(nodeFileSystem.readMarker(`${path}2`), { code: "ENOENT" });
  });
});

describe("AppendFile without the lock", () => {
  test("waits, and repairs no torn tail meanwhile", async () => {
    const path = join(makeTempDir(), "file");
    const before = `${lineFormat.header()}{"key":"somebody is writing th`;
    fs.writeFileSync(path, before);
    const holder = new FileLock(nodeFileSystem, `${path}.lock`);
    await holder.tryAcquire();
    const file = new AppendFile({ path, format: lineFormat });
    file.append(lineRecord("a"));
    assert.equal((await file.flush(100)).complete, false);
    assert.equal(fs.readFileSync(path, "utf8"), before);
    await holder.release();
    assert.equal((await file.flush()).complete, true);
    assert.deepEqual(readLines(fs.readFileSync(path)).keys, ["a"]);
  });

  test("rereads the file if another process may have written meanwhile", async () => {
    const path = join(makeTempDir(), "file");
    let writes = 0;
    const slow = {
      ...nodeFileSystem,
      openAppend: async (name: string) => {
        const handle = await nodeFileSystem.openAppend(name);
        const write = async (data: Uint8Array) => {
          writes += 1;
          if (writes === 2) {
            await sleep(2_600); // long enough for others to take the lock soon
            fs.appendFileSync(path, lineRecord("x").data);
          }
          return handle.write(data);
        };
        return {
          write,
          read: handle.read.bind(handle),
          stat: () => handle.stat(),
          truncate: handle.truncate.bind(handle),
          close: () => handle.close(),
        };
      },
    };
    const file = new AppendFile({ path, format: lineFormat, fs: slow });
    file.append(lineRecord("a"));
    await file.flush();
    file.append(lineRecord("b"));
    await file.flush();
    for (const key of ["x", "b", "c"]) file.append(lineRecord(key));
    assert.equal((await file.flush()).complete, true);
    const found = readLines(fs.readFileSync(path));
    assert.deepEqual(found.keys, ["a", "x", "b", "c"]);
    assert.deepEqual(found.problems, []);
  });
});
