/** One rule for everything that is printed of a session: redacted, and searched as redacted, unless --no-redact is given. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { calls, result, SESSION, storeSession } from "../support/cli/claude-lines.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { randomSecret } from "../support/parse/secret.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

/** A session with a secret in everything that it says of itself. */
function machine(secret: string): string {
  const home = makeTempDir();
  mkdirSync(join(home, ".git"));
  const about = (seconds: number) => ({
    sessionId: SESSION,
    cwd: `/work/${secret}`,
    gitBranch: `feature/${secret}`,
    version: `2.1.0-${secret}`,
    timestamp: new Date(Date.UTC(2026, 0, 5, 10, 0, seconds)).toISOString(),
    uuid: `uuid-${secret}-${seconds}`,
  });
  const line = (fields: object, seconds: number): string => `${JSON.stringify({ ...about(seconds), ...fields })}\n`;
  const answer = (id: string, content: readonly object[], seconds: number): string =>
    line(
      {
        type: "assistant",
        requestId: `req-${secret}`,
        message: {
          id,
          role: "assistant",
          model: `model-${secret}`,
          content,
          usage: { input_tokens: 1, output_tokens: 2 },
        },
      },
      seconds,
    );
  const call = { type: "tool_use", id: `call-${secret}`, name: `tool-${secret}`, input: { [secret]: secret } };
  const failed = { type: "tool_result", tool_use_id: `call-${secret}`, content: `failed: ${secret}`, is_error: true };
  storeSession(
    home,
    [
      line({ type: "user", message: { role: "user", content: `Needle prompt ${secret}` } }, 1),
      answer(`msg-${secret}`, [{ type: "thinking", thinking: `needle ${secret}`, signature: "x" }], 2),
      answer("msg-2", [{ type: "text", text: `Needle answer ${secret}` }, call], 3),
      line({ type: "user", message: { role: "user", content: [failed] } }, 4),
      calls("Bash", "toolu_1", { command: `npm test ${secret}` }, 5),
      result("toolu_1", `ok ${secret}`, 6),
      line({ type: "ai-title", aiTitle: `Title ${secret}` }, 7),
      line({ type: "summary", summary: `Title ${secret}`, leafUuid: "x" }, 7),
      line({ type: `future-${secret}`, say: secret }, 8),
      answer("msg-3", [{ type: `odd-${secret}`, say: secret }], 9),
    ].join(""),
  );
  return home;
}

const COMMANDS: readonly (readonly string[])[] = [
  ["list"],
  ["show", SESSION, "--with-tools", "--with-thinking"],
  ["stats", SESSION],
  ["stats", "--by", "project"],
  ["stats", "--by", "session"],
  ["stats", "--by", "model"],
  ["timeline", SESSION],
  ["entries", SESSION],
  ["errors", SESSION],
  ["errors", SESSION, "--fixes"],
  ["find", "needle"],
  ["tail", SESSION],
  ["doctor"],
  ["export", SESSION, "--html"],
];

describe("printed text of a session", () => {
  const secret = randomSecret();
  const home = machine(secret);
  for (const state of ["without an index", "with an index"] as const) {
    for (const command of COMMANDS) {
      test(`has no secret, ${state}: ${command.join(" ").replace(SESSION, "SESSION")}`, async () => {
        if (state === "with an index") await runCli(["index"], { home });
        const asJson = command[0] === "export" ? [] : [[...command, "--json"]];
        for (const argv of [command, ...asJson]) {
          const { stdout, stderr } = await runCli(argv, { home });
          assert.notEqual(stdout, "", argv.join(" "));
          const place = (stdout + stderr).indexOf(secret);
          assert.equal(place, -1, (stdout + stderr).slice(Math.max(0, place - 200), place + 60));
        }
      });
    }

    test(`cannot be searched for secrets, ${state}`, async () => {
      if (state === "with an index") await runCli(["index"], { home });
      assert.equal((await runCli(["find", secret], { home })).exitCode, 1);
      assert.equal((await runCli(["find", secret.slice(6, 20)], { home })).exitCode, 1);
      for (const term of ["[REDACTED:", "redacted", "prompt [", "Needle answer ["]) {
        const { stdout, exitCode } = await runCli(["find", term, "--json"], { home });
        assert.equal(exitCode, 0, term);
        assert.ok(!stdout.includes(secret));
      }
    });
  }

  const withRaw = new Set(["show", "errors", "entries", "export"]);
  test("--no-redact exists only where one session is read", async () => {
    for (const [name = ""] of COMMANDS) {
      const { stdout } = await runCli([name, "--help"], { home });
      assert.equal(stdout.includes("--no-redact"), withRaw.has(name), name);
    }
  });

  for (const command of COMMANDS.filter(([name = ""]) => withRaw.has(name))) {
    test(`has its secrets with --no-redact: ${command.join(" ").replace(SESSION, "SESSION")}`, async () => {
      const { stdout } = await runCli([...command, "--no-redact"], { home });
      assert.ok(stdout.includes(secret), stdout.slice(0, 500));
    });
  }
});
