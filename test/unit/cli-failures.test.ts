/** Errors of all sessions, grouped by what failed. */
import assert from "node:assert/strict";
import { calls, result, says, user } from "../support/cli/claude-lines.ts";
import { outputOf, rowsOf } from "../support/cli/json-output.ts";
import { Machine } from "../support/cli/sample-machine.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { sharedPostgresBackend } from "../support/store/postgres-suite.ts";
import { removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);
const postgres = sharedPostgresBackend();

const idOf = (at: number): string => `${at}a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f`;

/** Three sessions of two projects: one error in all, fixed once, and another in one. */
function machineWith(env: Record<string, string> = {}): Machine {
  const machine = new Machine(env);
  const build = (id: string, at: number) => calls("Bash", id, { command: "npm run build" }, at);
  for (const at of [0, 1, 2]) {
    const failed = build("b1", 1) + result("b1", `Cannot find module heliotrope in /work/${at}/x.ts`, 2, true);
    const edit = calls("Edit", "e1", { file_path: "/work/a.ts", old_string: "x", new_string: "y" }, 3);
    const fixed = edit + result("e1", "done", 4) + build("b2", 5) + result("b2", "built", 6) + says("Done", 7);
    const other = calls("Read", "r1", { file_path: "/x" }, 8) + result("r1", "File does not exist.", 9, true);
    const text = user("Build it", 0) + failed + (at === 1 ? fixed : "") + (at === 2 ? other : "");
    const project = at === 2 ? "/work/lake" : "/work/shop";
    machine.write(
      `.claude/projects/${project.replaceAll("/", "-")}/${idOf(at)}.jsonl`,
      text.replaceAll("/work/shop", project),
    );
  }
  return machine;
}

describe("transcripts failures", () => {
  test("counts errors that differ only in paths as one, with projects, the latest call and its fix", async () => {
    const machine = machineWith();
    const run = await machine.run("failures", "--fixes", "--json");
    const [first, second] = rowsOf("failures", run.stdout);
    assert.ok(first !== undefined && second !== undefined, run.stderr);
    assert.deepEqual(
      [first.count, first.session_count, first.projects, first.tool_name],
      [3, 3, ["/work/lake", "/work/shop"], "Bash"],
    );
    assert.match(first.error, /Cannot find module heliotrope/);
    assert.equal(first.fixes?.length, 1);
    assert.deepEqual([second.count, second.tool_name, second.fixes], [1, "Read", []]);
    const [, ...open] = first.open.split(" ");
    assert.match((await machine.run(...open)).stdout, /Cannot find module heliotrope/);
    const counts = async (...args: string[]): Promise<number[]> =>
      (await machine.rows("failures", ...args)).map(({ count }) => Number(count));
    assert.deepEqual(await counts("--project", "shop"), [2]);
    assert.deepEqual(await counts("--tool", "read"), [1]);
    assert.deepEqual(await counts("--limit", "1"), [3]);
    assert.equal((await machine.run("failures", "--since", "2030-01-01")).exitCode, 1);
    assert.match(
      (await machine.run("failures")).stdout,
      /^Bash: seen 3 times in 3 sessions, last 2026-01-05, in lake, shop$/m,
    );
  });

  test("shows the fix itself, and the error without its tags", async () => {
    const machine = machineWith();
    const { stdout } = await machine.run("failures", "--fixes");
    assert.match(
      stdout,
      /\nFixed once \(session .*\):\n {4}line 6, Bash npm run build, passed.*\n {4}transcripts show/,
    );
    assert.doesNotMatch(stdout, /tool_use_error/);
  });

  test("are the same in a team's database", async () => {
    const { env } = await postgres.newPlace();
    const machine = machineWith({ TRANSCRIPTS_DATABASE_URL: env["TRANSCRIPTS_DATABASE_URL"] ?? "" });
    const { pushed } = outputOf("push", (await machine.run("push", "--json")).stdout);
    assert.equal(pushed, 3);
    const plain = async (...args: string[]): Promise<unknown[]> =>
      (await machine.rows("failures", ...args)).map(({ error, count, projects }) => [error, count, projects]);
    assert.deepEqual(await plain("--team"), await plain());
  });
});
