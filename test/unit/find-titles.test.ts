/** `find` and `find_in_transcripts` look through the titles of sessions. */
import assert from "node:assert/strict";
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { encodeJsonlEntry, encodeJsonlHeader, type TranscriptEntry } from "../../src/transcript/format/formats.ts";
import { at, says, SESSION, storeSession, user } from "../support/cli/claude-lines.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { machineAt } from "../support/tools/tool-calls.ts";
import { Machine, writeFakeStore } from "./sessions-machine.ts";

afterAll(removeTempDirs);

const KEY = `sk-ant-api03-${"Ab1Cd2Ef3G".repeat(9)}AA`;
const titled = (type: "ai-title" | "custom-title", title: string, id = SESSION): string =>
  `${JSON.stringify({ type, [type === "ai-title" ? "aiTitle" : "customTitle"]: title, sessionId: id })}\n`;

async function machine(): Promise<Machine> {
  const made = new Machine();
  const earlier = titled("ai-title", "Mend the pergola");
  const text = user("hello there", 0) + earlier + says("done", 5) + titled("custom-title", `Paint the Gazebo ${KEY}`);
  storeSession(made.home, text);
  // Its prompt stands in the place of a title in lists; it is found as what was said, once.
  storeSession(made.home, user("where is the gazebo", 20) + says("here", 30), { id: SESSION.replace("0a1b", "ffff") });
  const said: TranscriptEntry = { type: "user", timestamp: at(40), content: "hi", parts: [] };
  const named = { type: "session_event", timestamp: at(50), name: "title", text: "A gazebo on stilts" } as const;
  const transcript =
    encodeJsonlHeader({ version: 1, sessionID: "ses_ours" }) + encodeJsonlEntry(said) + encodeJsonlEntry(named);
  made.write(join(made.transcripts, "ses_ours.jsonl"), transcript);
  const data = { role: "user", time: { created: 1_750_000_000_000 } };
  const parts = [{ id: "prt_1", data: { type: "text", text: "hi" } }];
  await writeFakeStore(made.database, [
    { id: "ses_theirs", title: "Gazebo from the store", messages: [{ id: "msg_1", data, parts }] },
  ]);
  return made;
}

interface Row {
  session_id: string;
  line_number: number | null;
  block_type: string;
  passage: string;
  timestamp: string | null;
  open: string;
  event_id: string | null;
}

async function rows({ home, project }: Machine, ...argv: string[]): Promise<Row[]> {
  const { stdout, stderr } = await runCli(["find", ...argv, "--json"], { home, cwd: project });
  assert.doesNotMatch(stderr, /not read/);
  const found = stdout.split("\n").filter(Boolean);
  return found.map((line): Row => JSON.parse(line)).toSorted((a, b) => (a.session_id < b.session_id ? -1 : 1));
}

describe("titles of sessions", () => {
  test("are found with their lines", async () => {
    const made = await machine();
    assert.equal((await runCli(["index"], { home: made.home, cwd: made.project })).exitCode, 0);
    const found = await rows(made, "gazebo");
    assert.deepEqual(
      found.map(({ session_id, block_type, line_number }) => [session_id, block_type, line_number]),
      [
        [SESSION, "title", 4],
        [SESSION.replace("0a1b", "ffff"), "text", 1],
        ["ses_ours", "text", 3],
        ["ses_theirs", "title", null],
      ],
    );
    for (const { block_type, open, event_id } of found) {
      if (block_type !== "title") continue;
      assert.equal(event_id, null);
      assert.match(open, /^transcripts show \S+$/);
      const opened = await runCli(open.split(" ").slice(1), { home: made.home, cwd: made.project });
      assert.equal(opened.exitCode, 0, opened.stderr);
    }
    assert.match(found[0]?.passage ?? "", /^Paint the Gazebo \[REDACTED/);
    // Only the last one names the session.
    assert.deepEqual(await rows(made, "pergola"), []);
    assert.deepEqual(await rows(made, KEY.slice(20, 40)), []);
    const [named, ...others] = await rows(made, "store", "gazebo");
    assert.deepEqual([named?.session_id, named?.block_type, others.length], ["ses_theirs", "title", 0]);
  });

  test("are found in full, also if the title was given after the session was indexed", async () => {
    const made = new Machine();
    const long = `A trellis ${"of many words ".repeat(30)}and a lantern`;
    const path = storeSession(made.home, titled("ai-title", "Mend the pergola") + user("hi", 0) + says("ready", 5));
    const header = encodeJsonlHeader({ version: 1, sessionID: "ses_ours", title: "A pergola of ours" });
    const said: TranscriptEntry = { type: "user", timestamp: at(40), content: "hello", parts: [] };
    const ours = made.write(join(made.transcripts, "ses_ours.jsonl"), header + encodeJsonlEntry(said));
    for (const [text, named] of [
      ["", ""],
      [titled("custom-title", long), "A gazebo on stilts"],
      [says("more", 60), ""],
    ] as const) {
      appendFileSync(path, text);
      const event = { type: "session_event", timestamp: at(50), name: "title", text: named } as const;
      if (named !== "") appendFileSync(ours, encodeJsonlEntry(event));
      assert.equal((await runCli(["index"], { home: made.home, cwd: made.project })).exitCode, 0);
      for (const term of ["pergola", "and a lantern", "trellis", "stilts"]) await rows(made, term);
    }
    const [found] = await rows(made, "and a lantern");
    assert.deepEqual([found?.block_type, found?.line_number], ["title", 4]);
    assert.deepEqual(await rows(made, "pergola"), []);
  });

  test("obey the filters", async () => {
    const made = await machine();
    assert.equal((await runCli(["index"], { home: made.home, cwd: made.project })).exitCode, 0);
    for (const filter of [["--role", "user"], ["--role", "tool"], ["--tool", "Bash"], ["--errors"]]) {
      const found = await rows(made, "gazebo", ...filter);
      assert(
        found.every(({ block_type }) => block_type !== "title"),
        filter.join(" "),
      );
    }
    const ids = async (...filter: string[]): Promise<string[]> =>
      (await rows(made, "gazebo", "--role", "system", ...filter)).map(({ session_id }) => session_id);
    assert.deepEqual(await ids("--since", at(4)), [SESSION, "ses_ours"]);
    assert.deepEqual(await ids("--until", at(10)), [SESSION, "ses_theirs"]);
  });

  test("are returned to agents, with a call that reads the session", async () => {
    const made = await machine();
    const agent = machineAt(made.home, { XDG_DATA_HOME: join(made.home, ".local", "share") });
    const ask = async (): Promise<string> =>
      (await agent.call("find_in_transcripts", { query: "painT the gazebo" })).text;
    assert.match(await ask(), /\[4\] title.*: Paint the Gazebo \[REDACTED/);
  });

  test("are found where the file is gone", async () => {
    const made = await machine();
    const path = storeSession(made.home, user("x", 0) + titled("ai-title", "A heliotrope hedge", "b"), {
      id: "abcdabcd-1111-4222-8333-444444444444",
    });
    assert.equal((await runCli(["index"], { home: made.home, cwd: made.project })).exitCode, 0);
    rmSync(path);
    const [found] = await rows(made, "heliotrope");
    assert.equal(found?.passage, "A heliotrope hedge");
    assert.equal(found?.open, "transcripts show abcdabcd-1111-4222-8333-444444444444");
  });
});
