import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { allCommands } from "../../src/cli/commands/all-commands.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { REPOSITORY } from "../support/repository.ts";
import { noProgram } from "../support/machine.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const home = makeTempDir();
const continuations = async (...words: readonly string[]): Promise<string[]> => {
  const { stdout } = await runCli(["completion", "bash", "--", ...words], { home });
  return stdout.split("\n").map((line) => line.split("\t")[0] ?? "");
};
/** Defines the program in a shell. */
const PROGRAM = `transcripts() { '${process.execPath}' '${join(REPOSITORY, "src/cli/main.ts")}' "$@"; }`;
const script = async (shell: string): Promise<string> => (await runCli(["completion", shell], { home })).stdout;
const noShell = (shell: string): string | false => noProgram(shell, ["-c", "true"]);

describe("transcripts completion", () => {
  test("every command and every option", async () => {
    const all = await allCommands();
    const commands = all.flatMap(({ runnable }) => ("parsed" in runnable ? runnable : runnable.commands));
    for (const { definition } of commands) {
      const parent = definition.parent?.name() === "snippets" ? ["snippets"] : [];
      const name = definition.name();
      assert.ok((await continuations(...parent, "")).includes(name), name);
      const shown = await continuations(...parent, name, "-");
      for (const { long } of definition.options) assert.ok(shown.includes(long ?? ""), `${name} ${long}`);
    }
  });

  for (const shell of ["bash", "zsh", "fish"]) {
    test.skipIf(noShell(shell))(`${shell} takes the script`, async () => {
      // A file, since fish reading standard input fails where that is a socket, as it is in a child of Node.
      const file = join(home, `completion.${shell}`);
      writeFileSync(file, await script(shell));
      const check = spawnSync(shell, ["-n", file], { encoding: "utf8" });
      assert.deepEqual([check.status, check.stderr], [0, ""]);
    });
  }

  for (const [words, expected] of [
    [["sh"], ["show"]],
    [["e"], ["errors", "entries", "export"]],
    [
      ["show", "--with-t"],
      ["--with-tools", "--with-thinking"],
    ],
    [["show", "lat"], ["latest"]],
    [["stats", "--by", "p"], ["project"]],
    [
      ["find", "x", "--role", ""],
      ["user", "assistant", "tool", "system"],
    ],
    [["completion", "z"], ["zsh"]],
    [["snippets", "ex"], ["extract"]],
    [["snippets", "query", "--ty"], ["--type"]],
    [["snippets", "query", "--type", "err"], ["error_reasoning"]],
    [["snippets", "suggest", "lat"], ["latest"]],
    [["list", "--recent", ""], []],
  ] as const) {
    test.skipIf(noShell("bash"))(`bash completes: ${words.join(" ")}`, async () => {
      const line = ["transcripts", ...words].map((word) => `'${word}'`).join(" ");
      const probe = `${await script("bash")}\n${PROGRAM}\ncd ${home}; COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _transcripts; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const shown = execFileSync("bash", ["-c", probe], { encoding: "utf8" });
      assert.deepEqual(shown.split("\n").filter(Boolean), expected);
    });
  }

  const fish = "fish";
  test.skipIf(noShell(fish))("fish completes", async () => {
    const program = `function transcripts; '${process.execPath}' '${join(REPOSITORY, "src/cli/main.ts")}' $argv; end`;
    const probe = `${await script(fish)}\n${program}\ncomplete -C 'transcripts snippets query --type err'`;
    assert.match(execFileSync(fish, ["-c", probe], { encoding: "utf8", cwd: home }), /^error_reasoning$/m);
  });
});
