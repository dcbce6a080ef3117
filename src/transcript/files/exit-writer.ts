import * as fs from "node:fs";
import { dirname } from "node:path";
import { createFolder } from "../../user-folders.ts";
import { errorCode, SHORT_WRITE, WriteFault } from "./fault.ts";
import type { FileLock } from "./file-lock.ts";
import { type FileTail, fragmentLength } from "./file-tail.ts";
import { type Batch, commonLength, type FileWriter, wholeParts } from "./file-writer.ts";

/** Maximum wait at exit for an unfinished asynchronous write, in milliseconds. */
const ARRIVAL_MS = 25;
const LOCK_ATTEMPTS = 10;
/** Maximum number of bytes scanned at exit. */
const MAX_SCAN_BYTES = 16 * 1024 * 1024;

/**
 * Writes all waiting records of a writer's queue with blocking calls on the real file system. For the `exit` event,
 * when asynchronous work is over. Throws the file system's error.
 *
 * Limits: if an unfinished asynchronous write has not arrived after 25 ms, its records are written again, and are in the
 * file twice if it arrives later. If another process holds the lock for 10 ms, or if others appended more than 16 MiB
 * since this process last read the file, it appends without reading that.
 */
export function writeAtExit(writer: FileWriter): void {
  const { path, lock } = writer.options;
  createFolder(dirname(path));
  const locked = takeLock(lock);
  const fd = fs.openSync(path, "a+", 0o600);
  try {
    if (!recognize(fd, writer.tail)) writer.inFlight = undefined;
    if (writer.inFlight) awaitArrival(fd, writer, writer.inFlight);
    if (locked) learnTail(fd, writer.tail);
    writer.options.queue.report();
    const batch = writer.nextBatch(fs.fstatSync(fd).size, Infinity);
    appendAll(fd, batch.bytes);
    writer.settle(batch, batch.parts.length, locked);
  } finally {
    fs.closeSync(fd);
    if (locked) fs.rmSync(lock.path, { force: true });
  }
}

/** Blocking version of the start of a FileWriter turn. */
function recognize(fd: number, tail: FileTail): boolean {
  const file = fs.fstatSync(fd);
  const doubt = tail.doubt(file);
  if (doubt === undefined) return tail.recognize(file);
  const found = new Uint8Array(doubt.length);
  return tail.recognize(file, found.subarray(0, fs.readSync(fd, found, 0, doubt.length, doubt.position)));
}

/** Returns whether this process has the lock, possibly from the turn that the exit interrupted. */
function takeLock({ path, owner }: FileLock): boolean {
  for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt += 1) {
    try {
      if (process.platform === "win32") fs.writeFileSync(path, owner, { flag: "wx", mode: 0o600 });
      else fs.symlinkSync(owner, path);
      return true;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") return false;
    }
    if (ownerOf(path) === owner) return true;
    sleep(1);
  }
  return false;
}

function ownerOf(path: string): string | undefined {
  try {
    return process.platform === "win32" ? fs.readFileSync(path, "utf8") : fs.readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Waits for the batch of an asynchronous write, and removes the records that arrived from the queue. */
function awaitArrival(fd: number, writer: FileWriter, batch: Batch): void {
  const expected = batch.start + batch.bytes.length;
  const deadline = performance.now() + ARRIVAL_MS;
  while (fs.fstatSync(fd).size < expected && performance.now() < deadline) sleep(1);
  const onDisk = new Uint8Array(batch.bytes.length);
  const length = fs.readSync(fd, onDisk, 0, onDisk.length, batch.start);
  const count = wholeParts(batch, commonLength(batch, onDisk.subarray(0, length)));
  writer.settle(batch, count, true);
}

/** Blocking version of FileTail.catchUp, for a tail of moderate size. */
function learnTail(fd: number, tail: FileTail): void {
  const { size } = fs.fstatSync(fd);
  if (size === tail.offset || size - tail.offset > MAX_SCAN_BYTES) return;
  const bytes = new Uint8Array(size - tail.offset);
  fs.readSync(fd, bytes, 0, bytes.length, tail.offset);
  const scanner = tail.startScan();
  scanner.push(bytes);
  tail.learnKeys(scanner);
  let repair: string | undefined;
  if (scanner.validEnd < size) {
    const from = scanner.validEnd - tail.offset;
    const fragment = bytes.subarray(from, from + fragmentLength(scanner, size));
    if (tail.complete(scanner, fragment, size)) return;
    repair = tail.repairOf(scanner, fragment, size);
    fs.ftruncateSync(fd, scanner.validEnd);
  }
  tail.advance(scanner, repair);
}

function appendAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) {
    const written = fs.writeSync(fd, bytes, done);
    if (written === 0) throw new WriteFault(SHORT_WRITE, "The disk accepted no data: free some space.");
    done += written;
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
