/** read_session: every entry once, whatever the budget and however the session grows; nothing over the budget. */
import assert from "node:assert/strict";
import { appendFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { z } from "zod";
import { assistant, calls, result, says, user } from "../support/cli/claude-lines.ts";
import { randomSecret } from "../support/parse/secret.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { machineAt, tokensOf } from "../support/tools/tool-calls.ts";

afterAll(removeTempDirs);

const home = makeTempDir();
const machine = machineAt(home);
const call = machine.call.bind(machine);

const pageShape = z.object({
  entries: z.array(
    z.object({
      line_number: z.number(),
      block_type: z.string(),
      turn: z.number(),
      text: z.string(),
      chars_before: z.number().optional(),
      chars_left: z.number().optional(),
      rest_cursor: z.string().optional(),
    }),
  ),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
});
type Page = z.infer<typeof pageShape>;

async function page(args: Record<string, unknown>): Promise<Page> {
  const answer = await call("read_session", args);
  assert(!answer.isError, answer.text);
  const budget = typeof args["max_tokens"] === "number" ? args["max_tokens"] : 4_000;
  assert(tokensOf(answer) <= budget, `${tokensOf(answer)} tokens of ${budget}`);
  return pageShape.parse(answer.data);
}

let files = 0;
function sessionFile(text: string): string {
  files += 1;
  const path = join(home, `made-${files}.jsonl`);
  writeFileSync(path, text);
  return path;
}

/** Entries that name themselves, so that what is missing or doubled shows. */
const lineArbitrary = fc.oneof(
  fc.record({ kind: fc.constant("says" as const), size: fc.integer({ min: 0, max: 3_000 }) }),
  fc.record({ kind: fc.constant("user" as const), size: fc.integer({ min: 0, max: 800 }) }),
  fc.record({ kind: fc.constant("call" as const), size: fc.integer({ min: 0, max: 6_000 }) }),
  fc.record({ kind: fc.constant("blocks" as const), size: fc.integer({ min: 1, max: 9 }) }),
);

let made = 0;
function lineOf({ kind, size }: { kind: string; size: number }): string {
  made += 1;
  const filler = ["word ", "日本語", "x-1_", "\n", "\u{1f600}"][made % 5] ?? "";
  const body = filler.repeat(size / filler.length);
  if (kind === "user") return user(`entry ${made} ${body}`, made);
  if (kind === "says") return says(`entry ${made} ${body}`, made);
  if (kind === "call") {
    const id = `toolu_${made}`;
    return calls("Bash", id, { command: `entry ${made}` }, made) + result(id, `entry ${made} result ${body}`, made);
  }
  const blocks = Array.from({ length: size }, (_, at) => ({ type: "text", text: `entry ${made} block ${at}` }));
  return assistant({ blocks }, made);
}

function names(pages: readonly Page[]): string[] {
  return pages.flatMap(({ entries }) =>
    entries.map(({ line_number, block_type, text }) => `${line_number} ${block_type} ${text.slice(0, 30)}`),
  );
}

async function allPages(first: Record<string, unknown>, between: () => void = () => undefined): Promise<Page[]> {
  const pages: Page[] = [];
  for (let cursor: string | null = null; ;) {
    const next: Page = await page(
      cursor === null ? first : { session: first["session"], max_tokens: first["max_tokens"], cursor },
    );
    pages.push(next);
    if (!next.has_more) return pages;
    assert.notEqual(next.next_cursor, cursor, "a page that goes nowhere");
    cursor = next.next_cursor;
    between();
  }
}

describe("pages of read_session", () => {
  test("have every entry once, of a session that grows between them too", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(lineArbitrary, { minLength: 1, maxLength: 25 }),
        fc.array(lineArbitrary, { maxLength: 12 }),
        fc.integer({ min: 1_000, max: 6_000 }),
        async (before, after, maxTokens) => {
          const path = sessionFile(before.map(lineOf).join(""));
          const waiting = after.map(lineOf);
          const args = { session: path, max_tokens: maxTokens, with_tools: true, with_thinking: true };
          const grown = await allPages(args, () => appendFileSync(path, waiting.shift() ?? ""));
          appendFileSync(path, waiting.splice(0).join(""));
          // What came after the end is read with the cursor that was given there.
          const last = grown.at(-1)?.next_cursor;
          assert(last);
          const rest = await allPages({ session: path, max_tokens: maxTokens, cursor: last });
          const whole = await allPages({ ...args, max_tokens: 50_000 });
          assert.deepEqual(names([...grown, ...rest]), names(whole));
        },
      ),
      { numRuns: 25 },
    );
  }, 120_000);

  test("show a long entry to its end by the cursors of what is cut", async () => {
    const text = Array.from({ length: 9_000 }, (_, at) => `${at} \u{1f600}é`).join(" ");
    const path = sessionFile(user("go", 0) + says(text, 1) + says("after it", 2));
    for (const maxTokens of [1_000, 3_000]) {
      const first = await page({ session: path, max_tokens: maxTokens });
      const long = first.entries[1];
      assert(long?.rest_cursor !== undefined && long.chars_left !== undefined);
      assert.equal(long.text.length + long.chars_left, text.length);
      let shown = long.text;
      let restPages = 0;
      for (let cursor: string | null = long.rest_cursor; cursor !== null;) {
        const next = await page({ session: path, max_tokens: maxTokens, cursor });
        assert.deepEqual(
          next.entries.map(({ line_number, chars_before }) => [line_number, chars_before]),
          [[2, shown.length]],
        );
        shown += next.entries[0]?.text ?? "";
        cursor = next.next_cursor;
        restPages += 1;
      }
      assert.equal(shown, text);
      assert(restPages > 2);
      // The page itself went on behind it.
      const { next_cursor } = first;
      const others = first.has_more
        ? await allPages({ session: path, max_tokens: maxTokens, cursor: next_cursor })
        : [];
      assert.equal(
        [first, ...others].flatMap(({ entries }) => entries).filter((entry) => entry.text === "after it").length,
        1,
      );
    }
  });

  test("refuse the cursor of a session that was replaced, cut or is another one", async () => {
    const text = Array.from({ length: 60 }, (_, at) => says(`number ${at} ${"and so on ".repeat(20)}`, at)).join("");
    const path = sessionFile(text);
    const { next_cursor: cursor } = await page({ session: path, max_tokens: 2_000 });
    const lines = text.split("\n");
    for (const other of [
      lines.toReversed().join("\n").trimStart(),
      lines.slice(0, 2).join("\n"),
      lines.slice(1).join("\n"),
      text.replaceAll("number", "Number"),
      text.slice(0, 20),
      "# Notes\n",
      "",
    ]) {
      writeFileSync(path, other);
      const answer = await call("read_session", { session: path, cursor });
      assert.equal(answer.isError, true, answer.text);
      assert.match(answer.text, /replaced or cut since that page.*from_line or turns/);
    }
    writeFileSync(path, text);
    assert((await page({ session: path, cursor })).entries.length > 0);
  });

  test("go on in a store whose calls end later: nothing twice, and the result is not passed over", async () => {
    const path = join(home, "export.json");
    const write = (...messages: unknown[]): void => {
      const info = {
        id: "ses_growing",
        title: "Growing",
        directory: "/work",
        version: "1.18.33",
        time: { created: 1 },
      };
      writeFileSync(path, JSON.stringify({ info, messages }, null, 2));
    };
    const person = message("msg_1", "user", [{ id: "prt_1", type: "text", text: "do it" }]);
    const pending = [tool("a", "pending"), tool("b", "pending")];
    const began = [{ id: "prt_2", type: "text", text: "I begin." }, ...pending];
    write(person, message("msg_2", "assistant", began));
    const args = { session: path, with_tools: true };
    const first = await page(args);
    write(
      person,
      message("msg_2", "assistant", [began[0], tool("a", "completed"), tool("b", "completed")]),
      message("msg_3", "assistant", [{ id: "prt_5", type: "text", text: "All done." }]),
    );
    const second = await page({ session: path, cursor: first.next_cursor });
    const whole = await page(args);
    const sorted = (pages: readonly Page[]): string[] =>
      pages.flatMap(({ entries }) => entries.map(({ block_type, text }) => `${block_type} ${text}`)).toSorted();
    assert.deepEqual(sorted([first, second]), sorted([whole]));
    assert.deepEqual(
      second.entries.map(({ block_type }) => block_type),
      ["tool_result", "tool_result", "text"],
    );
  });

  test("leave out an entry that is being written, and show it when it is whole", async () => {
    const line = says("the end of the story", 2);
    const path = sessionFile(user("tell me", 0) + line.slice(0, 80));
    const first = await page({ session: path });
    assert.deepEqual(names([first]).length, 1);
    appendFileSync(path, line.slice(80));
    const second = await page({ session: path, cursor: first.next_cursor });
    assert.deepEqual(
      second.entries.map(({ text }) => text),
      ["the end of the story"],
    );
  });
});

describe("what read_session shows", () => {
  const session = [
    user("first question", 0),
    calls("Bash", "toolu_1", { command: "make", description: "builds" }, 1),
    result("toolu_1", `made\n${"output ".repeat(50)}`, 2),
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
    (await page({ session: path, ...args })).entries.map(({ line_number }) => line_number);

  test("is the part that is asked for", async () => {
    assert.deepEqual(await lines({}), [1, 2, 4, 5, 6, 7, 9, 10, 11]);
    assert.deepEqual(await lines({ with_tools: true }), [1, 2, 3, 4, 5, 6, 7, 9, 10, 11]);
    assert.deepEqual(await lines({ with_thinking: true, turns: "2" }), [7, 8, 9]);
    assert.deepEqual(await lines({ turns: "2-3" }), [7, 9, 10, 11]);
    assert.deepEqual(await lines({ turns: "-1" }), [10, 11]);
    assert.deepEqual(await lines({ turns: -2 }), [7, 9, 10, 11]);
    assert.deepEqual(await lines({ turns: "-99" }), await lines({}));
    assert.deepEqual(await lines({ from_line: 6 }), [6, 7, 9, 10, 11]);
    assert.deepEqual(await lines({ around_line: 6 }), [2, 4, 5, 6, 7, 9, 10, 11]);
    assert.deepEqual(await lines({ from_line: null, cursor: null, turns: null }), await lines({}));
  });

  test("is one line for a call, and its result only if it failed, unless tools are asked for", async () => {
    const { text } = await call("read_session", { session: path });
    assert.match(text, /^\[2\] call Bash, 10:00:01\n\{"command":"make","description":"builds"\}$/m);
    assert.match(text, /^\[5\] result Bash \(error\), 10:00:04\nExit code 2 no such target$/m);
    assert(!text.includes("output output"));
    assert.match(text, /^\[9\] assistant, 10:01:02\nfourth red$/m);
    assert.match((await call("read_session", { session: path, with_tools: true })).text, /output output/);
  });

  test("names the session, its file and what to ask next", async () => {
    const { text } = await call("read_session", { session: path });
    assert.match(text, new RegExp(`^Session \\S+\\nfile ${path}\\n`));
    assert.match(
      text,
      /This is the end so far\. What comes later: read_session \{"session":"[^"]+","cursor":"[^"]+"\}$/,
    );
  });

  test("has no secret, also where an entry is cut", async () => {
    const secret = randomSecret();
    const other = sessionFile(
      user(`the key: ${secret} ${"more ".repeat(2_000)} ${secret}`, 0) +
        calls("Bash", "toolu_9", { command: `echo ${secret}` }, 1),
    );
    const pages: string[] = [];
    for (let cursor: unknown; ;) {
      const answer = await call("read_session", { session: other, max_tokens: 1_000, with_tools: true, cursor });
      pages.push(answer.text, JSON.stringify(answer.data));
      const data = pageShape.parse(answer.data);
      for (const { rest_cursor } of data.entries) {
        if (rest_cursor === undefined) continue;
        const rest = await call("read_session", { session: other, max_tokens: 8_000, cursor: rest_cursor });
        pages.push(rest.text);
      }
      if (!data.has_more) break;
      cursor = data.next_cursor;
    }
    assert(!pages.join("\n").includes(secret.slice(4)));
    assert.match(pages.join("\n"), /REDACTED/);
  });

  test("is said in words where there is none", async () => {
    for (const [args, words] of [
      [{ session: path, turns: "7" }, /has 3 turns\. Pass turns: "3"/],
      [{ session: path, from_line: 99 }, /nothing at line 99: its last entry is on line 11/],
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
    for (const begun of ["# Tran", "# Transcript: ses_1\n", header.slice(0, 14), header.slice(0, 50), header]) {
      const answer = await call("read_session", { session: sessionFile(begun) });
      assert.deepEqual([answer.isError ?? false, begun], [false, begun], answer.text);
      assert.match(answer.text, /There is nothing to show here\./);
    }
  });

  test("is the current session if none is named, or else the latest", async () => {
    const own = makeTempDir();
    const machine = machineAt(own);
    const folder = join(own, ".openfleet/transcripts");
    const { mkdirSync } = await import("node:fs");
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

function message(id: string, role: string, parts: readonly unknown[]): unknown {
  const info = { id, role, sessionID: "ses_growing", time: { created: Number(id.slice(4)) * 1_000 }, modelID: "m" };
  return { info, parts };
}

function tool(callID: string, status: "pending" | "completed"): unknown {
  const ended = status === "completed" ? { output: `result of ${callID}`, title: "", metadata: {} } : {};
  const state = { status, input: { command: callID }, time: { start: 1, end: 2 }, ...ended };
  return { id: `prt_3${callID}`, type: "tool", tool: "bash", callID, state };
}
