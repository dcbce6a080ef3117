import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { updateIndex, type UpdateOptions } from "../../src/indexing/update-index.ts";
import { createRedactor } from "../../src/redact/redactor.ts";
import { openStore } from "../../src/store/open-store.ts";
import { isLeaked, labelledSets } from "../secrets/measure.ts";
import { assistant, calls, result, says, user } from "../support/cli/claude-lines.ts";
import { NO_REDACTOR } from "../support/indexing/index-fixture.ts";
import type { TranscriptEntry } from "../../src/transcript/format/formats.ts";
import { FORMATS } from "../support/parse/transcript-file.ts";
import { afterAll, describe, isLong, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { Machine, openFakeStore } from "./sessions-machine.ts";

afterAll(removeTempDirs);

const redactor = createRedactor();
const samples = labelledSets.flatMap(({ positives }) => positives);
/** Shorter ones stand in any file by chance. */
const MIN_CHARS = 12;
const PER_SESSION = 10;

interface Planted {
  text: string;
  key: string | undefined;
  secrets: string[];
}

/** Samples that the redactor knows in this place: what it misses is measured elsewhere. */
async function known(): Promise<Planted[]> {
  const results = await redactor.redact(samples.map(({ text, key }) => (key === undefined ? { text } : { text, key })));
  return samples
    .map(({ text, key, secrets }) => ({ text, key, secrets: secrets.filter(({ length }) => length >= MIN_CHARS) }))
    .filter(({ secrets }, at) => secrets.every((secret) => !isLeaked(secret, results[at]?.text ?? secret)));
}

/** Says a text in every way that a session file has. One with a key is known by that key alone. */
function lines({ text, key }: Planted, at: number): string {
  const id = `toolu_${at}`;
  const call = calls("Bash", id, { description: "d", [key ?? "command"]: text, deep: [{ [key ?? "note"]: text }] }, at);
  if (key !== undefined) return call + result(id, "done", at);
  const thinking = assistant({ blocks: [{ type: "thinking", thinking: text, signature: "s" }] }, at);
  const unknown = assistant({ blocks: [{ type: "server_tool_x", note: text }] }, at);
  const title = `${JSON.stringify({ type: "ai-title", sessionId: "s", aiTitle: text.replaceAll("\n", " ") })}\n`;
  const named = text.length > 200 ? "" : calls(text, text, {}, at);
  return (
    user(text, at) + call + result(id, text, at, at % 2 === 0) + says(text, at) + thinking + unknown + title + named
  );
}

async function machineWith(planted: readonly Planted[]): Promise<Machine> {
  const machine = new Machine();
  for (let at = 0; at < planted.length; at += PER_SESSION) {
    const some = planted.slice(at, at + PER_SESSION);
    const id = `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;
    // The last line has no end: it is written twice.
    machine.write(
      join(machine.claude, `p/${id}.jsonl`),
      some
        .map((each, place) => lines(each, at + place))
        .join("")
        .trimEnd(),
    );
  }
  const texts = planted.filter(({ key }) => key === undefined);
  const timestamp = "2026-01-05T10:30:00.000Z";
  const entries = texts.map(({ text }, at): TranscriptEntry => ({
    type: "user",
    content: text,
    parts: [],
    messageID: `msg_${at}`,
    timestamp,
  }));
  const [{ text: title } = { text: "" }] = texts;
  machine.write(
    join(machine.transcripts, "ses_1.jsonl"),
    FORMATS["jsonl"]?.text(entries, { version: 1, sessionID: "ses_1", title }) ?? "",
  );
  // The parts of one message of a person are one text.
  const messages = texts.map(({ text }, at) => ({
    id: `msg_${at}`,
    data: { role: "user" },
    parts: [{ id: `prt_${at}`, data: { type: "text", text } }],
  }));
  (await openFakeStore(machine.database, [{ id: "ses_2", title, directory: `/work/${title}`, messages }])).close();
  return machine;
}

/** Secrets whose bytes, as they are or as JSON has them, or each half of them, stand in the files of the database. */
async function leaked(planted: readonly Planted[], options: UpdateOptions): Promise<string[]> {
  const machine = await machineWith(planted);
  const path = join(makeTempDir(), "transcripts.db");
  const store = await openStore({ env: { TRANSCRIPTS_DATABASE: path }, home: machine.home });
  await updateIndex(store, machine.where, options);
  const files = ["", "-wal", "-shm"].map((suffix) => path + suffix).filter((file) => existsSync(file));
  assert.ok(files.length > 1, "the log is not there while the database is open");
  const bytes = Buffer.concat(files.map((file) => readFileSync(file)));
  const sessions = await store.sessions();
  await store.close();
  const all = Buffer.concat([bytes, readFileSync(path)]).toString("latin1");
  assert.equal(sessions.length, Math.ceil(planted.length / PER_SESSION) + 2);
  return planted
    .flatMap(({ secrets }) => secrets)
    .filter((secret) => {
      const half = Math.ceil(secret.length / 2);
      const pieces = secret.length < 32 ? [secret] : [secret, secret.slice(0, half), secret.slice(half)];
      const forms = pieces.flatMap((piece) => [piece, JSON.stringify(piece).slice(1, -1)]);
      return forms.some((form) => all.includes(Buffer.from(form).toString("latin1")));
    });
}

describe("the bytes of the database", () => {
  test("have no secret that the redactor knows, whichever way it came in", async () => {
    const planted = await known();
    assert.ok(planted.length > 200, `only ${planted.length} samples`);
    assert.deepEqual(await leaked(planted, { redactor }), []);
    // That the search finds secrets, some show.
    const some = planted.filter((_, at) => isLong || at % 4 === 0);
    const without = await leaked(some, { redactor: NO_REDACTOR });
    console.log(`${planted.length} samples; of ${some.length}, ${without.length} secrets are found without redaction`);
    assert.ok(without.length > some.length * 0.8);
  });

  test("have a password that only its key identifies", async () => {
    const planted = [{ text: "Tr0ub4dor-and-3-more", key: "password", secrets: ["Tr0ub4dor-and-3-more"] }];
    assert.deepEqual(await leaked(planted, { redactor }), []);
  });

  test("have no token that is part of a call's id", async () => {
    const token = `ghp_${"k3Vt9QzLm2XbR7Ws".repeat(3).slice(0, 36)}`;
    assert.deepEqual(await leaked([{ text: `call-${token}`, key: undefined, secrets: [token] }], { redactor }), []);
  });

  test("ids of calls and sessions, and times, are not changed", async () => {
    const machine = new Machine();
    const id = "toolu_01Ld2AzRRtpX28MuPRGiC8jn";
    machine.write(
      join(machine.claude, "p/0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f.jsonl"),
      calls("Bash", id, {}, 1) + result(id, "x", 2),
    );
    const store = await openStore({ env: { TRANSCRIPTS_DATABASE: join(makeTempDir(), "t.db") }, home: machine.home });
    await updateIndex(store, machine.where, { redactor });
    const events = await store.events("0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f", { from: 0, limit: 9 });
    assert.deepEqual(
      events.map(({ tool_use_id, tool_name }) => [tool_use_id, tool_name]),
      [
        [id, "Bash"],
        [id, "Bash"],
      ],
    );
    await store.close();
  });
});
