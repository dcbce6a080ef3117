/** Every filter of `find`, in the command, the tool and the library, in each state that the store can be in. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { search } from "../../src/search/search.ts";
import { at, calls, result, says, SESSION, storeSession, user } from "../support/cli/claude-lines.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { allAnswers, machineAt, type Machine } from "../support/tools/tool-calls.ts";
import { writeFakeStore } from "./sessions-machine.ts";

afterAll(removeTempDirs);

const PAINT = SESSION.replace("0a1b", "1b2c");
const KILO = "ses_kilo1";

/** Calls on files, by every kind of tool. */
const SHOP = [
  user("Round the price", 0),
  calls("Read", "c1", { file_path: "/work/shop/src/price.ts" }, 1),
  result("c1", "export const price = 1;", 2),
  calls("Bash", "c2", { command: "cd src && sed -i s/1/2/ price.ts && cat ../notes.md | wc -l" }, 3),
  result("c2", "4", 4),
  calls("Edit", "c3", { file_path: "/work/shop/src/price.test.ts", old_string: "a", new_string: "price.ts" }, 5),
  result("c3", "no such text: price", 6, true),
  calls(
    "apply_patch",
    "c4",
    { patchText: "*** Begin Patch\n*** Update File: lib/tax.ts\n*** Move to: lib/duty.ts\n+x\n*** End Patch" },
    7,
  ),
  result("c4", "Done", 8),
  calls("Grep", "c5", { pattern: "price.ts", path: "/work/shop/docs" }, 9),
  result("c5", "docs/a.md: price.ts", 10),
  says("The price is rounded.", 11),
].join("");

const PAINT_LINES = [
  user("What is the price of paint?", 100),
  calls("Read", "d1", { file_path: "/work/paint/price.ts" }, 101),
  result("d1", "File does not exist.", 102, true),
  says("No price.", 103),
]
  .join("")
  .replaceAll("/work/shop", "/work/paint")
  .replaceAll(SESSION, PAINT);

async function home(): Promise<string> {
  const made = makeTempDir();
  storeSession(made, SHOP);
  storeSession(made, PAINT_LINES, { id: PAINT, project: "-work-paint" });
  const time = { created: Date.parse(at(200)), completed: Date.parse(at(201)) };
  const read = { status: "completed", input: { filePath: "/work/shop/src/price.ts" }, output: "price", title: "" };
  await writeFakeStore(join(made, "data/kilo/kilo.db"), [
    {
      id: KILO,
      directory: "/work/shop",
      minute: (time.completed / 1_000 - 1_750_000_000) / 60,
      messages: [
        {
          id: "msg_1",
          data: { role: "user", time },
          parts: [{ id: "prt_1", data: { type: "text", text: "A price?" } }],
        },
        {
          id: "msg_2",
          data: { role: "assistant", parentID: "msg_1", time, path: { cwd: "/work/shop", root: "/" } },
          parts: [{ id: "prt_2", data: { type: "tool", callID: "k1", tool: "read", state: { ...read, time } } }],
        },
      ],
    },
  ]);
  return made;
}

/** Sessions with the lines of their passages, in order. */
type Places = string[];

const row = z.object({ session_id: z.string(), line_number: z.number().nullable() });

function placesOf(rows: readonly z.infer<typeof row>[]): Places {
  const place = ({ session_id: id, line_number }: z.infer<typeof row>): string =>
    id === KILO ? "ses_" : `${id.slice(0, 4)} ${line_number ?? 0}`;
  return rows.map(place).toSorted();
}

async function asked(made: string, argv: readonly string[]): Promise<Places> {
  const env = { XDG_DATA_HOME: join(made, "data") };
  const { stdout, stderr, exitCode } = await runCli(["find", ...argv, "--json"], { home: made, env });
  assert.ok(exitCode < 2, stderr);
  const rows = stdout.split("\n").filter((line) => line !== "");
  assert.equal(exitCode, rows.length > 0 ? 0 : 1);
  return placesOf(rows.map((line) => row.parse(JSON.parse(line))));
}

/** All pages of the tool, with the argument for each option. */
async function called(machine: Machine, argv: readonly string[]): Promise<Places> {
  const args: Record<string, unknown> = {};
  for (let index = 0; index < argv.length; index += 1) {
    const name = /^--(.*)/.exec(argv[index] ?? "")?.[1];
    if (name === "errors") args[name] = true;
    else if (name === undefined) args["query"] = argv[index];
    else args[name] = argv[(index += 1)];
  }
  const rows: z.infer<typeof row>[] = [];
  let session_id = "";
  for (const line of (await allAnswers(machine, "find_in_transcripts", { ...args, limit: 2 })).join("\n").split("\n")) {
    session_id = /^Session ([^\s,]+)/.exec(line)?.[1] ?? session_id;
    const number = /^\[(\d+|-)\] /.exec(line)?.[1];
    if (number !== undefined) rows.push({ session_id, line_number: number === "-" ? null : Number(number) });
  }
  return placesOf(rows);
}

/** Searches with their results: a session and a line. Sessions in a database have no meaningful line numbers. */
const QUESTIONS: readonly (readonly [argv: readonly string[], places: Places])[] = [
  [
    ["--file", "price.ts"],
    ["0a1b 2", "0a1b 4", "1b2c 2", "ses_"],
  ],
  [
    ["--file", "/work/shop/src/price.ts"],
    ["0a1b 2", "0a1b 4", "ses_"],
  ],
  [
    ["--file", "src/price.ts"],
    ["0a1b 2", "0a1b 4", "ses_"],
  ],
  [["--file", "/work/shop/notes.md"], ["0a1b 4"]],
  [["--file", "tax.ts"], ["0a1b 8"]],
  [["--file", "/work/shop/lib/tax.ts"], ["0a1b 8"]],
  [["--file", "/work/shop/lib/duty.ts"], ["0a1b 8"]],
  [["--file", "/elsewhere/lib/tax.ts"], []],
  [["--file", "rice.ts"], []],
  [["--file", "docs"], ["0a1b 10"]],
  [["--file", "price.ts", "--agent", "kilo"], ["ses_"]],
  [["--file", "price.ts", "--tool", "bash"], ["0a1b 4"]],
  [["--file", "price.ts", "--project", "paint"], ["1b2c 2"]],
  [["--file", "price.ts", "--since", at(100), "--until", at(150)], ["1b2c 2"]],
  [["--file", "price.ts", "--errors"], ["1b2c 2"]],
  [["--file", "price.ts", "--role", "user"], []],
  [["rounded", "--file", "tax.ts"], ["0a1b 12"]],
  [["rounded", "--file", "/work/paint/price.ts"], []],
  [
    ["price", "--file", "/work/paint/price.ts"],
    ["1b2c 1", "1b2c 2", "1b2c 4"],
  ],
  [["price", "--file", "/work/paint/price.ts", "--role", "user"], ["1b2c 1"]],
  [
    ["price", "--agent", "kilo"],
    ["ses_", "ses_", "ses_"],
  ],
  [["price", "--agent", "kilo", "--role", "user"], ["ses_"]],
  [["price", "--agent", "opencode"], []],
  [
    ["price", "--agent", "claude-code", "--project", "paint"],
    ["1b2c 1", "1b2c 2", "1b2c 4"],
  ],
  [["price", "--errors", "--agent", "claude-code"], ["0a1b 7"]],
];

describe("each filter finds the same", () => {
  for (const state of ["no store", "figures", "content", "file gone"]) {
    test(`in the command and the tool: ${state}`, async () => {
      const made = await home();
      const env = { XDG_DATA_HOME: join(made, "data") };
      if (state === "figures") assert.equal((await runCli(["stats"], { home: made, env })).exitCode, 0);
      if (state === "content" || state === "file gone")
        assert.equal((await runCli(["index"], { home: made, env })).exitCode, 0);
      if (state === "file gone") {
        rmSync(join(made, ".claude"), { recursive: true });
        rmSync(join(made, "data/kilo"), { recursive: true });
      }
      const machine = machineAt(made);
      for (const [argv, places] of QUESTIONS) {
        const said = `${state}: ${argv.join(" ")}`;
        assert.deepEqual(await asked(made, argv), places, `${said}, command`);
        assert.deepEqual(await called(machine, argv), places, `${said}, tool`);
      }
      await machine.close();
    });
  }

  test("in the library", async () => {
    const made = await home();
    assert.equal((await runCli(["index"], { home: made, env: { XDG_DATA_HOME: join(made, "data") } })).exitCode, 0);
    const machine = machineAt(made);
    const store = await machine.context.openStore();
    const stored = async (term: string, file: string): Promise<string[]> =>
      placesOf((await search(store, { term, file })).hits);
    assert.deepEqual(await stored("", "src/price.ts"), ["0a1b 2", "0a1b 4", "ses_"]);
    assert.deepEqual(await stored("rounded", "tax.ts"), ["0a1b 12"]);
    assert.deepEqual(await stored("rounded", "/work/paint/price.ts"), []);
    await machine.close();
  });

  test("a path relative to the current folder or the home names the same file", async () => {
    const made = makeTempDir();
    const lines =
      calls("Read", "c1", { file_path: `${made}/shop/a.ts` }, 1) + calls("Read", "c2", { file_path: "/x/a.ts" }, 2);
    storeSession(made, lines);
    for (const path of ["./shop/a.ts", "~/shop/a.ts", "shop/../shop/a.ts"])
      assert.deepEqual(await asked(made, ["--file", path]), ["0a1b 1"], path);
    assert.deepEqual(await asked(made, ["--file", "../a.ts"]), []);
    for (const path of ["", "/", "src/.."]) {
      const { stderr, exitCode } = await runCli(["find", "--file", path], { home: made });
      assert.deepEqual([exitCode, /names no file/.test(stderr)], [2, true], path);
    }
  });
});

test("`stats --agent`, `stats --by agent` and `list --agent` tell the agents apart", async () => {
  const made = await home();
  const run = async (...argv: string[]): Promise<unknown> => {
    const env = { XDG_DATA_HOME: join(made, "data") };
    const { stdout, stderr, exitCode } = await runCli([...argv, "--json"], { home: made, env });
    assert.equal(exitCode, 0, stderr);
    return JSON.parse(stdout);
  };
  const rows = z.array(z.object({ key: z.string(), messages: z.number() }));
  const sums = z.object({ sessions: z.number(), by: z.string().nullable(), rows });
  const all = sums.parse(await run("stats", "--by", "agent"));
  assert.deepEqual(all, { sessions: 3, by: "agent", rows: [{ key: "claude-code", messages: 8 }] });
  assert.equal(sums.parse(await run("stats", "--agent", "kilo")).sessions, 1);
  assert.equal(z.object({ session_id: z.string() }).parse(await run("list", "--agent", "kilo")).session_id, KILO);
});
