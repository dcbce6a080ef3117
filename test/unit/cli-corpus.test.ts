/** Sessions on narrow and wide terminals: no table overflows, nothing that a terminal would act on gets through. */
import assert from "node:assert/strict";
import stringWidth from "string-width";
import { runCli } from "../support/cli/run-cli.ts";
import { SESSION_KINDS, testSessions } from "../support/parse/session-files.ts";
import { afterAll, describe } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const COMMANDS: readonly string[][] = [
  ["show", "--with-tools", "--with-thinking"],
  ["timeline"],
  ["errors", "--fixes"],
  ["stats"],
  ["tail", "-n", "1000"],
];

describe("sessions on a terminal", () => {
  for (const [name, ...options] of COMMANDS) {
    testSessions(`${name} ${options.join(" ")}`, SESSION_KINDS, async (files) => {
      const home = makeTempDir();
      for (const [at, { name: file, path }] of files.filter((_, index) => index % 3 === 0).entries()) {
        const terminal = [40, 80, 120][at % 3] ?? 80;
        const argv = [name ?? "", path, ...options];
        const { stdout, stderr, exitCode } = await runCli(argv, { home, terminal, env: { NO_COLOR: "1" } });
        assert.ok(exitCode < 2, `${file}: ${stderr}`);
        const [, table = ""] = name === "timeline" ? stdout.split("\n\n") : [];
        for (const line of table.split("\n")) assert.ok(stringWidth(line) <= terminal, `${file}: ${line}`);
        for (const line of stdout.split("\n")) {
          assert.doesNotMatch(line, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/, file);
        }
      }
    });
  }
});
