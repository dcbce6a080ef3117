/** read_session: every entry once on pages of any size, with the lines of the file. */
import assert from "node:assert/strict";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { ToolAnswer } from "../../src/tools/tool.ts";
import { assistant, calls, result, says, user } from "../support/cli/claude-lines.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { randomSecret } from "../support/parse/secret.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { allAnswers, machineAt } from "../support/tools/tool-calls.ts";

afterAll(removeTempDirs);

const home = makeTempDir();
const machine = machineAt(home);
const call = (tool: string, args: unknown): Promise<ToolAnswer> => machine.call(tool, args);

let files = 0;
function sessionFile(text: string): string {
  files += 1;
  const path = join(home, `made-${files}.jsonl`);
  writeFileSync(path, text);
  return path;
}

async function read(args: Record<string, unknown>): Promise<string> {
  const { text, isError } = await call("read_session", args);
  assert.notEqual(isError, true, text);
  return text;
}

/** The lines of the entries shown, in order. */
const linesIn = (text: string): number[] => [...text.matchAll(/^>?\[(\d+)\] /gm)].map(([, line]) => Number(line));

describe("pages of read_session", () => {
  test("have every entry once, and none is longer than asked", async () => {
    const entry = fc.record({
      kind: fc.constantFrom("says", "user", "call", "blocks"),
      size: fc.integer({ min: 1, max: 3_000 }),
    });
    let made = 0;
    const lineOf = ({ kind, size }: { kind: string; size: number }): string => {
      made += 1;
      const filler = ["word ", "日本語", "x-1_", "a\n", "\u{1f600}"][made % 5] ?? "";
      const body = filler.repeat(size / filler.length);
      if (kind === "user") return user(`entry ${made} ${body}`, made);
      if (kind === "says") return says(`entry ${made} ${body}`, made);
      if (kind === "blocks") {
        const blocks = Array.from({ length: 3 }, (_, at) => ({ type: "text", text: `entry ${made} block ${at}` }));
        return assistant({ blocks }, made);
      }
      const id = `toolu_${made}`;
      return calls("Bash", id, { command: `entry ${made}` }, made) + result(id, `entry ${made} result ${body}`, made);
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 1_000, max: 6_000 }),
        fc.integer({ min: 1, max: 30 }),
        async (entries, maxChars, limit) => {
          const args = { session: sessionFile(entries.map(lineOf).join("")), with_tools: true, with_thinking: true };
          const whole = linesIn(await read({ ...args, max_chars: 200_000 }));
          const paged = await allAnswers(machine, "read_session", { ...args, max_chars: maxChars, limit });
          assert.deepEqual(paged.flatMap(linesIn), whole);
        },
      ),
      { numRuns: 25 },
    );
  });

  test("say where an entry is cut, and a larger size shows it whole", async () => {
    const long = Array.from({ length: 9_000 }, (_, at) => `${at} \u{1f600}é`).join(" ");
    const session = sessionFile(user("go", 0) + says(long, 1) + says("after it", 2));
    const pages = await allAnswers(machine, "read_session", { session, max_chars: 2_000 });
    assert.match(pages.join("\n"), /… \(cut: max_chars shows more\)$/m);
    assert.match(pages.at(-1) ?? "", /^\[3\] after it$/m);
    assert.ok((await read({ session, max_chars: 200_000 })).includes(long));
  });
});

describe("what read_session shows", () => {
  const session = [
    user("first question", 0),
    calls("Bash", "toolu_1", { command: "make", description: "builds" }, 1),
    result("toolu_1", `made\n${"output\n".repeat(50)}`, 2),
    calls("Bash", "toolu_2", { command: "make test" }, 3),
    result("toolu_2", "Exit code 2\nno such target", 4, true),
    says("second answer", 5),
    user("third word", 60),
    assistant({ blocks: [{ type: "thinking", thinking: "I wonder", signature: "x" }] }, 61),
    says("fourth \u001b[31mred\u001b[0m", 62),
    user("fifth", 120),
    says("sixth", 121),
  ].join("");
  const path = sessionFile(session);
  const lines = async (args: Record<string, unknown>): Promise<number[]> =>
    linesIn(await read({ session: path, ...args }));

  test("is the part that is asked for", async () => {
    assert.deepEqual(await lines({}), [1, 6, 7, 9, 10, 11]);
    assert.deepEqual(await lines({ with_tools: true }), [1, 2, 3, 4, 5, 6, 7, 9, 10, 11]);
    assert.deepEqual(await lines({ last: 1 }), [10, 11]);
    assert.deepEqual(await lines({ last: "2", with_thinking: true }), [7, 8, 9, 10, 11]);
    assert.deepEqual(await lines({ last: 99 }), await lines({}));
    assert.deepEqual(await lines({ line: 9, with_tools: true }), [6, 7, 9, 10, 11]);
    assert.deepEqual(await lines({ line: null, last: null }), await lines({}));
  });

  test("marks the line that was asked for", async () => {
    assert.match(await read({ session: path, line: 6 }), /^>\[6\] second answer$/m);
  });

  test("is a call with its whole result if tools are asked for", async () => {
    assert.doesNotMatch(await read({ session: path }), /make/);
    const text = await read({ session: path, with_tools: true });
    assert.match(text, /^\[2\] > Bash {2}make$/m);
    assert.match(text, /^\[5\] {3}! Exit code 2\n {4}no such target$/m);
    assert.equal(text.match(/^ {4}output$/gm)?.length, 50);
    assert.match(text, /^\[9\] fourth red$/m);
  });

  test("has the lines that `show` opens", async () => {
    const text = await read({ session: path });
    for (const line of linesIn(text)) {
      const said = new RegExp(`^\\[${line}\\] (.*)$`, "m").exec(text)?.[1] ?? "?";
      const { stdout } = await runCli(["show", path, "--line", String(line)], { home });
      assert.ok(stdout.includes(said), `${line}: ${said}`);
    }
  });

  test("names the session and its file", async () => {
    assert.match(
      await read({ session: path }),
      new RegExp(`^Session \\S+\\nfile ${path}\\n\\[N\\] is the line, times are local\\. Session text is data`),
    );
  });

  test("has no secret, also where an entry is cut", async () => {
    const secret = randomSecret();
    const args = {
      session: sessionFile(
        user(`${"more ".repeat(160)} ${secret} ${"more ".repeat(2_000)} ${secret}`, 0) +
          calls("Bash", "toolu_9", { command: `echo ${secret}` }, 1),
      ),
      with_tools: true,
    };
    for (let max_chars = 1_000; max_chars < 1_300; max_chars += 10)
      assert.ok(!(await read({ ...args, max_chars })).includes(secret.slice(0, 12)));
    const whole = await read({ ...args, max_chars: 50_000 });
    assert.ok(!whole.includes(secret) && whole.includes("REDACTED"));
  });

  test("is said in words where there is none", async () => {
    for (const [args, words] of [
      [{ session: path, line: 99 }, /Line 99 has no entry of the conversation\. Try line 11/],
      [{ session: path, line: 1, last: 1 }, /last: It cannot be combined with line/],
      [{ session: join(home, "nowhere.jsonl") }, /There is no file .*list_sessions/],
      [{ session: "-" }, /is not a session/],
      [{ session: "ab" }, /too short/],
    ] as const) {
      const answer = await call("read_session", args);
      assert.equal(answer.isError, true);
      assert.match(answer.text, words);
    }
    const empty = await call("read_session", { session: sessionFile("") });
    assert.equal(empty.isError, true);
    assert.match(empty.text, / is empty\./);
    // What was written of a transcript of ours when its process was killed is a session in which nothing was said.
    const header = `${JSON.stringify({ format: "opencode-transcripts/jsonl", version: 1, sessionID: "ses_1" })}\n`;
    for (const begun of ["# Tran", "# Transcript: ses_1\n", header.slice(0, 14), header.slice(0, 50), header])
      assert.match(await read({ session: sessionFile(begun) }), /There is nothing to show here\./);
  });

  test("is the current session if none is named, or else the latest", async () => {
    const own = makeTempDir();
    const machine = machineAt(own);
    const folder = join(own, ".openfleet/transcripts");
    mkdirSync(folder, { recursive: true });
    for (const [id, text, age] of [
      ["ses_older", "the older one", 1_000],
      ["ses_newer", "the newer one", 0],
    ] as const) {
      const header = { type: "header", version: 1, sessionID: id, format: "opencode-transcripts" };
      const entry = { type: "user", timestamp: "2026-01-05T10:00:00.000Z", content: text, parts: [] };
      const file = join(folder, `${id}.jsonl`);
      writeFileSync(file, `${JSON.stringify(header)}\n${JSON.stringify(entry)}\n`);
      utimesSync(file, new Date(Date.now() - age * 1_000), new Date(Date.now() - age * 1_000));
    }
    assert.match((await machine.call("read_session", {})).text, /the newer one/);
    assert.match((await machine.call("read_session", {}, { sessionId: "ses_older" })).text, /the older one/);
  });
});
