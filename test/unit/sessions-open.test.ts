import assert from "node:assert/strict";
import { appendFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { FileHandle } from "../../src/transcript/files/file-system.ts";
import { fileRef } from "../../src/sessions/file-ref.ts";
import { type OpenOptions } from "../../src/sessions/open-session.ts";
import { sessionBytes } from "../../src/places/session-bytes.ts";
import { outputReader } from "../../src/agents/transcripts/read-kept-files.ts";
import { resolveSession } from "../../src/sessions/resolve-session.ts";
import { nodeSessionFiles } from "../../src/places/session-files.ts";
import { type SessionRef, sessionRef } from "../../src/places/session-ref.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { filesWith, Machine, systemError } from "./sessions-machine.ts";
import { isSessionError } from "../../src/transcripts-error.ts";

afterAll(removeTempDirs);

async function chunksOf(ref: SessionRef, options: OpenOptions = {}): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of sessionBytes(ref, options)) chunks.push(chunk);
  return chunks;
}

async function textOf(ref: SessionRef, options: OpenOptions = {}): Promise<string> {
  return Buffer.concat(await chunksOf(ref, options)).toString();
}

const refTo = (path: string): SessionRef => sessionRef({ id: "s", place: "file", agent: null, path, bytes: 1 });
const isCode = (code: string) => (error: unknown) => isSessionError(error) && error.code === code;

describe("files", () => {
  test("come in chunks that keep their content", async () => {
    const path = join(makeTempDir(), "s.jsonl");
    const text = Array.from({ length: 1000 }, (_, i) => `line ${i}\n`).join("");
    writeFileSync(path, text);
    const chunks = await chunksOf(refTo(path), { chunkBytes: 64 });
    assert.equal(chunks.length, Math.ceil(text.length / 64));
    assert.ok(chunks.every((chunk) => chunk.byteLength <= 64));
    assert.equal(Buffer.concat(chunks).toString(), text);
  });

  test("an empty one has no chunks", async () => {
    const path = join(makeTempDir(), "s.jsonl");
    writeFileSync(path, "");
    assert.deepEqual(await chunksOf(refTo(path)), []);
  });

  test("one that grows is read to the end that it then has", async () => {
    const path = join(makeTempDir(), "s.jsonl");
    writeFileSync(path, "a".repeat(30));
    let text = "";
    for await (const chunk of sessionBytes(refTo(path), { chunkBytes: 10 })) {
      if (text === "") appendFileSync(path, "b".repeat(10));
      text += Buffer.from(chunk).toString();
    }
    assert.equal(text, "a".repeat(30) + "b".repeat(10));
  });

  test("one that went away, a folder, one that may not be read", async () => {
    const folder = makeTempDir();
    await assert.rejects(chunksOf(refTo(join(folder, "none"))), isCode("gone"));
    await assert.rejects(chunksOf(refTo(folder)), isCode("unreadable"));
    const files = filesWith({
      openRead: async () => {
        throw systemError("EACCES");
      },
    });
    await assert.rejects(chunksOf(refTo("/x"), { files }), {
      code: "unreadable",
      path: "/x",
      message: "Session s cannot be read: /x: permission denied. Run `transcripts doctor` to see what can be read.",
    });
  });

  test("an error on the way comes when its chunk is asked for, not before", async () => {
    let closed = 0;
    const files = filesWith({ openRead: async () => brokenHandle(() => (closed += 1)) });
    const chunks = sessionBytes(refTo("/x"), { files, chunkBytes: 4 });
    assert.equal((await chunks.next()).done, false);
    // The next chunk has failed by now: nobody may take that for an error that nobody handles.
    await sleep(5);
    await assert.rejects(chunks.next(), isCode("unreadable"));
    assert.equal(closed, 1);
  });

  test("a reader that stops early closes the file", async () => {
    let closed = 0;
    const files = filesWith({ openRead: async () => brokenHandle(() => (closed += 1)) });
    for await (const chunk of sessionBytes(refTo("/x"), { files, chunkBytes: 4 })) {
      assert.equal(chunk.byteLength, 4);
      break;
    }
    assert.equal(closed, 1);
  });
});

/** Gives one chunk and then fails. */
function brokenHandle(onClose: () => void): FileHandle {
  const refuse = (): never => assert.fail("not for reading");
  return {
    read: async (position, length) => {
      if (position > 0) throw systemError("EIO");
      return new Uint8Array(length);
    },
    close: async () => onClose(),
    write: refuse,
    stat: refuse,
    truncate: refuse,
  };
}

test("standard input", async () => {
  const ref = await resolveSession("-", new Machine().where);
  const stdin = (async function* () {
    yield Buffer.from("one ");
    yield Buffer.from("two");
  })();
  assert.equal(await textOf(ref, { stdin }), "one two");
  await assert.rejects(chunksOf(ref), isCode("unreadable"));
});

describe("outputs of a transcript", () => {
  async function reader(path: string): Promise<(path: string) => Promise<string | undefined>> {
    const read = outputReader(await fileRef(path));
    assert.ok(read);
    return read;
  }

  test("are read from the transcripts folder, also for a child", async () => {
    const machine = new Machine();
    const parent = machine.transcript("ses_1.md", "ses_1");
    const child = machine.transcript("ses_1/ses_2.md", "ses_2", { parentID: "ses_1" });
    machine.write(join(machine.transcripts, "ses_1/outputs/call_1.txt"), "\ufeffwhole ü");
    machine.write(join(machine.transcripts, "ses_2/outputs/call-2.txt"), "");
    assert.equal(await (await reader(parent))("ses_1/outputs/call_1.txt"), "\ufeffwhole ü");
    assert.equal(await (await reader(child))("ses_2/outputs/call-2.txt"), "");
    assert.equal(await (await reader(child))("ses_2/outputs/none.txt"), undefined);
  });

  test("are never read from elsewhere", async () => {
    const machine = new Machine();
    const path = machine.transcript("ses_1.md", "ses_1");
    const secret = machine.write(join(machine.project, "secret.txt"), "secret");
    machine.write(join(machine.transcripts, "ses_1/outputs/a.txt"), "fine");
    symlinkSync(secret, join(machine.transcripts, "ses_1/outputs/link.txt"));
    symlinkSync(machine.project, join(machine.transcripts, "outside"));
    machine.write(join(machine.project, "outputs/b.txt"), "secret");
    const read = await reader(path);
    assert.equal(await read("ses_1/outputs/a.txt"), "fine");
    for (const bad of [
      "../../secret.txt",
      secret,
      "ses_1/outputs/../outputs/a.txt",
      "ses_1/outputs/link.txt",
      "outside/outputs/b.txt",
      "..\\outputs\\b.txt",
      "ses_1/outputs/a.txt\0",
      "",
    ]) {
      assert.equal(await read(bad), undefined, bad);
    }
  });

  test("that cannot be read are an error, not missing", async () => {
    const machine = new Machine();
    const ref = await fileRef(machine.transcript("ses_1.md", "ses_1"));
    machine.write(join(machine.transcripts, "ses_1/outputs/a.txt"), "fine");
    const openRead = async (): Promise<never> => {
      throw systemError("EACCES");
    };
    const read = outputReader(ref, { ...nodeSessionFiles, openRead });
    await assert.rejects(async () => read?.("ses_1/outputs/a.txt"), isCode("unreadable"));
  });

  test("a transcript that was copied alone finds none", async () => {
    const machine = new Machine();
    const path = machine.transcript("../../downloads/alone.md", "ses_2", { parentID: "ses_1" });
    machine.write(join(machine.project, "ses_2/outputs/a.txt"), "not its");
    const read = await reader(path);
    assert.equal(await read("ses_2/outputs/a.txt"), undefined);
  });
});
