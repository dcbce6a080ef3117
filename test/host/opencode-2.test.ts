/**
 * Sessions in a real host of opencode 2.x, compared with the messages that it stored. Skipped without `OPENCODE2_BIN`, the
 * path of an `opencode2` that someone has built. `KILLS=N` for another number of kills.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { findSessions } from "../../src/sessions/find-sessions.ts";
import { opencodeDatabases } from "../../src/agents/opencode/databases.ts";
import { openSqlite } from "../../src/places/sqlite-reader.ts";
import { openReadable } from "../../src/sessions/open-session.ts";
import { field, text as textIn } from "../support/host/fields.ts";
import { startModel, type ModelServer } from "../support/host/model.ts";
import { call, gate, rawCall, reasoning, refuse, text, type ModelScript } from "../support/host/model-script.ts";
import { Opencode2, OPENCODE2_BIN } from "../support/host/opencode-2.ts";
import { installPacked } from "../support/host/packed.ts";
import { createSandbox, MODEL, type Sandbox } from "../support/host/sandbox.ts";
import { eventually } from "../support/recording/eventually.ts";
import { readTranscript, transcriptsIn } from "../support/recording/recording.ts";
import { toldByParser, toldByStore } from "../support/recording/stored-2.ts";
import { shortForm } from "../support/recording/timeline-driver.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, beforeAll, describe, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { MAX_LOSS_MS } from "../crash/judge.ts";

const SCRIPTS: Record<string, ModelScript> = {
  plain: [[text("A plain answer.")]],
  second: [[text("The second answer.")]],
  tools: [
    [
      reasoning("I think."),
      text("I do four things."),
      call("shell", { command: "echo out; exit 3" }),
      call("no_such_tool", { a: 1 }),
      call("read", { path: "missing.txt" }),
      call("write", { path: "a.txt", content: "one\n" }),
    ],
    [text("Done.")],
  ],
  arguments: [[rawCall("shell", "{no json")], [text("Never said.")]],
  child: [[text("The child says hello.")]],
  parent: [
    [call("subagent", { description: "look around", prompt: "scenario:child", agent: "general" })],
    [text("The child is done.")],
  ],
  held: [[text("Begun."), call("shell", { command: "sleep 30; echo never" })], [text("Never said.")]],
  reloaded: [[text("one two three ", { pieces: 1 }), gate("reloaded"), text("four")]],
  streamed: [[text("one two three ", { pieces: 1 }), gate("streamed"), text("four")]],
  retried: ({ attempt }) => (attempt === 1 ? [refuse(500, "scripted")] : [text("After a retry.")]),
  compacted: [[call("save_conversation", { compact: true })], [text("Saved, but not summarized.")]],
  killed: ({ index }) =>
    index >= 12 ? [text("The end.")] : [call("shell", { command: `sleep 0.05; echo step ${index}` })],
  saved: [[call("save_conversation", {}), call("list_sessions", {})], [text("Saved.")]],
};

const KILLS = Number(process.env["KILLS"] ?? 4);

const PLUGINS = [[join(REPOSITORY, "dist/plugin.js"), { redact: false }]] as const;

let model: ModelServer;
let sandbox: Sandbox;
const hosts: Opencode2[] = [];

async function start(): Promise<Opencode2> {
  const host = await Opencode2.start(sandbox);
  hosts.push(host);
  return host;
}

const dataOf = (folder: string): string => join(folder, ".openfleet");

async function told(sessionID: string, path = `${sessionID}.md`, folder = sandbox.projectDir) {
  if (!existsSync(join(dataOf(folder), "transcripts", path))) return { told: [], results: [] };
  // While the host writes it, the file may be read before its header is whole.
  const { entries } = await readTranscript(dataOf(folder), path);
  const said = entries.filter(({ type }) => type !== "session_event");
  return {
    told: said.filter(({ type }) => type !== "tool_result").map(shortForm),
    results: said
      .flatMap((each) =>
        each.type === "tool_result" ? [`${each.status ?? "completed"}: ${JSON.stringify(each.input)}`] : [],
      )
      .toSorted(),
  };
}

if (OPENCODE2_BIN === undefined) {
  test.skipIf("OPENCODE2_BIN names none")("sessions of a real opencode 2.x", () => undefined);
} else {
  beforeAll(async () => {
    model = await startModel(SCRIPTS);
    sandbox = await createSandbox({
      modelURL: model.url,
      plugins: PLUGINS,
    });
  });
  afterAll(async () => {
    await Promise.all(hosts.map((host) => host.stop("SIGKILL")));
    await model.close();
    await sandbox.remove();
    removeTempDirs();
  });

  describe("a real host of opencode 2.x", () => {
    test("the transcript has everything that the host stored, including the first prompt of the process", async () => {
      const host = await start();
      for (const names of [["plain", "second"], ["tools"], ["arguments"], ["retried"], ["saved"]]) {
        const sessionID = await host.createSession(sandbox.projectDir);
        for (const name of names) await host.prompt(sessionID, `scenario:${name}`);
        const stored = toldByStore(await host.messages(sessionID));
        assert.ok(stored.told.length > 0);
        await eventually(async () => (await told(sessionID)).told.length >= stored.told.length);
        assert.deepEqual(await told(sessionID), stored, names.join());
      }
      await host.stop("SIGTERM");
    });

    test("loads a checkout by its folder, and the installed package by its name", async () => {
      const packages = join(sandbox.env["XDG_CACHE_HOME"] ?? "", "opencode/packages/opencode-transcripts");
      installPacked(join(packages, "node_modules"));
      for (const spec of [join(REPOSITORY, "server.js"), "opencode-transcripts"]) {
        await sandbox.configure([[spec, { directory: `by-${basename(spec)}`, redact: false }]]);
        const host = await start();
        const sessionID = await host.createSession(sandbox.projectDir);
        await host.prompt(sessionID, "scenario:plain");
        await host.stop("SIGTERM");
        const { entries } = await readTranscript(join(sandbox.projectDir, `by-${basename(spec)}`), `${sessionID}.md`);
        assert.deepEqual(entries.filter(({ type }) => type !== "session_event").map(shortForm), [
          "user: scenario:plain",
          "assistant: A plain answer.",
        ]);
      }
      await sandbox.configure(PLUGINS);
    });

    test("runs and records once with two copies of the package in its configuration", async () => {
      const packages = join(sandbox.env["XDG_CACHE_HOME"] ?? "", "opencode/packages/opencode-transcripts");
      if (!existsSync(packages)) installPacked(join(packages, "node_modules"));
      await sandbox.configure(["opencode-transcripts", ...PLUGINS]);
      const host = await start();
      const sessionID = await host.createSession(sandbox.projectDir);
      await host.prompt(sessionID, "scenario:saved");
      await host.prompt(sessionID, "scenario:plain");
      await host.stop("SIGTERM");
      assert.deepEqual(await told(sessionID), toldByStore(await messagesAfterwards(sessionID)));
      await sandbox.configure(PLUGINS);
    });

    test("records a subagent below its parent", async () => {
      const host = await start();
      const parentID = await host.createSession(sandbox.projectDir);
      await host.prompt(parentID, "scenario:parent");
      const [childID = ""] = await host.children(parentID);
      const stored = toldByStore(await host.messages(childID));
      assert.deepEqual(await told(childID, `${parentID}/${childID}.md`), stored);
      await host.stop("SIGTERM");
      assert.deepEqual(await told(parentID), toldByStore(await messagesAfterwards(parentID)));
    });

    for (const signal of ["SIGKILL", "SIGHUP", "SIGTERM"] as const) {
      test(`loses and repeats nothing after ${signal} during a call`, async () => {
        const host = await start();
        const sessionID = await host.createSession(sandbox.projectDir);
        await host.prompt(sessionID, "scenario:plain");
        await host.promptAsync(sessionID, "scenario:held");
        const path = join(dataOf(sandbox.projectDir), "transcripts", `${sessionID}.md`);
        await eventually(
          async () => existsSync(path) && (await told(sessionID)).told.some((line) => line.startsWith("use: ")),
        );
        await host.stop(signal);
        assert.deepEqual((await told(sessionID)).told.slice(0, 3), [
          "user: scenario:plain",
          "assistant: A plain answer.",
          "user: scenario:held",
        ]);
        const next = await start();
        await next.prompt(sessionID, "scenario:second");
        const stored = toldByStore(await next.messages(sessionID));
        await next.stop("SIGTERM");
        assert.deepEqual((await told(sessionID)).told.map(withoutMarks), stored.told.map(withoutMarks));
        assert.deepEqual((await told(sessionID)).results, stored.results);
      });
    }

    test(
      `loses nothing after ${KILLS} kills at random moments, and at most a moment of calls and results before each kill`,
      async () => {
        const sessionID = await played(await start(), "plain");
        await hosts.at(-1)?.stop("SIGTERM");
        const late: number[] = [];
        let whole = 0;
        for (let kill = 0; kill < KILLS; kill += 1) {
          const host = await start();
          const callsBefore = (await calledIn(sessionID)).length;
          await host.promptAsync(sessionID, "scenario:killed");
          while ((await calledIn(sessionID)).length < callsBefore + 1) await sleep(100);
          await sleep(Math.random() * 2_000);
          const killedMs = Date.now();
          await host.stop(kill % 2 === 0 ? "SIGKILL" : "SIGHUP");
          const written = await told(sessionID);
          const uses = written.told.filter((line) => line.startsWith("use: ")).length;
          const results = written.results.filter((line) => line.startsWith("completed: ")).length;
          const stored = await calledIn(sessionID);
          const ended = await calledIn(sessionID, "success");
          whole += stored.length + ended.length;
          for (const createdMs of [...stored.slice(uses), ...ended.slice(results)]) late.push(killedMs - createdMs);
        }
        console.log(
          `${KILLS} kills: of ${whole} calls and results, those not in the file were ${late.join() || "0"} ms old`,
        );
        // The time is on the clock, and a busy machine gives the host's process little of it.
        assert.ok(late.every((ms) => ms < 1_000) && late.filter((ms) => ms > MAX_LOSS_MS).length <= 1 + KILLS / 4);
        const next = await start();
        await next.prompt(sessionID, "scenario:second");
        const stored = toldByStore(await next.messages(sessionID));
        await next.stop("SIGTERM");
        assert.deepEqual((await told(sessionID)).told.map(withoutMarks), stored.told.map(withoutMarks));
      },
      KILLS * 60_000,
    );

    test("save_conversation with compact says that the host cannot summarize", async () => {
      const host = await start();
      const sessionID = await played(host, "compacted");
      const stored = JSON.stringify(await host.messages(sessionID));
      assert.match(stored, /Saved as .*The conversation cannot be summarized from here; run \/compact by hand\./);
      assert.doesNotMatch(stored, /"type":"compaction"/);
      await host.stop("SIGTERM");
    });

    test("two folders of one process have separate transcripts", async () => {
      const other = join(sandbox.root, "other");
      await mkdir(other);
      const host = await start();
      const ids = await Promise.all([sandbox.projectDir, other].map((folder) => host.createSession(folder)));
      await Promise.all(ids.map((id) => host.prompt(id, "scenario:plain")));
      await host.stop("SIGTERM");
      for (const [at, folder] of [sandbox.projectDir, other].entries()) {
        const [mine = "", theirs = ""] = at === 0 ? ids : ids.toReversed();
        const files = transcriptsIn(dataOf(folder));
        assert.ok(files.includes(`${mine}.md`) && !files.includes(`${theirs}.md`), files.join());
        assert.deepEqual((await told(mine, `${mine}.md`, folder)).told, [
          "user: scenario:plain",
          "assistant: A plain answer.",
        ]);
      }
    });

    test("sessions read from its database equal its export, with forks, reverts and summaries", async () => {
      const host = await start();
      const parent = await played(host, "parent", "second");
      const reverted = await played(host, "plain", "tools", "second");
      const summed = await played(host, "plain", "second");
      const fork = await host.request("POST", `/api/session/${parent}/fork`, {});
      const forked = textAt(fork, "data", "id");
      const [, , third] = (await host.messages(reverted)).filter((message) => textAt(message, "type") === "user");
      await host.request("POST", `/api/session/${reverted}/revert/stage`, { messageID: textAt(third, "id") });
      await host.request("POST", `/api/session/${summed}/compact`, {});
      await host.idle(summed, 4);
      await host.request("POST", `/api/session/${summed}/shell`, { command: "echo mine; exit 4" });
      await host.idle(summed, 5);
      const children = await host.children(parent);
      const ids = [parent, ...children, reverted, summed, forked];
      const stored = await Promise.all(ids.map((id) => host.messages(id)));
      const where = { env: sandbox.env, home: sandbox.root, cwd: sandbox.projectDir };
      const { sessions, unreadable } = await findSessions(where);
      assert.deepEqual(unreadable, []);
      for (const [at, sessionID] of ids.entries()) {
        const found = sessions.find(({ id }) => id === sessionID);
        const ref = [found, ...(found?.alternatives ?? [])].find((each) => each?.place === "opencode");
        assert.ok(ref, `${sessionID} is not found`);
        const result = await parseTranscript(sessionID, openReadable(ref));
        assert.deepEqual([result.errors, result.unknown_lines], [[], []]);
        const expected = toldByStore(stored[at] ?? []);
        assert.deepEqual(toldByParser(result), { ...expected, told: expected.told.map(withoutMarks) });
        if (children.includes(sessionID)) assert.equal(ref.parentId, parent);
      }
      await host.stop("SIGTERM");
    });

    test("records the origin of a fork, and what a committed revert removed", async () => {
      const host = await start();
      const parent = await played(host, "plain", "second");
      const forked = textAt(await host.request("POST", `/api/session/${parent}/fork`, {}), "data", "id");
      await host.prompt(forked, "scenario:plain");
      const before = await host.messages(parent);
      const last = before.findLast((message) => textAt(message, "type") === "user");
      await host.request("POST", `/api/session/${parent}/revert/stage`, { messageID: textAt(last, "id") });
      // The next prompt commits the revert, so that the number of messages is the same afterwards.
      await host.promptAsync(parent, "scenario:plain");
      await eventually(async () => JSON.stringify(await host.messages(parent)).split("A plain answer.").length === 3);
      await host.idle(parent);
      const stored = await Promise.all([parent, forked].map((id) => host.messages(id)));
      await host.stop("SIGTERM");
      const [kept, copied] = stored.map(toldByStore);
      assert.deepEqual((await told(forked)).told, copied?.told);
      const reverted = ["user: scenario:second", "assistant: The second answer."];
      assert.deepEqual((await told(parent)).told, kept?.told.toSpliced(2, 0, ...reverted));
      const events = await Promise.all([parent, forked].map(eventsOf));
      const removed = events[0]?.find(({ name }) => name === "removed");
      assert.deepEqual(
        field(removed?.data, "messageIDs"),
        before.slice(-2).map((message) => textAt(message, "id")),
      );
      const origin = events[1]?.find(({ name }) => name === "forked");
      assert.deepEqual(origin?.data, { sessionID: parent });
    });

    test("writes a text once, with its model, if plugins are reloaded in the middle of it", async () => {
      const started = join(sandbox.root, "other-started");
      const other = join(sandbox.root, "other.js");
      const noted = `require("node:fs").writeFileSync(${JSON.stringify(started)}, "")`;
      await writeFile(other, `export default { id: "other", setup: async () => { ${noted}; } };`);
      const host = await start();
      const sessionID = await host.createSession(sandbox.projectDir);
      await host.prompt(sessionID, "scenario:plain");
      await host.promptAsync(sessionID, "scenario:reloaded");
      await model.reached("reloaded");
      await sandbox.configure([...PLUGINS, other]);
      await eventually(() => existsSync(started));
      await sleep(500);
      model.open("reloaded");
      await host.idle(sessionID, 3);
      const stored = toldByStore(await host.messages(sessionID));
      await host.stop("SIGTERM");
      assert.deepEqual((await told(sessionID)).told, stored.told);
      const { raw } = await readTranscript(dataOf(sandbox.projectDir), `${sessionID}.md`);
      assert.ok(raw.every((entry) => entry.type !== "assistant" || entry.continues !== "replace"));
      const models = raw.flatMap((entry) => {
        return entry.type === "session_event" && entry.name === "usage" ? [field(entry.data, "model")] : [];
      });
      const named = `${MODEL.providerID}/${MODEL.modelID}`;
      assert.deepEqual(models, [named, named]);
      await sandbox.configure(PLUGINS);
    }, 120_000);

    test("records text that was streamed before an abort, as interrupted", async () => {
      const host = await start();
      const sessionID = await host.createSession(sandbox.projectDir);
      await host.promptAsync(sessionID, "scenario:streamed");
      await model.reached("streamed");
      await host.request("POST", `/api/session/${sessionID}/interrupt`);
      await host.idle(sessionID, 1);
      const stored = toldByStore(await host.messages(sessionID));
      await host.stop("SIGTERM");
      assert.deepEqual((await told(sessionID)).told, stored.told);
    });
  });
}

async function eventsOf(sessionID: string) {
  const { entries } = await readTranscript(dataOf(sandbox.projectDir), `${sessionID}.md`);
  return entries.filter((entry) => entry.type === "session_event");
}

/** When the calls of a session were made, or succeeded, that the host had stored in its log, in order: milliseconds since 1970. */
async function calledIn(sessionID: string, what: "called" | "success" = "called"): Promise<number[]> {
  const databases = opencodeDatabases({ env: sandbox.env, home: sandbox.root });
  const path = databases.find((each) => existsSync(each));
  const database = await openSqlite(path ?? "");
  const sql = "SELECT created FROM event WHERE aggregate_id = ? AND type LIKE ? ORDER BY seq";
  const rows = database.query(sql)(sessionID, `session.tool.${what}%`);
  database.close();
  return rows.map((row) => Number(field(row, "created")));
}

/** A new session with these prompts. */
async function played(host: Opencode2, ...names: string[]): Promise<string> {
  const sessionID = await host.createSession(sandbox.projectDir);
  for (const name of names) await host.prompt(sessionID, `scenario:${name}`);
  return sessionID;
}

const textAt = (of: unknown, ...path: string[]): string => textIn(path.reduce(field, of));

const withoutMarks = (line: string): string => line.replace(/ \((?:interrupted|append|replace)\)/g, "");

/** Returns the content of the host's store, read by a new process. */
async function messagesAfterwards(sessionID: string): Promise<unknown[]> {
  const host = await start();
  const messages = await host.messages(sessionID);
  await host.stop("SIGTERM");
  return messages;
}
