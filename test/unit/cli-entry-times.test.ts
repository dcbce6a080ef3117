/** Time filters go by what was said when, in the user's time zone, and not by the times of files. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { assistant, at, storeSession, user } from "../support/cli/claude-lines.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { allAnswers, machineAt } from "../support/tools/tool-calls.ts";

afterAll(removeTempDirs);

const HOUR = 3_600;
const NOW = new Date(at(0));
const idOf = (n: number): string => `${String(n).repeat(8)}-2222-4333-8444-555555555555`;
const answer = (text: string, seconds: number): string =>
  assistant({ id: `msg_${text}`, blocks: [{ type: "text", text }], tokens: { in: 100, out: 10 } }, seconds);

/** Effects of copying, restoring and unpacking on the times of files: all new, all old, in reverse order. */
const FILE_TIMES: Record<string, (n: number) => number> = {
  "just copied": () => NOW.getTime() / 1_000 + HOUR,
  "restored as if from long ago": () => 1_000_000_000,
  "in reverse": (n) => NOW.getTime() / 1_000 + n * HOUR,
};

/** Sessions 1 to 4: the last went on n * 24 hours ago; session 5 began six days ago and goes on until an hour ago. */
function machine(timeOf: (n: number) => number): string {
  const home = makeTempDir();
  for (const n of [1, 2, 3, 4]) {
    const text = user(`ask ${n}`, -n * 24 * HOUR) + answer(`a${n}`, -n * 24 * HOUR + 60);
    utimesSync(storeSession(home, text, { id: idOf(n) }), timeOf(n), timeOf(n));
  }
  const days = [6, 5, 4, 3, 2, 1].map(
    (n) => user(`on ${n}`, -n * 24 * HOUR + 600) + answer(`b${n}`, -n * 24 * HOUR + 660),
  );
  const path = storeSession(home, `${days.join("")}${user("last", -HOUR)}${answer("b0", -HOUR + 1)}`, { id: idOf(5) });
  utimesSync(path, timeOf(5), timeOf(5));
  // Nothing was said in these, the newest of all.
  const command = {
    role: "user",
    content: "<command-name>/exit</command-name>\n<command-message>exit</command-message>",
  };
  const line = { type: "user", message: command, sessionId: idOf(6), uuid: "u", timestamp: at(-60) };
  writeFileSync(join(dirname(path), `${idOf(6)}.jsonl`), `${JSON.stringify(line)}\n`);
  const mode = { type: "permission-mode", permissionMode: "default", sessionId: idOf(7) };
  writeFileSync(join(dirname(path), `${idOf(7)}.jsonl`), `${JSON.stringify(mode)}\n`);
  return home;
}

for (const [when, timeOf] of Object.entries(FILE_TIMES)) {
  describe(`files ${when}`, () => {
    const home = machine(timeOf);
    const run = async (...argv: string[]) => runCli(argv, { home, now: NOW });
    const rows = async (...argv: string[]): Promise<Record<string, unknown>[]> => {
      const { stdout } = await run(...argv, "--json");
      return stdout
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    };
    const ids = async (...argv: string[]): Promise<number[]> =>
      (await rows("list", ...argv)).map(({ session_id }) => Number(String(session_id)[0]));

    test("list is ordered by the times of entries", async () => {
      assert.deepEqual(await ids(), [5, 1, 2, 3, 4]);
      assert.deepEqual(await ids("--recent", "2"), [5, 1]);
      const { stdout } = await runCli(["list", "--recent", "3"], { home, now: NOW, terminal: 120 });
      assert.deepEqual(stdout.match(/(?:ask|on|last) \d?/g), ["on 6", "ask 1", "ask 2"]);
    });

    test("list shows sessions in which nothing was said if they are asked for", async () => {
      assert.deepEqual(await ids("--empty"), [6, 5, 1, 2, 3, 4, 7]);
    });

    test("list filters by --since and --until", async () => {
      assert.deepEqual(await ids("--since", "36h"), [5, 1]);
      assert.deepEqual(await ids("--since", "60h", "--until", "30h"), [5, 2]);
      assert.deepEqual(await ids("--until", "70h"), [5, 3, 4]);
      // Between two turns of the session that went on nothing was said.
      assert.deepEqual(await ids("--since", at(-20 * HOUR), "--until", at(-10 * HOUR)), []);
      assert.equal((await run("list", "--since", at(-HOUR / 2))).exitCode, 1);
    });

    test("stats counts only what is in the range", async () => {
      const figures = async (...argv: string[]): Promise<object> => {
        const result: Record<string, unknown> = JSON.parse((await run("stats", ...argv, "--json")).stdout);
        const { sessions, prompts, messages, first, last, total } = result;
        const tokens = typeof total === "object" && total !== null && "tokens_out" in total ? total.tokens_out : null;
        return { sessions, prompts, messages, tokens, first, last };
      };
      assert.deepEqual(await figures("--since", "36h", "--until", at(-120)), {
        sessions: 2,
        prompts: 3,
        messages: 6,
        tokens: 30,
        first: at(-24 * HOUR),
        last: at(-HOUR + 1),
      });
      assert.deepEqual(await figures("--since", "60h", "--until", "30h"), {
        sessions: 2,
        prompts: 2,
        messages: 4,
        tokens: 20,
        first: at(-48 * HOUR),
        last: at(-48 * HOUR + 660),
      });
      assert.deepEqual(await figures(idOf(5), "--since", "36h"), {
        sessions: 1,
        prompts: 2,
        messages: 4,
        tokens: 20,
        first: at(-24 * HOUR + 600),
        last: at(-HOUR + 1),
      });
      assert.ok(JSON.stringify(await figures()).includes('"tokens":110'));
    });

    test("latest is the session with the latest entry", async () => {
      assert.match((await run("show", "latest")).stdout, /b0/);
    });

    test("find searches only entries in the range", async () => {
      const found = await rows("find", "ask", "--since", "60h");
      assert.deepEqual(
        found.map(({ session_id }) => session_id),
        [idOf(1), idOf(2)],
      );
    });

    test("list_sessions does the same", async () => {
      const tools = machineAt(home);
      try {
        for (const [args, expected] of [
          [{}, [5, 1, 2, 3, 4]],
          [{ limit: 2 }, [5, 1]],
          [{ since: "36h" }, [5, 1]],
        ] as const) {
          const { text } = await tools.call("list_sessions", args, { now: () => NOW });
          assert.deepEqual(
            [...text.matchAll(/^- (\d)/gm)].map(([, n]) => Number(n)),
            expected,
          );
        }
      } finally {
        await tools.close();
      }
    });
  });
}

test("a project on Windows is called by its folder's name, and found by it", async () => {
  const home = makeTempDir();
  const text = (user("ask", 0) + answer("w", 1)).replaceAll("/work/shop", "C:\\\\Users\\\\me\\\\shop");
  storeSession(home, text);
  for (const command of ["list", "show latest"]) {
    const { stdout } = await runCli(command.split(" "), {
      home,
      now: NOW,
      terminal: 160,
      env: { NO_COLOR: "1" },
    });
    assert.match(stdout, /\bshop\b/);
    assert.ok(!stdout.includes("Users"), stdout);
  }
});

describe("days follow the user's time zone", () => {
  const home = makeTempDir();
  // 23:30 and 00:30 UTC: one day in New York, two in London, one in Kolkata.
  const times = [Date.UTC(2026, 0, 5, 23, 30), Date.UTC(2026, 0, 6, 0, 30)].map((ms) => (ms - NOW.getTime()) / 1_000);
  storeSession(home, times.map((seconds, n) => user(`ask ${n}`, seconds) + answer(`z${n}`, seconds + 1)).join(""));
  const main = join(REPOSITORY, "src/cli/main.ts");
  const run = (zone: string, ...argv: string[]): string => {
    const env = { PATH: process.env["PATH"], HOME: home, TZ: zone };
    return spawnSync(process.execPath, [main, ...argv, "--json"], { env, cwd: home, encoding: "utf8" }).stdout;
  };
  for (const [zone, days] of [
    ["America/New_York", { "2026-01-05": 2 }],
    ["UTC", { "2026-01-05": 1, "2026-01-06": 1 }],
    ["Asia/Kolkata", { "2026-01-06": 2 }],
  ] as const) {
    test(zone, () => {
      const byDay: { rows: { key: string; messages: number }[] } = JSON.parse(run(zone, "stats", "--by", "day"));
      assert.deepEqual(Object.fromEntries(byDay.rows.map(({ key, messages }) => [key, messages])), days);
      for (const [day, prompts] of Object.entries(days)) {
        const of: { prompts: number } = JSON.parse(run(zone, "stats", "--since", day, "--until", day));
        assert.equal(of.prompts, prompts, day);
      }
      const isOnBoth = Object.keys(days).length === 2;
      assert.equal(run(zone, "list", "--since", "2026-01-06") !== "", isOnBoth || "2026-01-06" in days);
    });
  }
});

describe("--until", () => {
  const home = machine(() => 1_000_000_000);
  const setting = { home, now: NOW };
  /** The day of session 5's prompt `on 3`, in the zone of this machine. */
  const then = new Date(NOW.getTime() - 3 * 24 * HOUR * 1_000 + 600_000);
  const day = [then.getFullYear(), then.getMonth() + 1, then.getDate()]
    .map((n) => String(n).padStart(2, "0"))
    .join("-");
  const wanted = ["on 3", "on 4"];

  test("of find includes the whole day, on every page of the tool", async () => {
    const found = async (): Promise<unknown[]> => {
      const { stdout } = await runCli(["find", "on ", "--since", "2026-01-01", "--until", day, "--json"], setting);
      return stdout
        .split("\n")
        .filter(Boolean)
        .map((line) => String(JSON.parse(line).passage))
        .toSorted();
    };
    const tool = async (): Promise<string> => {
      const args = { query: "on ", since: "2026-01-01", until: day, limit: 1 };
      return (await allAnswers(machineAt(home), "find_in_transcripts", args)).join("\n");
    };
    assert.deepEqual(await found(), wanted);
    const text = await tool();
    assert.deepEqual([...text.matchAll(/: (on \d)/g)].map(([, on = ""]) => on).toSorted(), wanted);
  });

  test("of the listing tools leaves out later entries", async () => {
    const agent = machineAt(home);
    const { text } = await agent.call("list_sessions", { since: "2026-01-01", until: day });
    assert.deepEqual(
      [3, 4, 5].map((n) => text.includes(idOf(n))),
      [true, true, true],
    );
    assert(!text.includes(idOf(1)) && !text.includes(idOf(2)), text);
    assert.match((await agent.call("list_errors", { until: "soon" })).text, /until: "soon" is not a date\./);
  });
});

describe("dates in the wrong order", () => {
  for (const command of [["list"], ["stats"], ["find", "x"], ["list", "--today"]]) {
    test(`are refused by ${command.join(" ")}`, async () => {
      const since = command.includes("--today") ? [] : ["--since", "2026-02-01"];
      const { stdout, stderr, exitCode } = await runCli([...command, ...since, "--until", "2026-01-31"], {
        home: makeTempDir(),
      });
      assert.equal(exitCode, 2);
      assert.equal(stdout, "");
      assert.match(stderr, /^transcripts: The start is later than the end\. Swap the two\./);
    });
  }

  test("and other texts are refused by commands", async () => {
    for (const text of ["soon", "2026-02-31"]) {
      const { stderr, exitCode } = await runCli(["list", "--since", text], { home: makeTempDir() });
      assert.equal(exitCode, 2);
      assert.match(stderr, /^transcripts: ".*" is not a date\. Write "12h"/);
    }
  });

  test("are refused by tools", async () => {
    const tools = machineAt(makeTempDir());
    for (const [tool, args] of [
      ["list_sessions", {}],
      ["list_errors", {}],
      ["find_in_transcripts", { query: "x" }],
    ] as const) {
      const { text } = await tools.call(tool, { ...args, since: "2026-02-01", until: "2026-01-31" });
      assert.match(text, /since: The start is later than the end/);
    }
    await tools.close();
  });

  test("may both be the same day", async () => {
    const { exitCode } = await runCli(["list", "--since", "2026-01-31", "--until", "2026-01-31"], {
      home: makeTempDir(),
    });
    assert.equal(exitCode, 1);
  });
});
