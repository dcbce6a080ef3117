/** Standard output without a stream: nothing is lost and nothing is said twice, whoever reads. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, createWriteStream, constants, openSync, readFileSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { TranscriptsError } from "../../src/transcripts-error.ts";
import { ClosedOutput } from "../../src/cli/io.ts";
import { outputOn } from "../../src/cli/process-output.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

/** More than any pipe holds, of characters that take several bytes. */
const LONG = "語🙂 and so on\n".repeat(40_000);

class Kept extends Writable {
  readonly chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(chunk);
    done();
  }
}

function refused(): never {
  throw new Error("no stream is needed");
}

/** Both ends of a pipe that does not wait. */
function pipe(): { reader: number; writer: number } {
  const path = join(makeTempDir(), "pipe");
  execFileSync("sh", ["-c", `mkfifo "$0"`, path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, writer: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK) };
}

function readAll(descriptor: number): Buffer {
  const pieces: Buffer[] = [];
  for (;;) {
    const piece = Buffer.alloc(1 << 16);
    const length = readSync(descriptor, piece);
    if (length === 0) return Buffer.concat(pieces);
    pieces.push(piece.subarray(0, length));
  }
}

describe("standard output", () => {
  test("a file gets all of it", async () => {
    const path = join(makeTempDir(), "out");
    writeFileSync(path, "");
    const descriptor = openSync(path, "w");
    const output = outputOn(descriptor, refused);
    await output.write(LONG);
    await output.write("end");
    closeSync(descriptor);
    assert.equal(readFileSync(path, "utf8"), `${LONG}end`);
    assert.equal(output.isTerminal, false);
    assert.equal(output.columns, undefined);
  });

  if (process.platform === "win32") return;

  test("a full disk is reported in a sentence", async () => {
    if (process.platform !== "linux") return;
    const descriptor = openSync("/dev/full", "w");
    const output = outputOn(descriptor, () => createWriteStream("", { fd: descriptor, autoClose: false }));
    await assert.rejects(
      output.write("more than fits"),
      (error) =>
        error instanceof TranscriptsError &&
        /No space left on device: output is incomplete.*Free some space/.test(error.message),
    );
    closeSync(descriptor);
  });

  test("a full pipe continues as a stream from that point", async () => {
    const { reader, writer } = pipe();
    const stream = new Kept();
    const output = outputOn(writer, () => stream);
    await output.write("begin\n");
    assert.equal(stream.chunks.length, 0);
    await output.write(LONG);
    await output.write("end");
    closeSync(writer);
    const direct = readAll(reader);
    closeSync(reader);
    assert.ok(direct.length > 1_000, "some of it went without a stream");
    assert.equal(Buffer.concat([direct, ...stream.chunks]).toString("utf8"), `begin\n${LONG}end`);
  });

  test("a reader that closed the pipe is reported as such", async () => {
    const { reader, writer } = pipe();
    const output = outputOn(writer, refused);
    closeSync(reader);
    await assert.rejects(output.write("nobody reads this"), ClosedOutput);
    closeSync(writer);
  });
});
