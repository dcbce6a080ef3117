import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { AppendFile, type AppendFileOptions } from "../../src/transcript/files/append-file.ts";
import { nodeFileSystem } from "../../src/transcript/files/node-file-system.ts";
import { FaultyFileSystem } from "../support/faulty-file-system.ts";
import { lineFormat, lineRecord, readLines } from "../support/line-format.ts";
import { onWindows } from "../support/machine.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

function open(path: string, options: Partial<AppendFileOptions> = {}): AppendFile {
  return new AppendFile({ path, format: lineFormat, ...options });
}

async function appendAll(path: string, keys: string[]): Promise<AppendFile> {
  const file = open(path);
  for (const key of keys) file.append(lineRecord(key));
  assert.equal((await file.flush()).complete, true);
  return file;
}

const read = (path: string) => readLines(fs.readFileSync(path));
const mode = (path: string): number => fs.statSync(path).mode & 0o777;

afterAll(removeTempDirs);

describe("AppendFile", () => {
  test("writes a header once and the records in order", async () => {
    const path = join(makeTempDir(), "a", "b", "file.jsonl");
    const file = open(path);
    const keys = Array.from({ length: 500 }, (_, n) => `k${n}`);
    for (const [n, key] of keys.entries()) {
      file.append(lineRecord(key));
      if (n % 100 === 99) assert.equal((await file.flush()).complete, true);
    }
    const found = read(path);
    assert.deepEqual(found.keys, keys);
    assert.deepEqual(found.problems, []);
    assert.equal(found.tail, "");
  });

  test.skipIf(onWindows)("creates files 0600 and folders 0700, and leaves no lock", async () => {
    const root = makeTempDir();
    const umask = process.umask(0);
    try {
      await appendAll(join(root, "a", "b", "file"), ["k"]);
    } finally {
      process.umask(umask);
    }
    assert.equal(mode(join(root, "a")), 0o700);
    assert.equal(mode(join(root, "a", "b")), 0o700);
    assert.equal(mode(join(root, "a", "b", "file")), 0o600);
    assert.deepEqual(fs.readdirSync(join(root, "a", "b")), ["file"]);
  });

  test("starts to write without a flush", async () => {
    const path = join(makeTempDir(), "file");
    const file = open(path);
    file.append(lineRecord("k"));
    while (file.waiting > 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(read(path).keys, ["k"]);
  });

  test("continues a file that another object wrote, and skips entries already in it", async () => {
    const path = join(makeTempDir(), "file");
    await appendAll(path, ["a", "b"]);
    await appendAll(path, ["b", "c", "a", "c", "d"]);
    const found = read(path);
    assert.deepEqual(found.keys, ["a", "b", "c", "d"]);
    assert.deepEqual(found.problems, []);
  });

  test("reads an existing file ahead of the first record, and makes none", async () => {
    const root = makeTempDir();
    const path = join(root, "file");
    await appendAll(path, ["a", "b"]);
    fs.appendFileSync(path, `{"key":"torn`);
    const calls: string[] = [];
    const counting = new FaultyFileSystem(nodeFileSystem);
    const file = open(path, { fs: counting });
    void file.prepare();
    while (!counting.calls.includes("handle.close")) await new Promise((resolve) => setImmediate(resolve));
    calls.push(...counting.calls.splice(0));
    assert.deepEqual(calls, ["openRead", "handle.stat", "handle.read", "handle.read", "handle.close"]);
    for (const key of ["b", "c"]) file.append(lineRecord(key));
    await file.flush();
    assert.deepEqual(read(path).keys, ["a", "b", "c"]);
    assert.equal(read(path).torn[0]?.text, `{"key":"torn`);
    assert.deepEqual(read(path).problems, []);

    const fresh = open(join(root, "none"));
    void fresh.prepare();
    await fresh.flush();
    assert.deepEqual(fs.readdirSync(root), ["file"]);
  });

  test("learns keys that another object appended while both are open", async () => {
    const path = join(makeTempDir(), "file");
    const [one, two] = [open(path), open(path)];
    for (const key of ["a", "b", "c", "d"]) {
      one.append(lineRecord(key));
      await one.flush();
      two.append(lineRecord(key));
      two.append(lineRecord(`${key}2`));
      await two.flush();
    }
    assert.deepEqual(read(path).keys, ["a", "a2", "b", "b2", "c", "c2", "d", "d2"]);
    assert.deepEqual(read(path).problems, []);
  });

  test("writes a record without a key every time", async () => {
    const path = join(makeTempDir(), "file");
    const file = open(path);
    const { data } = lineRecord("same");
    file.append({ data });
    file.append({ data });
    await file.flush();
    assert.equal(read(path).keys.length, 2);
  });

  test("writes records of 10 MB whole", async () => {
    const path = join(makeTempDir(), "file");
    const file = open(path);
    for (const key of ["a", "b", "c"]) file.append(lineRecord(key, key === "b" ? 10_000_000 : 10));
    assert.equal((await file.flush(30_000)).complete, true);
    assert.deepEqual(read(path).keys, ["a", "b", "c"]);
    assert.ok(fs.statSync(path).size > 10_000_000);
  });

  test("writes a burst of 20 MB without losing any", async () => {
    const path = join(makeTempDir(), "file");
    const counting = new FaultyFileSystem(nodeFileSystem);
    const file = open(path, { fs: counting });
    const keys = Array.from({ length: 200 }, (_, n) => `k${n}`);
    for (const key of keys) file.append(lineRecord(key, 100_000));
    assert.equal((await file.flush(30_000)).complete, true);
    assert.deepEqual(read(path).keys, keys);
    assert.ok(counting.calls.filter((name) => name === "handle.write").length > 10, "in batches");
  });

  test("does not join lone surrogates of two records", async () => {
    const path = join(makeTempDir(), "file");
    const file = open(path);
    file.append({ data: "a\ud83d" });
    file.append({ data: "\ude00b\n" });
    await file.flush();
    assert.equal(fs.readFileSync(path, "utf8"), `{"header":1}\na\ufffd\ufffdb\n`);
  });

  test("recreates a file that was removed, and its folder", async () => {
    const root = makeTempDir();
    const path = join(root, "sub", "file");
    const file = open(path);
    file.append(lineRecord("a"));
    await file.flush();
    fs.rmSync(join(root, "sub"), { recursive: true });
    for (const key of ["a", "b"]) file.append(lineRecord(key));
    assert.equal((await file.flush()).complete, true);
    assert.deepEqual(read(path).keys, ["a", "b"], "a is written again: it no longer stands there");
    assert.deepEqual(read(path).problems, []);
  });

  test("starts over in a file that was emptied", async () => {
    const path = join(makeTempDir(), "file");
    const file = open(path);
    for (const key of ["a", "b"]) file.append(lineRecord(key));
    await file.flush();
    fs.truncateSync(path, 0);
    file.append(lineRecord("a"));
    await file.flush();
    assert.deepEqual(read(path), { ...read(path), keys: ["a"], problems: [] });
  });

  test("reads a file that was replaced by a longer one", async () => {
    const root = makeTempDir();
    const path = join(root, "file");
    const file = open(path);
    file.append(lineRecord("a"));
    await file.flush();
    await appendAll(join(root, "other"), ["x", "y", "z"]);
    fs.renameSync(join(root, "other"), path);
    for (const key of ["y", "a"]) file.append(lineRecord(key));
    await file.flush();
    assert.deepEqual(read(path).keys, ["x", "y", "z", "a"]);
    assert.deepEqual(read(path).problems, []);
  });

  test("does not touch a large file that is not a transcript, and reports it", async () => {
    const root = makeTempDir();
    const path = join(root, "file");
    const foreign = "no line end ".repeat(10_000);
    fs.writeFileSync(path, foreign);
    const faults: string[] = [];
    const file = open(path, {
      onFault: (event) => faults.push(`${event.kind} ${event.fault.code}`),
    });
    file.append(lineRecord("a"));
    assert.equal((await file.flush(50)).complete, false);
    assert.equal(fs.readFileSync(path, "utf8"), foreign);
    assert.deepEqual(faults, ["fault NOT_OURS"]);
    fs.rmSync(path);
    assert.equal((await file.flush()).complete, true);
    assert.deepEqual(read(path).keys, ["a"]);
  });
});

describe("a torn tail", () => {
  test("is repaired before the next record, at every cut point of a file", async () => {
    const root = makeTempDir();
    const whole = join(root, "whole");
    await appendAll(whole, ["a", "bé", "c"]);
    const bytes = fs.readFileSync(whole);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const path = join(root, `cut-${cut}`);
      fs.writeFileSync(path, bytes.subarray(0, cut));
      const before = readLines(bytes.subarray(0, cut));
      await appendAll(path, ["a", "bé", "c", "d"]);
      const after = read(path);
      assert.deepEqual(after.keys, ["a", "bé", "c", "d"], `cut at ${cut}`);
      assert.deepEqual(after.problems, [], `cut at ${cut}`);
      assert.equal(after.tail, "");
      const torn = before.tail === "" ? [] : [before.tail];
      assert.deepEqual(
        after.torn.map(({ text }) => text),
        torn,
        `cut at ${cut}`,
      );
    }
  });

  test("that is very long is kept in part, with its size", async () => {
    const path = join(makeTempDir(), "file");
    await appendAll(path, ["a"]);
    fs.appendFileSync(path, `{"key":"b${"x".repeat(17 * 1024 * 1024)}`);
    await appendAll(path, ["c"]);
    const found = read(path);
    assert.deepEqual(found.keys, ["a", "c"]);
    assert.equal(found.torn[0]?.bytes, 17 * 1024 * 1024 + 9);
    assert.equal(found.torn[0]?.text.length, 128 * 1024);
    assert.equal(found.torn.length, 1);
  });
});
