import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, test } from "../support/runner.ts";
import { parseTranscript, readTranscript } from "../../src/agents/parse-input.ts";
import { failedCalls } from "../../src/queries/session-errors.ts";
import { needsSubagentCopies } from "../../src/sessions/reading-options.ts";
import { fileRef } from "../../src/sessions/file-ref.ts";
import { at, calls, result, says, SESSION, storeSession, user } from "../support/cli/claude-lines.ts";
import { rowsOf } from "../support/cli/json-output.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

let copies = 0;

/** A subagent's line, as older versions copy it into a line of their own. */
function progress(line: string): string {
  const message: unknown = JSON.parse(line);
  const data = { type: "agent_progress", agentId: "a1b2", message };
  const more = { type: "progress", sessionId: SESSION, timestamp: at(9), uuid: `p-${line.length}-${copies}` };
  copies += 1;
  return `${JSON.stringify({ ...more, data })}\n`;
}

const below = [
  user("Look for kingfishers", 3),
  calls("Grep", "toolu_below", { pattern: "kingfisher" }, 4),
  result("toolu_below", "<tool_use_error>No such folder: birds</tool_use_error>", 5, true),
  says("There is no kingfisher.", 6),
];
const session = [
  user("Search the birds", 0),
  calls("Task", "toolu_task", { prompt: "Look for kingfishers" }, 1),
  ...below.map(progress),
  result("toolu_task", "None.", 10),
  says("None was found.", 11),
].join("");

/** `files`: where a subagent's own file lies too. */
function homeWith(files?: "folder" | "beside" | "of another"): { home: string; path: string } {
  const home = makeTempDir();
  const path = storeSession(home, session);
  const folder = dirname(path);
  const other = "11111111-4e5f-4061-8071-2a3b4c5d6e7f";
  const lines = below.map((line) => {
    const fields: Record<string, unknown> = JSON.parse(line);
    const sessionId = files === "of another" ? other : SESSION;
    return `${JSON.stringify({ ...fields, sessionId, isSidechain: true, agentId: "a1b2" })}\n`;
  });
  if (files !== undefined) {
    const place = files === "folder" ? join(folder, SESSION, "subagents") : folder;
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "agent-a1b2.jsonl"), lines.join(""));
  }
  return { home, path };
}

async function total(home: string, ...argv: string[]): Promise<{ messages: number; tool_errors: number }> {
  const { stdout } = await runCli(["stats", ...argv, "--json"], { home });
  const { total: sum, tool_errors } = JSON.parse(stdout);
  return { messages: sum.messages, tool_errors };
}

describe("subagents that exist only in progress lines", () => {
  test("are read if they have no file", async () => {
    const needed = async (files?: "folder" | "beside" | "of another"): Promise<boolean> =>
      needsSubagentCopies(await fileRef(homeWith(files).path));
    assert.deepEqual(
      [await needed(), await needed("folder"), await needed("beside"), await needed("of another")],
      [true, false, false, true],
    );
    const { path } = homeWith("folder");
    const own = await fileRef(join(dirname(path), SESSION, "subagents", "agent-a1b2.jsonl"));
    assert.equal(await needsSubagentCopies(own), false);
  });

  test("count in stats and list, once", async () => {
    // Two answers of the session and two of its subagent.
    for (const files of [undefined, "folder", "beside"] as const) {
      const { home } = homeWith(files);
      assert.deepEqual(await total(home, SESSION), { messages: 4, tool_errors: 1 }, files);
      assert.deepEqual(await total(home), { messages: 4, tool_errors: 1 }, files);
      const { stdout } = await runCli(["list", "--json"], { home });
      const alone = files === undefined ? 80 : 40;
      assert.match(stdout, new RegExp(`"tokens_out":${alone},`), files);
    }
  });

  test("count on a damaged line too", async () => {
    const home = makeTempDir();
    const said = progress(says("There is no kingfisher.", 6));
    // Two records on one line, of which the first has no line end.
    storeSession(home, user("Search the birds", 0) + says("I do.", 1).trimEnd() + said + says("None.", 11));
    assert.equal((await total(home)).messages, 3);
  });

  test("are in errors, and in the page", async () => {
    const { home } = homeWith();
    for (const options of [[], ["--fixes"]]) {
      const all = await runCli(["errors", SESSION, ...options], { home });
      assert.match(all.stdout, /Grep.*toolu_below[^]*No such folder: birds/);
    }
    const page = await runCli(["export", SESSION, "--html"], { home });
    assert.match(page.stdout, /There is no kingfisher/);
  });

  test("are in no turn of show and timeline, which count the same messages", async () => {
    for (const files of [undefined, "folder"] as const) {
      const { home } = homeWith(files);
      const turns = await runCli(["timeline", SESSION, "--json"], { home });
      assert.match(turns.stdout, /"turn":1,.*"messages":4,"tools":\{"Task":1\},.*"tool_errors":0,.*"tokens_out":40,/);
      for (const command of ["show", "timeline"]) {
        const { stdout } = await runCli([command, SESSION], { home });
        assert.match(stdout, / 4 messages /, command);
      }
    }
  });

  test("are not in errors, timeline and export of a session with files", async () => {
    const { home } = homeWith("folder");
    assert.equal((await runCli(["errors", SESSION], { home })).stdout, "");
    assert.match((await runCli(["timeline", SESSION, "--json"], { home })).stdout, /"tokens_out":40,/);
    const { stdout } = await runCli(["export", SESSION, "--html"], { home });
    assert.equal(stdout.match(/<p>There is no kingfisher\.<\/p>/g)?.length, 1);
  });

  test("show has them with --subagents", async () => {
    const { home } = homeWith();
    const alone = await runCli(["show", SESSION], { home });
    assert.doesNotMatch(alone.stdout, /kingfisher/);
    const all = await runCli(["show", SESSION, "--subagents"], { home });
    assert.match(all.stdout, /Subagent a1b2: Assistant .*\nThere is no kingfisher\.\n/);
  });

  test("find has them, with a command that shows them", async () => {
    const { home } = homeWith();
    const rows = rowsOf("find", (await runCli(["find", '"no kingfisher"', "--json"], { home })).stdout);
    assert.deepEqual(
      rows.map(({ open }) => open),
      [`transcripts show ${SESSION} --line 6`],
    );
    const shown = await runCli(["show", SESSION, "--line", "6"], { home });
    assert.match(shown.stdout, /There is no kingfisher/);
  });

  test("find returns each entry of a file once", async () => {
    const { home } = homeWith("folder");
    const rows = rowsOf("find", (await runCli(["find", '"no kingfisher"', "--json"], { home })).stdout);
    assert.deepEqual(
      rows.map(({ session_id: id }) => id),
      ["agent-a1b2"],
    );
  });

  test("the errors of a session equal those of the full parse, with or without copies", async () => {
    const repeated = session.replace(below.map(progress).join(""), "") + below.map(progress).join("");
    for (const text of [session, repeated, below.map(progress).join("")]) {
      for (const subagentCopies of [false, true]) {
        const whole = await parseTranscript("S", text, { subagentCopies });
        const expected = whole.tool_calls.filter(({ status }) => status === "error").map(({ tool_use_id: id }) => id);
        const { found: quick } = await failedCalls(readTranscript("", text, { subagentCopies }));
        assert.deepEqual(
          quick.map(({ failed }) => failed.tool_use_id),
          expected,
        );
      }
    }
  });
});
