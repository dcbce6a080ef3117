import assert from "node:assert/strict";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { assistant, at, calls, result, says, SESSION, storeSession, user } from "../support/cli/claude-lines.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { machineAt } from "../support/tools/tool-calls.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

afterAll(removeTempDirs);

const home = makeTempDir();
const REFUSED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the " +
  "new_string was NOT written to the file). To tell you how to proceed, the user said:\n";

async function printed(lines: readonly string[], ...argv: string[]): Promise<string> {
  const [command = "", ...rest] = argv;
  const { stdout } = await runCli([command, "-", ...rest], { home, stdin: lines.join("") });
  return stdout;
}

describe("what a person said about a call", () => {
  const refused = [
    user("Tidy up", 0),
    calls("Bash", "t1", { command: "rm -rf build" }, 1),
    result("t1", `${REFUSED}Keep the maps.\nThey are slow to build.`, 2, true),
  ];

  test("is a message of the user without --with-tools", async () => {
    assert.match(await printed(refused, "show"), /\nUser {2}\S+\nKeep the maps\.\nThey are slow to build\.\n/);
  });

  test("appears once, under the call, with --with-tools", async () => {
    const text = await printed(refused, "show", "--with-tools");
    assert.match(
      text,
      / {2}! \(rejected by the user\)\n {4}The user said:\n {4}Keep the maps\.\n {4}They are slow to build\.\n/,
    );
    assert.equal(text.split("Keep the maps").length, 2);
  });

  test("adds nothing if they only declined", async () => {
    const lines = [...refused.slice(0, 2), result("t1", REFUSED.replace(/ To tell you.*\n/, ""), 2, true)];
    assert.doesNotMatch(await printed(lines, "show"), /doesn't want|\nUser .*\n\n/);
    assert.match(await printed(lines, "show", "--with-tools"), /\(rejected by the user\)\n\n$/);
  });

  test("includes answers to questions, but no output of other tools", async () => {
    const answered = 'Your questions have been answered: "Which river?"="The Elbe". You can now continue with these.';
    const asked = (tool: string): string[] => [
      user("Draw a river", 0),
      calls(tool, "t1", { questions: [{ question: "Which river?" }] }, 1),
      result("t1", answered, 2),
    ];
    assert.match(await printed(asked("AskUserQuestion"), "show"), /\nUser {2}\S+\n"Which river\?"="The Elbe"\n/);
    assert.doesNotMatch(await printed(asked("Bash"), "show"), /Elbe/);
  });
});

test("timeline marks turns that failed or were interrupted, not those whose model call was tried again", async () => {
  const failure = (second: number): string =>
    `${JSON.stringify({ type: "system", subtype: "api_error", sessionId: SESSION, uuid: `e-${second}`, timestamp: at(second) })}\n`;
  const tried = [user("One", 1), failure(2), says("Done.", 3)];
  const interrupted = [user("Two", 4), says("Half", 5), user("[Request interrupted by user]", 6)];
  const lines = [...tried, ...interrupted, user("Three", 7), failure(8)];
  const rows = (await printed(lines, "timeline", "--json")).trimEnd().split("\n");
  assert.deepEqual(
    rows.map((row): unknown => JSON.parse(row).ended_with),
    [null, "the user interrupted", "the model call failed"],
  );
});

describe("messages without content", () => {
  const set = user("<command-name>/model</command-name>\n<command-args></command-args>", 1);
  const nothing = user("<local-command-stdout></local-command-stdout>", 2);

  test("are not shown and begin no turn", async () => {
    const lines = [nothing, user("Count the birds", 3), says("Nine.", 4)];
    assert.doesNotMatch(await printed(lines, "show"), /local-command|Program/);
    const rows = (await printed(lines, "timeline", "--json")).trimEnd().split("\n");
    assert.deepEqual(
      rows.map((row): unknown => JSON.parse(row).turn),
      [1],
    );
  });

  test("output before the first prompt is a turn, and is shown without its tags", async () => {
    const lines = [user("<local-command-stdout>Two birds\n</local-command-stdout>", 2), user("Count", 3)];
    assert.match(await printed(lines, "show"), /\nProgram {2}\S+\nTwo birds\n\n/);
    assert.match(await printed(lines, "timeline", "--json"), /"turn":0,/);
  });

  test("a prompt, then a command of the user's own, names a session before commands of the program", async () => {
    const own = user("<command-name>/count-birds</command-name>\n<command-args>here</command-args>", 5);
    const promptOf = async (...lines: string[]): Promise<string | null> =>
      (await parseTranscript("S", lines.join(""))).stats.initial_prompt;
    assert.equal(await promptOf(set, nothing), "/model");
    assert.equal(await promptOf(set, nothing, own), "/count-birds here");
    assert.equal(await promptOf(own, set), "/count-birds here");
    assert.equal(await promptOf(set, own, user("Count", 6)), "Count");
    assert.match(await printed([set, own, says("Nine.", 6)], "show"), /^\/count-birds here\n/);
    const place = makeTempDir();
    storeSession(place, set + own);
    assert.match((await runCli(["list"], { home: place })).stdout, /\/count-birds here/);
  });
});

test("stats says why the parts are more than the sum", async () => {
  const shared = says("Nine.", 4);
  const own = says("Nine, I am told.", 9);
  const statsWith = async (below: string): Promise<string> => {
    const place = makeTempDir();
    const path = storeSession(place, user("Count the birds", 0) + shared + own);
    const agent = join(dirname(path), SESSION, "subagents", "agent-a1.jsonl");
    mkdirSync(dirname(agent), { recursive: true });
    writeFileSync(agent, below);
    return (await runCli(["stats", SESSION], { home: place })).stdout;
  };
  assert.match(await statsWith(shared), /\n {2}shared +answers that are in both/);
  assert.doesNotMatch(await statsWith(says("Ten.", 5)), /shared/);
});

describe("output of a person's own command", () => {
  const noted = (text: string, block = "ignored"): string =>
    user(block, 4).replace('"content":"ignored"', () => `"content":${JSON.stringify([{ type: "text", text }])}`);
  const lines = [
    user("<bash-input>make ambition</bash-input>", 0),
    user(
      "<bash-stdout>\u001b[1mambition made\u001b[22m</bash-stdout><bash-stderr>\u001b[33mwarned\u001b[0m</bash-stderr>",
      1,
    ),
    user("\n<local-command-stdout>\u001b[?2026hambition shown\u001b[39m</local-command-stdout>", 2),
    noted("<local-command-stderr>ambition lost</local-command-stderr>"),
    assistant(
      {
        blocks: [
          { type: "text", text: "Tags such as <bash-stdout> and </bash-stdout> stay where they are talked about." },
        ],
      },
      5,
    ),
  ];
  const path = storeSession(makeTempDir(), lines.join(""));
  const home = join(dirname(path), "../../..");

  test("is printed without its tags and terminal codes by every command", async () => {
    for (const argv of [
      ["show", path],
      ["show", path, "--with-tools", "--with-thinking"],
      ["show", path, "--summary"],
      ["tail", path],
      ["timeline", path],
      ["find", "ambition", "--role", "system"],
      ["list"],
    ]) {
      const { stdout, exitCode } = await runCli(argv, { home, terminal: 200 });
      assert.equal(exitCode, 0, argv.join(" "));
      const shown = stdout.replaceAll(/\u001b\[\d+m/g, "").replace(/^.*are talked about\.$/m, "");
      assert.doesNotMatch(shown, /std(?:out|err)>|\u001b|\u241b|\[(?:1|22|33|0|39)m|2026h/, argv.join(" "));
    }
    const { stdout } = await runCli(["show", path], { home });
    for (const text of ["ambition made", "warned", "ambition shown", "ambition lost"])
      assert(stdout.includes(text), text);
    assert.match(stdout, /Tags such as <bash-stdout> and <\/bash-stdout> stay/);
  });

  test("begins no turn", async () => {
    const { stdout } = await runCli(["timeline", path, "--json"], { home });
    assert.equal(stdout.trim().split("\n").length, 1);
  });

  test("is given to agents without its tags", async () => {
    const { text } = await machineAt(home).call("read_session", { session: path });
    assert.match(text, /ambition shown/);
    assert.doesNotMatch(text.replace(/^.*are talked about\.$/m, ""), /std(?:out|err)>/);
  });
});
