/** `transcripts export` as markdown and as JSON: the same conversation, whatever the session was read from. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  assistant,
  calls,
  result,
  sampleSession,
  says,
  SESSION,
  storeSession,
  user,
} from "../support/cli/claude-lines.ts";
import { outputOf, type Outputs, rowsOf } from "../support/cli/json-output.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { MAIN, sampleMachine, SUBAGENT } from "../support/cli/sample-machine.ts";
import { SESSION_KINDS, testSessions } from "../support/parse/session-files.ts";
import { asEachFormat } from "../support/parse/one-conversation.ts";
import { randomSecret } from "../support/parse/secret.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

type Session = Outputs["export"];
type Message = Session["messages"][number];

async function exportedAs(argument: string, output: string, home: string, ...options: string[]): Promise<string> {
  const { exitCode, stderr, stdout } = await runCli(["export", argument, "-o", output, "--yes", ...options], { home });
  assert.equal(exitCode, 0, `${argument}: ${stderr}`);
  return output === "-" ? stdout : readFileSync(join(home, output), "utf8");
}

async function rowsFrom(argument: string, home: string, ...options: string[]): Promise<Session> {
  return outputOf("export", await exportedAs(argument, "rows.json", home, ...options));
}

/** Returns the texts of a conversation: those of one prompt are joined, as in our entries. */
function said({ message_type: type, user_kind: kind, timestamp, blocks, metadata }: Message): unknown[] {
  // The transcript's label for what a text cannot show.
  if (metadata["subtype"] === "withheld reasoning") return [];
  const texts = blocks.flatMap(({ content_text: text }) => text ?? []);
  if (type !== "user") {
    return blocks.flatMap(({ content_text: text, thinking_text: thinking }) => {
      const who = type === "assistant" ? (thinking === null ? "assistant" : "reasoning") : "event";
      return (text ?? thinking ?? "") === "" ? [] : [[who, text ?? thinking, timestamp]];
    });
  }
  if (kind === "tool_result") return texts.map((text) => ["program", text, timestamp]);
  const text = texts.join("\n");
  return text === "" ? [] : [[kind === "meta" ? "program" : "user", text, timestamp]];
}

interface Told {
  said: unknown[];
  calls: unknown[];
  tokens: number[];
}

/** The conversation of a session's own messages, or of those of a subagent in its file. */
function told({ messages, tool_calls: calls }: Session, isOwn: (row: { ordinal: number }) => boolean): Told {
  const own = messages.filter(isOwn);
  const sum = (of: (row: Message) => number | null): number => own.reduce((total, row) => total + (of(row) ?? 0), 0);
  const place = (of: { timestamp: string | null } | null): unknown => of && of.timestamp;
  return {
    said: own.flatMap(said),
    calls: calls
      .filter(({ use, result }) => isOwn({ ordinal: (use ?? result)?.message_ordinal ?? -1 }))
      .map((call) => {
        const { tool_use_id: id, tool_name: name, tool_input: input, status, error, exit_code: exit } = call;
        return [id, name, input, status, error, exit, call.result_text, place(call.use), place(call.result)];
      }),
    tokens: [
      sum((row) => row.tokens_in),
      sum((row) => row.tokens_out),
      sum((row) => row.cache_read),
      sum((row) => row.cache_write),
    ],
  };
}

const everything = (): boolean => true;

/** Holds a session's transcript against its rows. */
async function check(argument: string, home: string, ...options: string[]): Promise<void> {
  const rows = await rowsFrom(argument, home, ...options);
  const text = await exportedAs(argument, "session.md", home, ...options);
  const side = new Map(rows.messages.map(({ ordinal, is_sidechain: isSide }) => [ordinal, isSide]));
  const isSubagent = rows.messages.every(({ is_sidechain: isSide }) => isSide);
  const isOwn = ({ ordinal }: { ordinal: number }): boolean => isSubagent || side.get(ordinal) === false;
  const own = told(rows, isOwn);
  const again = await rowsFrom(join(home, "session.md"), home, "--no-redact");
  assert.deepEqual(told(again, everything), own, argument);
  const { stderr } = await runCli(["show", join(home, "session.md")], { home });
  assert.doesNotMatch(stderr, /damaged/, argument);
  const headings = (kind: string): number =>
    text.split("\n").filter((line) => new RegExp(String.raw`## \[.*\] ${kind}`).test(line)).length;
  const blocks = rows.messages.filter(isOwn).flatMap((row) => row.blocks);
  assert.equal(headings("Tool Use:"), blocks.filter(({ block_type: type }) => type === "tool_use").length);
  assert.equal(
    headings("Tool Result:") + headings("Tool Error:"),
    blocks.filter(({ block_type: type }) => type === "tool_result").length,
  );
  assert.ok(headings("User Message") >= own.said.filter((of) => Array.isArray(of) && of[0] === "user").length);
}

describe("a transcript made of a session has its conversation", () => {
  test("from every source", async () => {
    const home = makeTempDir();
    const folder = join(home, "sources");
    const sources = await asEachFormat(folder);
    for (const [source, text] of Object.entries(sources)) {
      const path = join(folder, source === "markdown" ? "m.md" : `${source}.jsonl`);
      writeFileSync(path, text);
      await check(path, home);
    }
  });

  test("for arbitrary content", async () => {
    const home = makeTempDir();
    const heading = "## [2026-01-05T10:30:00.000Z] Tool Use: bash";
    const odd = [heading, `${heading}\n\n---\n\n`, "<!-- id -->", "```\n````", "\r\n\u0000\u001b[31m\ud800", " "];
    const lines = odd.flatMap((text, at) => [
      user(text, 10 * at),
      says(text, 10 * at + 1),
      // Equal blocks on one line, and ids that come again.
      assistant(
        {
          blocks: [
            { type: "thinking", thinking: text, signature: "s" },
            { type: "tool_use", id: "same", name: text, input: { [text]: text } },
            { type: "tool_use", id: `other ${at}`, name: "Bash", input: { command: text } },
            { type: "tool_use", id: `third ${at}`, name: "Bash", input: { command: text } },
          ],
        },
        10 * at + 2,
      ),
      result("same", text, 10 * at + 3),
      result(`other ${at}`, `Exit code 2\n${text}`, 10 * at + 4, true),
      user(text, 10 * at + 5).replace('"type":"user"', '"isMeta":true,"type":"user"'),
      result("unknown call", text, 10 * at + 6),
    ]);
    storeSession(home, [...lines, calls("Bash", "pending", { command: "sleep" }, 99)].join(""));
    await check(SESSION, home, "--no-redact");
  });

  testSessions("from session files", SESSION_KINDS, async (files) => {
    const home = makeTempDir();
    let checked = 0;
    for (const { path } of files) {
      const { exitCode } = await runCli(["export", path, "--markdown", "--no-redact"], { home });
      // Nothing was said in it.
      if (exitCode === 1) continue;
      await check(path, home, "--no-redact");
      checked += 1;
    }
    assert.ok(checked >= files.length / 2, `${checked} of ${files.length}`);
  });
});

describe("formats", () => {
  const home = makeTempDir();
  storeSession(home, sampleSession());

  test("follow the extension of the file, unless an option names one", async () => {
    const cases: [string[], RegExp][] = [
      [["-o", "a.md"], /^# Transcript: /],
      [["-o", "a.json"], /^\{"version":1,/],
      [["-o", "a.JSON"], /^\{"version":1,/],
      [["-o", "a.html"], /^<!doctype html>/i],
      [["-o", "b.md", "--html"], /^<!doctype html>/i],
      [["-o", "b.html", "--markdown"], /^# Transcript: /],
      [["-o", "b.txt", "--json"], /^\{"version":1,/],
    ];
    for (const [options, expected] of cases) {
      const { exitCode, stderr } = await runCli(["export", SESSION, ...options], { home });
      assert.equal(exitCode, 0, stderr);
      const path = join(home, options[1] ?? "");
      assert.match(readFileSync(path, "utf8"), expected, options.join(" "));
      assert.equal(statSync(path).mode & 0o777, 0o600);
    }
    for (const unclear of [[], ["-o", "b"], ["-o", "b.txt"]]) {
      const { exitCode, stdout, stderr } = await runCli(["export", SESSION, ...unclear], { home });
      assert.deepEqual([exitCode, stdout], [2, ""], unclear.join(" "));
      assert.match(stderr, /Add --html, --markdown or --json, or name a file that ends in \.html, \.md or \.json\.\n$/);
    }
    assert.match((await runCli(["export", SESSION, "--markdown"], { home })).stdout, /^# Transcript: /);
  });

  test("cannot be combined", async () => {
    for (const pair of [
      ["--html", "--json"],
      ["--markdown", "--json"],
      ["--html", "--markdown"],
    ]) {
      const { exitCode, stderr, stdout } = await runCli(["export", SESSION, ...pair, "-o", "no"], { home });
      assert.deepEqual([exitCode, stdout, existsSync(join(home, "no"))], [2, "", false]);
      for (const option of pair) assert.match(stderr, new RegExp(`option '${option}'.*`));
    }
  });

  test("are not printed on a terminal", async () => {
    for (const option of [[], ["--html"], ["--markdown"], ["--json"]]) {
      const { exitCode, stderr, stdout } = await runCli(["export", SESSION, ...option], { home, terminal: 80 });
      assert.deepEqual([exitCode, stdout], [2, ""]);
      assert.match(stderr, /is not exported to a terminal\. Name a file: `-o session\.html`/);
    }
  });

  test("are not written for a session without content", async () => {
    const empty = makeTempDir();
    const path = join(empty, "empty.jsonl");
    writeFileSync(path, `${JSON.stringify({ type: "ai-title", aiTitle: "x", sessionId: SESSION })}\n`);
    for (const output of ["a.md", "a.json"]) {
      const { exitCode } = await runCli(["export", path, "-o", output], { home: empty });
      assert.deepEqual([exitCode, existsSync(join(empty, output))], [1, false], output);
    }
  });

  test("never replace a folder, a link to a pipe, the session or its subagent", async () => {
    const machine = await sampleMachine();
    const projects = join(machine.home, ".claude/projects/-work-shop");
    mkdirSync(join(machine.home, "folder"));
    symlinkSync("/dev/null", join(machine.home, "link"));
    const own = join(projects, `${MAIN}.jsonl`);
    const subagent = join(projects, MAIN, "subagents", `${SUBAGENT}.jsonl`);
    const before = [own, subagent].map((path) => readFileSync(path, "utf8"));
    for (const format of ["--markdown", "--json"]) {
      for (const output of ["folder", "link", own, subagent]) {
        const { exitCode, stderr } = await machine.run("export", MAIN, format, "-o", output);
        assert.equal(exitCode, 2, output);
        assert.match(stderr, /(?:is not a regular file|is the session itself).* Name another file\.\n$/, output);
      }
    }
    const { stderr } = await machine.run("export", MAIN, "-o", "missing/session.md");
    assert.match(stderr, /its folder does not exist/);
    assert.ok(!existsSync(join(machine.home, "missing")));
    assert.deepEqual(
      [own, subagent].map((path) => readFileSync(path, "utf8")),
      before,
    );
  });
});

describe("subagents", () => {
  test("are left out of a transcript, which says how many, and are in the JSON", async () => {
    const machine = await sampleMachine();
    const { exitCode, stderr } = await machine.run("export", MAIN, "-o", "session.md");
    assert.equal(exitCode, 0, stderr);
    assert.match(stderr, /left out: 1 subagent, which can be exported by id/);
    const main = readFileSync(join(machine.home, "session.md"), "utf8");
    assert.doesNotMatch(main, /## \[.*\] User Message\n\nLook\n/);
    const below = await machine.run("export", SUBAGENT, "--markdown");
    assert.match(below.stdout, /It is there\./);
    const rows = await rowsFrom(MAIN, machine.home);
    assert.deepEqual(
      rows.children.map(({ session_id: id, parent_session_id: parent }) => [id, parent]),
      [[SUBAGENT, MAIN]],
    );
  });

  test("in opencode's form are named by their call", async () => {
    const home = makeTempDir();
    mkdirSync(join(home, ".git"));
    const link = { sessionID: "ses_2", path: "ses_1/ses_2.md" };
    const head = `${JSON.stringify({ format: "opencode-transcripts/jsonl", version: 1, sessionID: "ses_1" })}\n`;
    const line = (entry: object): string => `${JSON.stringify({ ...entry, timestamp: "2026-01-05T10:00:00.000Z" })}\n`;
    mkdirSync(join(home, ".openfleet/transcripts"), { recursive: true });
    const call = { tool: "task", callID: "c", input: { prompt: "Look" } };
    writeFileSync(
      join(home, ".openfleet/transcripts/ses_1.jsonl"),
      head +
        line({ type: "user", messageID: "m1", content: "Go", parts: [] }) +
        line({ type: "tool_use", messageID: "m2", partID: "p1", ...call, subagent: link }) +
        line({ type: "tool_result", messageID: "m2", partID: "p1", ...call, output: "done", subagent: link }),
    );
    const text = await exportedAs("ses_1", "copy.md", home);
    assert.equal(text.match(/\*\*Subagent\*\*: ses_2\n/g)?.length, 2);
  });
});

test("the messages of the JSON are those of show --json", async () => {
  const machine = await sampleMachine();
  for (const id of [MAIN, "ses_markdown", "ses_opencode"]) {
    const shown = await machine.run("show", id, "--json", "--with-tools", "--with-thinking");
    const { stdout } = await machine.run("export", id, "--json");
    assert.deepEqual(outputOf("export", stdout).messages, rowsOf("show", shown.stdout));
  }
});

test("a secret is in no format, unless --no-redact is given", async () => {
  const home = makeTempDir();
  const secret = randomSecret();
  storeSession(home, user(`export GITHUB_TOKEN=${secret}`, 0) + says(`It is ${secret}.`, 1));
  for (const output of ["s.md", "s.json"]) {
    const text = await exportedAs(SESSION, output, home);
    assert.ok(!text.includes(secret) && text.includes("[REDACTED:"), output);
    assert.equal((await exportedAs(SESSION, output, home, "--no-redact")).split(secret).length, 3);
  }
});
