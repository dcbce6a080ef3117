import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEFINITIONS } from "../../src/cli/definitions.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const home = makeTempDir();
const script = async (shell: string): Promise<string> => (await runCli(["completion", shell], { home })).stdout;
const has = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;

describe("transcripts completion", () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    test(`${shell}: every command and every option`, async () => {
      const text = await script(shell);
      for (const { name, options } of DEFINITIONS) {
        for (const word of name.split(" ")) assert.ok(text.includes(word), name);
        for (const { flags } of options) {
          const [, long = ""] = /--([\w-]+)/.exec(flags) ?? [];
          assert.ok(text.includes(shell === "fish" ? `-l ${long}` : `--${long}`), `${name} ${long}`);
        }
      }
    });

    test(`${shell} takes the script`, async () => {
      if (!has(shell)) return;
      // A file, since fish reading standard input fails where that is a socket, as it is in a child of Node.
      const file = join(home, `completion.${shell}`);
      writeFileSync(file, await script(shell));
      const check = spawnSync(shell, ["-n", file], { encoding: "utf8" });
      assert.deepEqual([check.status, check.stderr], [0, ""]);
    });
  }

  for (const [words, expected] of [
    [["sh"], ["show"]],
    [["e"], ["entries", "errors", "export"]],
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
    test(`bash completes: ${words.join(" ")}`, async () => {
      if (!has("bash")) return;
      const line = ["transcripts", ...words].map((word) => `'${word}'`).join(" ");
      const probe = `${await script("bash")}\ncd ${home}; COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _transcripts; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const shown = execFileSync("bash", ["-c", probe], { encoding: "utf8" });
      assert.deepEqual(shown.split("\n").filter(Boolean), expected);
    });
  }
});
