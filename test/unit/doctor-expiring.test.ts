/** `doctor` and sessions that their agent is about to delete. */
import assert from "node:assert/strict";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runCli } from "../support/cli/run-cli.ts";
import { storeSession, user } from "../support/cli/claude-lines.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const DAY_MS = 86_400_000;
const NOW = new Date("2026-03-31T12:00:00.000Z");

class Machine {
  readonly home = makeTempDir();
  readonly now = NOW;
  readonly env = { XDG_DATA_HOME: join(this.home, "data"), NO_COLOR: "1" };

  /** A session of Claude Code whose file was last written so many days ago. */
  session(name: string, days: number): string {
    const id = `${name.padEnd(8, "0")}-1111-4222-8333-444444444444`;
    const path = storeSession(this.home, user(`said in ${name}`, 0), { id });
    const time = new Date(NOW.getTime() - days * DAY_MS);
    utimesSync(path, time, time);
    return id;
  }

  settings(path: string, settings: unknown): string {
    const place = join(this.home, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, typeof settings === "string" ? settings : JSON.stringify(settings));
    return place;
  }

  async doctor(): Promise<{ file: string; days: number; is_default: boolean; ids: string[]; times: string[] }[]> {
    const { stdout, stderr } = await runCli(["doctor", "--json"], this);
    assert.notEqual(stdout, "", stderr);
    const { expiring } = JSON.parse(stdout);
    return expiring.map(({ file, days, is_default, sessions }: Record<string, unknown>) => {
      assert.ok(Array.isArray(sessions));
      const ids = sessions.map(({ session_id: id }) => id);
      return { file, days, is_default, ids, times: sessions.map(({ deleted_after: time }) => time) };
    });
  }
}

describe("sessions that Claude Code is about to delete", () => {
  test("are listed with their time and the setting, the first to go first, unless the index has them", async () => {
    const machine = new Machine();
    machine.session("a", 10);
    const [soon, late, over] = [machine.session("b", 24), machine.session("c", 29), machine.session("d", 31)];
    machine.session("e", 22);
    const file = join(machine.home, ".claude/settings.json");
    const times = ["2026-03-30", "2026-04-01", "2026-04-06"].map((day) => `${day}T12:00:00.000Z`);
    assert.deepEqual(await machine.doctor(), [{ file, days: 30, is_default: true, ids: [over, late, soon], times }]);
    const { stdout } = await runCli(["doctor"], machine);
    assert.match(
      stdout,
      /! claude-code will delete 3 sessions that the store does not have within a week; `transcripts index` keeps them/,
    );
    assert.ok(stdout.includes(`2026-03-30  ${join(machine.home, ".claude/projects/-work-shop", over)}`), stdout);
    assert.ok(stdout.includes(`"cleanupPeriodDays": 3650 in ${file} (30 by default)`), stdout);

    // Figures alone do not save a session.
    assert.equal((await runCli(["stats"], machine)).exitCode, 0);
    assert.deepEqual(
      (await machine.doctor()).map(({ ids }) => ids),
      [[over, late, soon]],
    );
    assert.equal((await runCli(["index"], machine)).exitCode, 0);
    assert.deepEqual(await machine.doctor(), []);
    const more = machine.session("b", 25);
    assert.deepEqual(
      (await machine.doctor()).flatMap(({ ids }) => ids),
      [more],
    );
  });

  test("depend on the setting of the user, and of the project that comes before it", async () => {
    const machine = new Machine();
    const id = machine.session("a", 85);
    const user = machine.settings(".claude/settings.json", { cleanupPeriodDays: 90 });
    assert.deepEqual(
      (await machine.doctor()).map(({ ids, ...rest }) => [rest.file, rest.days, rest.is_default, ids]),
      [[user, 90, false, [id]]],
    );
    machine.settings(".claude/settings.json", { cleanupPeriodDays: 3650 });
    assert.deepEqual(await machine.doctor(), []);
    for (const settings of [{}, { cleanupPeriodDays: "90" }, "no JSON"]) {
      machine.settings(".claude/settings.json", settings);
      assert.deepEqual(
        (await machine.doctor()).map(({ days }) => days),
        [30],
        JSON.stringify(settings),
      );
    }
    machine.settings(".claude/settings.json", { cleanupPeriodDays: 3650 });
    const local = machine.settings(".claude/settings.local.json", { cleanupPeriodDays: 7 });
    assert.deepEqual(
      (await machine.doctor()).map(({ file, days }) => [file, days]),
      [[local, 7]],
    );
  });
});
