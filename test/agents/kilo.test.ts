/**
 * The plugin in the real Kilo CLI, compared with what `kilo export` prints; and Kilo's database, read while it is there.
 * Needs `dist/` and `npm install --prefix test/agents`; skipped without.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findSessions } from "../../src/sessions/find-sessions.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { parseExport } from "../support/host/export.ts";
import { startModel, type ModelServer } from "../support/host/model.ts";
import { call, text } from "../support/host/model-script.ts";
import { compareWithExport } from "../support/host/oracle.ts";
import { spawnProgram, type Finished } from "../support/host/process.ts";
import { readRecorded } from "../support/host/recorded.ts";
import { createSandbox, type Sandbox } from "../support/host/sandbox.ts";
import { compareUsage } from "../support/host/usage-oracle.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, beforeAll, describe, test } from "../support/runner.ts";
import { exportedFrom } from "../unit/sessions-machine.ts";

const KILO = join(REPOSITORY, "test/agents/node_modules/.bin/kilo");
const ENV = {
  KILO_DISABLE_MODELS_FETCH: "1",
  KILO_DISABLE_AUTOUPDATE: "1",
  KILO_DISABLE_DEFAULT_PLUGINS: "1",
  KILO_DISABLE_LSP_DOWNLOAD: "1",
  KILO_DISABLE_SESSION_INGEST: "1",
  KILO_DISABLE_SHARE: "1",
};

const SCRIPTS = {
  kilo: [
    [
      text("I do three things."),
      call("bash", { command: "echo out; exit 3", description: "fails" }),
      call("no_such_tool", { a: 1 }),
      call("write", { filePath: "a.txt", content: "one\n" }),
    ],
    [call("task", { description: "look around", prompt: "scenario:child", subagent_type: "general" })],
    [text("Done.")],
  ],
  child: [[text("The child says hello.")]],
  again: [[text("Said later.")]],
};

let model: ModelServer;
let sandbox: Sandbox;

function kilo(...args: string[]): Promise<Finished> {
  const env = { ...sandbox.env, ...ENV };
  return spawnProgram(KILO, args, { cwd: sandbox.projectDir, env }).finished;
}

async function exported(sessionID: string): Promise<string> {
  const { code, stdout, stderr } = await kilo("export", sessionID);
  assert.equal(code, 0, stderr);
  return stdout;
}

/** Kilo's export leaves out copies of what a call changed. */
const withoutDiffs = (json: string): unknown =>
  JSON.parse(json, (key, value: unknown) => (key === "diff" ? undefined : value));

const pathsOf = ({ env }: Sandbox): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));

if (!existsSync(KILO)) {
  test.skipIf("npm install --prefix test/agents installs it")("sessions of Kilo", () => undefined);
} else {
  beforeAll(async () => {
    model = await startModel(SCRIPTS);
    sandbox = await createSandbox({ modelURL: model.url });
    const config = join(sandbox.env["XDG_CONFIG_HOME"] ?? "", "opencode/opencode.json");
    const { plugin: _, ...shared } = JSON.parse(await readFile(config, "utf8"));
    const own = { ...shared, $schema: "https://app.kilo.ai/config.json", plugin: [[REPOSITORY, { format: "both" }]] };
    await writeFile(join(sandbox.projectDir, "kilo.json"), JSON.stringify(own));
  });
  afterAll(async () => {
    await model.close();
    if (process.env["KEEP_SANDBOX"] === undefined) await sandbox.remove();
    else console.log(sandbox.root);
  });

  describe("Kilo", () => {
    test("records with the plugin what it exports, subagents and a resumed session too, and is read from its database", async () => {
      const first = await kilo("run", "--auto", "--format", "json", "scenario:kilo please");
      assert.equal(first.code, 0, first.stderr);
      const sessionID = /"sessionID":"(ses_\w+)"/.exec(first.stdout)?.[1] ?? "";
      const second = await kilo("run", "--auto", "--session", sessionID, "scenario:again please");
      assert.equal(second.code, 0, second.stderr);
      const where = { env: sandbox.env, home: sandbox.root, cwd: sandbox.projectDir };
      const { sessions, unreadable } = await findSessions(where);
      assert.deepEqual(unreadable, []);
      assert.deepEqual(
        sessions
          .map(({ id, parentId }) => (id === sessionID ? "parent" : parentId === sessionID ? "child" : id))
          .toSorted(),
        ["child", "parent"],
      );
      const folder = join(sandbox.projectDir, ".openfleet/transcripts");
      for (const { id, database } of sessions) {
        const printed = await exported(id);
        const session = parseExport(JSON.parse(printed));
        for (const format of ["markdown", "jsonl"] as const) {
          const { path, headers, entries, problems } = await readRecorded(folder, session, format);
          assert.deepEqual([problems, headers.length, headers[0]?.host], [[], 1, "kilo 7.7.7"]);
          const difference = compareWithExport(session, entries, []) ?? compareUsage(session, entries);
          assert.equal(difference, undefined, `${path}\n${difference}`);
        }
        assert.match(database ?? "", /kilo\.db$/);
        const kept = await exportedFrom(database ?? "", id);
        const { messages } = JSON.parse(printed);
        assert.deepEqual(withoutDiffs(JSON.stringify(kept.messages)), withoutDiffs(JSON.stringify(messages)));
      }
    });

    test("is an agent of its own in list and doctor", async () => {
      const setting = { home: sandbox.root, cwd: sandbox.projectDir, env: pathsOf(sandbox) };
      const { stdout } = await runCli(["list", "--agent", "kilo", "--json"], setting);
      assert.deepEqual([JSON.parse(stdout).agent, JSON.parse(stdout).place], ["kilo", "kilo"]);
      assert.equal((await runCli(["list", "--agent", "opencode"], setting)).exitCode, 1);
      const doctor = await runCli(["doctor"], { ...setting, plugin: REPOSITORY });
      assert.equal(doctor.exitCode, 0, doctor.stdout);
      assert.match(doctor.stdout, /kilo {2}\S+kilo\.db: 2 sessions/);
      assert.match(doctor.stdout, /project\/kilo\.json has/);
    });
  });
}
