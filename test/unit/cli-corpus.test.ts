/** Real sessions on narrow and wide terminals: no table overflows, nothing that a terminal would act on gets through. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import stringWidth from "string-width";
import { runCli } from "../support/cli/run-cli.ts";
import { isReadable } from "../support/parse/corpus.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const CORPUS = join(REPOSITORY, "../shared/corpus");
const COMMANDS: readonly string[][] = [
  ["show", "--with-tools", "--with-thinking"],
  ["timeline"],
  ["errors", "--fixes", "--locate"],
  ["stats"],
  ["tail", "-n", "1000"],
];

function files(): string[] {
  if (!existsSync(CORPUS)) {
    console.log("skipped: ../shared/corpus is not here");
    return [];
  }
  const all = readdirSync(CORPUS, { recursive: true, encoding: "utf8" });
  return all
    .filter((file) => /^(claude|opencode-export)/.test(file) && isReadable(file))
    .filter((_, at) => at % 3 === 0);
}

describe("real sessions on a terminal", () => {
  for (const [name, ...options] of COMMANDS) {
    test(`${name} ${options.join(" ")}`, async () => {
      const home = makeTempDir();
      for (const [at, file] of files().entries()) {
        const terminal = [40, 80, 120][at % 3] ?? 80;
        const argv = [name ?? "", join(CORPUS, file), ...options];
        const { stdout, stderr, exitCode } = await runCli(argv, { home, terminal, env: { NO_COLOR: "1" } });
        assert.ok(exitCode < 2, `${file}: ${stderr}`);
        const [, table = ""] = name === "timeline" ? stdout.split("\n\n") : [];
        for (const line of table.split("\n")) assert.ok(stringWidth(line) <= terminal, `${file}: ${line}`);
        for (const line of stdout.split("\n")) {
          assert.doesNotMatch(line, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/, file);
        }
      }
    }, 120_000);
  }
});
