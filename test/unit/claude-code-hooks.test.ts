/** The hooks of the plugin for Claude Code, run as it runs them: by a shell, with JSON on standard input. Needs `dist/`. */
import assert from "node:assert/strict";
import { spawn, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { z } from "zod";
import { openStore } from "../../src/store/open-store.ts";
import { says, SESSION, storeSession, user } from "../support/cli/claude-lines.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { eventually } from "../support/recording/eventually.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

const MAIN = join(REPOSITORY, "dist/cli/main.js");
assert(existsSync(MAIN), "build the package first: npm run build");
const NODE = join(REPOSITORY, "node_modules/.bin");
const SCRIPT = join(REPOSITORY, "hooks/index-session.sh");
const SECONDS = 60_000;
/** A hook that takes longer waits for the program. */
const HANGS_MS = 120_000;

afterAll(removeTempDirs);

const Hooks = z.object({
  hooks: z.record(
    z.string(),
    z
      .array(z.object({ hooks: z.array(z.object({ type: z.literal("command"), command: z.string() })).length(1) }))
      .length(1),
  ),
});
const { hooks } = Hooks.parse(JSON.parse(readFileSync(join(REPOSITORY, "hooks/hooks.json"), "utf8")));

const idOf = (at: number): string => `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;

/** A session with one question and one answer; its path. */
function conversation(home: string, at: number, project?: string): string {
  const text = (user(`Question ${at}`, at) + says(`Answer ${at}`, at + 1)).replaceAll(SESSION, idOf(at));
  return storeSession(home, text, { id: idOf(at), ...(project === undefined ? {} : { project }) });
}

interface Setting {
  env?: Record<string, string>;
  /** Command instead of that of hooks.json. */
  command?: string;
  stdin?: string;
}

function environment(home: string, env: Record<string, string> = {}): Record<string, string> {
  const path = [NODE, process.env["PATH"]].join(delimiter);
  return { PATH: path, HOME: home, CLAUDE_PLUGIN_ROOT: REPOSITORY, ...env };
}

function commandOf(event: string): string {
  const command = hooks[event]?.[0]?.hooks[0]?.command;
  assert(command !== undefined, `no hook for ${event}`);
  return command;
}

function inputOf(event: string, path: string): string {
  const fields = { session_id: "s", transcript_path: path, cwd: dirname(path), hook_event_name: event };
  return JSON.stringify(fields);
}

/** Runs a hook until it has returned and nothing that it started has its output open. */
function hook(
  home: string,
  event: string,
  path: string,
  { env, command, stdin }: Setting = {},
): SpawnSyncReturns<string> {
  return spawnSync("/bin/sh", ["-c", command ?? commandOf(event)], {
    cwd: home,
    env: environment(home, env),
    input: stdin ?? inputOf(event, path),
    encoding: "utf8",
    timeout: HANGS_MS,
    killSignal: "SIGKILL",
  });
}

function assertSilent({ status, signal, stdout, stderr }: SpawnSyncReturns<string>): void {
  assert.deepEqual({ status, signal, stdout, stderr }, { status: 0, signal: null, stdout: "", stderr: "" });
}

async function storedIds(home: string, env: Record<string, string> = {}): Promise<string[]> {
  const database = env["TRANSCRIPTS_DATABASE"] ?? join(home, ".local/share/opencode-transcripts/transcripts.db");
  if (!existsSync(database)) return [];
  const store = await openStore({ env, home }, { readOnly: true }).catch(() => undefined);
  if (store === undefined) return [];
  const sessions = await store.sessions();
  await store.close();
  return sessions.flatMap(({ session_id, state }) => (state.revision > 0 ? [session_id] : [])).toSorted();
}

const has = async (home: string, ids: readonly string[], env: Record<string, string> = {}): Promise<void> =>
  eventually(async () => ids.join() === (await storedIds(home, env)).join());

describe("the hooks of the plugin for Claude Code", () => {
  test("run when a session is complete, or when another one may have been missed", () => {
    assert.deepEqual(Object.keys(hooks).toSorted(), ["PreCompact", "SessionStart", "Stop"]);
  });

  for (const event of ["Stop", "PreCompact"])
    test(
      `${event} adds its session with subagents, and no other`,
      async () => {
        const home = makeTempDir();
        const path = conversation(home, 1);
        conversation(home, 2);
        conversation(home, 3, "-work-other");
        const agent = join(path.replace(/\.jsonl$/, ""), "subagents/agent-a1.jsonl");
        mkdirSync(dirname(agent), { recursive: true });
        writeFileSync(
          agent,
          user("Look around", 4).replaceAll(SESSION, idOf(1)) + says("Done", 5).replaceAll(SESSION, idOf(1)),
        );
        assertSilent(hook(home, event, path));
        await eventually(async () => (await storedIds(home)).length > 1);
        await eventually(() => /indexed 2 sessions: 2 new/.test(logOf(home)));
        const ids = await storedIds(home);
        assert.equal(ids.length, 2, ids.join());
        assert.ok(ids.includes(idOf(1)) && !ids.includes(idOf(2)) && !ids.includes(idOf(3)));
      },
      SECONDS,
    );

  test(
    "SessionStart adds what was missed in the same project, newest first, and stops after 50 MB",
    async () => {
      const home = makeTempDir();
      const [older, newer] = [conversation(home, 1), conversation(home, 2)];
      conversation(home, 3, "-work-other");
      const line = `${JSON.stringify({ type: "queue-operation", content: "x".repeat(1_000_000) })}\n`;
      writeFileSync(newer, readFileSync(newer, "utf8") + line.repeat(50));
      utimesSync(older, 1_750_000_000, 1_750_000_000);
      const start = join(dirname(newer), `${idOf(9)}.jsonl`);
      const run = (): Promise<unknown> =>
        runCli(["index", "--hook"], { home, stdin: inputOf("SessionStart", start), env: { HOME: home } });
      await run();
      assert.deepEqual(await storedIds(home), [idOf(2)]);
      await run();
      assert.deepEqual(await storedIds(home), [idOf(1), idOf(2)]);
    },
    SECONDS,
  );

  test("a session that was forgotten does not come back", async () => {
    const home = makeTempDir();
    const path = conversation(home, 1);
    const run = (...argv: string[]): Promise<{ exitCode: number; stderr: string }> =>
      runCli(argv, { home, stdin: inputOf(argv.includes("--hook") ? "Stop" : "", path) });
    assert.equal((await run("index", "--hook")).exitCode, 0);
    assert.deepEqual(await storedIds(home), [idOf(1)]);
    assert.equal((await run("forget", idOf(1), "--yes")).exitCode, 0);
    await run("index", "--hook");
    assert.deepEqual(await storedIds(home), []);
  });

  test(
    "a hook returns while the program still runs, and passes on no output",
    async () => {
      const home = makeTempDir();
      const program = join(home, "program");
      const [got, go, done] = ["got", "go", "done"].map((name) => join(home, name));
      const waits = `cat >'${got}'; echo noise; echo noise >&2; i=0; until test -e '${go}'; do sleep 0.1; i=$((i+1)); test $i -lt 400 || exit; done; echo x >'${done}'`;
      writeFileSync(program, waits);
      const long = JSON.stringify({ last_assistant_message: "x".repeat(1_000_000) });
      assertSilent(hook(home, "", "", { command: `sh "${SCRIPT}" sh "${program}"`, stdin: long }));
      assert.ok(!existsSync(done ?? ""));
      writeFileSync(go ?? "", "");
      await eventually(() => existsSync(done ?? ""));
      assert.equal(readFileSync(got ?? "", "utf8"), long);
    },
    SECONDS,
  );

  test(
    "whatever goes wrong, a hook succeeds and prints nothing",
    () => {
      const home = makeTempDir();
      const path = conversation(home, 1);
      const program = (name: string, text: string): string => {
        writeFileSync(join(home, name), text);
        return `sh "${SCRIPT}" sh "${join(home, name)}"`;
      };
      const noNode = makeTempDir();
      for (const name of ["sh", "mkdir"]) symlinkSync(`/bin/${name}`, join(noNode, name));
      const file = join(home, "file");
      writeFileSync(file, "");
      const settings: Record<string, Setting> = {
        "no node": { env: { PATH: noNode } },
        "nothing on the path": { env: { PATH: join(home, "nowhere") } },
        "the plugin was removed": { env: { CLAUDE_PLUGIN_ROOT: join(home, "gone") } },
        "the package was removed": { command: commandOf("Stop").replace("dist/cli/main.js", "dist/gone.js") },
        "no program": { command: `sh "${SCRIPT}"` },
        "a program that fails": { command: program("fails", "echo a; echo b >&2; exit 2") },
        "a program that is killed": { command: program("killed", "echo a; kill -9 $$") },
        "input that is not JSON": { stdin: "{" },
        "no input": { stdin: "" },
        "closed input": { command: `${commandOf("Stop")} <&-` },
        "a session that is not there": { stdin: inputOf("Stop", join(home, "none.jsonl")) },
        "a data folder that cannot be made": { env: { XDG_DATA_HOME: file } },
        "no home": { env: { HOME: "/dev/null" } },
        "a disk on which nothing can be written": { command: `ulimit -f 0; ${commandOf("Stop")}` },
      };
      for (const [name, setting] of Object.entries(settings)) {
        const run = hook(home, "Stop", path, setting);
        assert.deepEqual([run.status, run.stdout, run.stderr], [0, "", ""], name);
      }
    },
    SECONDS,
  );

  test(
    "a session is added even if the log cannot be written",
    async () => {
      const home = makeTempDir();
      const env = { XDG_DATA_HOME: join(home, "data"), TRANSCRIPTS_DATABASE: join(home, "store/transcripts.db") };
      writeFileSync(join(home, "data"), "");
      assertSilent(hook(home, "Stop", conversation(home, 1), { env }));
      await has(home, [idOf(1)], env);
      const full = makeTempDir();
      const folder = join(full, ".local/share/opencode-transcripts");
      mkdirSync(folder, { recursive: true });
      symlinkSync("/dev/full", join(folder, "hook.log"));
      assertSilent(hook(full, "Stop", conversation(full, 1)));
      await has(full, [idOf(1)]);
    },
    SECONDS,
  );

  test(
    "after a full disk and a kill the next SessionStart catches up",
    async () => {
      const home = makeTempDir();
      const path = conversation(home, 1);
      assertSilent(hook(home, "Stop", path, { command: `ulimit -f 8; ${commandOf("Stop")}` }));
      const started = join(home, "started");
      writeFileSync(join(home, "killed"), `"$@" & pid=$!; sleep 0.1; kill -9 $pid; wait; echo >'${started}'`);
      const killed = `sh "${SCRIPT}" sh "${join(home, "killed")}" node "${MAIN}"`;
      assertSilent(hook(home, "Stop", path, { command: killed }));
      await eventually(() => existsSync(started));
      assertSilent(hook(home, "SessionStart", join(dirname(path), `${idOf(9)}.jsonl`)));
      await has(home, [idOf(1)]);
    },
    SECONDS,
  );

  test(
    "many concurrent runs give the same result as one",
    async () => {
      const home = makeTempDir();
      const paths = [1, 2, 3, 4].map((at) => conversation(home, at));
      const runs = [...paths, ...paths, ...paths].map((path) => {
        const child = spawn("/bin/sh", ["-c", commandOf("Stop")], { cwd: home, env: environment(home) });
        child.stdin.end(inputOf("Stop", path));
        return new Promise((resolve) => child.once("close", resolve));
      });
      assert.deepEqual(
        await Promise.all(runs),
        runs.map(() => 0),
      );
      await has(home, [1, 2, 3, 4].map(idOf));
      const { stderr } = await runCli(["index"], { home });
      assert.match(stderr, /indexed 4 sessions: 0 new, 0 changed, 4 unchanged/);
    },
    SECONDS,
  );

  test("input that is not from a hook is an error when run by hand", async () => {
    const home = makeTempDir();
    for (const stdin of ["", "[]", '{"hook_event_name":"Stop"}']) {
      const { exitCode, stdout, stderr } = await runCli(["index", "--hook"], { home, stdin });
      assert.deepEqual([exitCode, stdout], [2, ""]);
      assert.match(stderr, /is not what a hook of Claude Code passes\. Run `transcripts init/);
    }
    const { exitCode } = await runCli(["index", "--hook", "latest"], { home });
    assert.equal(exitCode, 2);
  });
});

function logOf(home: string): string {
  const path = join(home, ".local/share/opencode-transcripts/hook.log");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}
