/** `transcripts init --claude-code`, with a program in the place of Claude Code; test/agents runs the real one. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { outputOf } from "../support/cli/json-output.ts";
import { runCli, type CliRun } from "../support/cli/run-cli.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const PLUGIN = "opencode-transcripts@opencode-transcripts";

/** Does what Claude Code does: copies the folder of a marketplace, and keeps a copy that it has. */
const CLAUDE = `#!/bin/sh
cd "$HOME"
case "$*" in
  "plugin list --json") cat list.json 2>/dev/null || echo '[]'; exit ;;
esac
echo "$*" >>ran
case "$*" in
  "plugin marketplace add "*) echo "$4" >market ;;
  "plugin install "*) test -d copy || cp -r "$(cat market)" copy
    printf '[{"id":"%s","enabled":true,"installPath":"%s"}]' "$3" "$HOME/copy" >list.json ;;
  "plugin uninstall "*) rm -r copy list.json ;;
esac
`;

interface Setting {
  home: string;
  folder: string;
  env: Record<string, string>;
}

function setting(claude: string | undefined = CLAUDE): Setting {
  const home = makeTempDir();
  const bin = join(home, "bin");
  mkdirSync(bin);
  if (claude !== undefined) {
    writeFileSync(join(bin, "claude"), claude);
    chmodSync(join(bin, "claude"), 0o755);
  }
  const path = claude === undefined ? bin : [bin, process.env["PATH"]].join(delimiter);
  return { home, folder: join(home, ".local/share/opencode-transcripts/claude-code"), env: { PATH: path, HOME: home } };
}

const run = ({ home, env }: Setting, ...more: string[]): Promise<CliRun> =>
  runCli(["init", "--claude-code", ...more], { home, env });

/** Commands that were run since the last time. */
function ran({ home }: Setting): string[] {
  const path = join(home, "ran");
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
  rmSync(path, { force: true });
  return lines;
}

describe("init --claude-code", () => {
  test("installs the plugin, and again if it is there", async () => {
    const place = setting();
    const added = [`plugin marketplace add ${place.folder}`, `plugin install ${PLUGIN}`];
    const first = await run(place);
    assert.deepEqual([first.exitCode, first.stderr, ran(place)], [0, "", added]);
    assert.match(first.stdout, /^wrote the plugin to .*claude-code\nran claude plugin marketplace add/);
    const { claude_code: again } = outputOf("init", (await run(place, "--json")).stdout);
    const commands = [`plugin uninstall ${PLUGIN}`, ...added];
    assert.deepEqual(ran(place), commands);
    assert.deepEqual(again, { is_installed: true, commands: commands.map((each) => `claude ${each}`) });
  });

  test("without claude on the path it prints the commands that are left", async () => {
    const place = setting("");
    rmSync(join(place.home, "bin/claude"));
    const { exitCode, stdout } = await run({ ...place, env: { ...place.env, PATH: join(place.home, "bin") } });
    assert.equal(exitCode, 0);
    assert.ok(
      stdout.includes(
        `claude is not on the path. Install the plugin with:\n  claude plugin marketplace add ${place.folder}\n`,
      ),
    );
    assert.ok(existsSync(join(place.folder, "skills/transcripts/SKILL.md")));
  });

  test("reports a command of Claude Code that failed", async () => {
    const place = setting(CLAUDE.replace('echo "$4" >market', "echo no such thing >&2; exit 1"));
    const { exitCode, stderr } = await run(place);
    assert.equal(exitCode, 2);
    assert.match(stderr, /`claude plugin marketplace add .*` failed: no such thing\. Update Claude Code/);
    const both = await run(place, "--kilo");
    assert.deepEqual([both.exitCode, both.stdout], [2, ""]);
  });

  test("the plugin names this program and its runtime, whatever their paths contain", async () => {
    const place = setting();
    const { env, home } = place;
    const odd = join(home, `it's "$HOME" here`);
    mkdirSync(join(odd, "dist/cli"), { recursive: true });
    for (const part of [".claude-plugin", ".mcp.json", "hooks", "skills"])
      spawnSync("cp", ["-r", join(REPOSITORY, part), join(odd, part)]);
    const main = join(odd, "dist/cli/main.js");
    writeFileSync(main, 'echo "$# $1 $2" >"$HOME/got"; cat >>"$HOME/got"');
    await runCli(["init", "--claude-code"], { home, env, installation: { folder: odd, runtime: "/bin/sh" } });
    const server = JSON.parse(readFileSync(join(place.folder, ".mcp.json"), "utf8")).mcpServers.transcripts;
    assert.deepEqual(server, { command: "/bin/sh", args: [main, "mcp"] });
    const { hooks } = JSON.parse(readFileSync(join(place.folder, "hooks/hooks.json"), "utf8"));
    const { command } = hooks.Stop[0].hooks[0];
    const options = { env: { ...env, CLAUDE_PLUGIN_ROOT: place.folder }, input: "{}", encoding: "utf8" } as const;
    const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", command], options);
    assert.deepEqual([status, stdout, stderr], [0, "", ""]);
    const got = join(home, "got");
    while (!existsSync(got) || statSync(got).size < 17) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(readFileSync(got, "utf8"), "2 index --hook\n{}");
  });
});
