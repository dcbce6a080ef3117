import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { delegated, failed, PlayedSession, worked } from "../support/played-session.ts";
import { onWindows } from "../support/machine.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { startSaving } from "../support/saving.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

const NOW = new Date(2026, 0, 5, 23, 59, 7);

/** A session with a bit of everything, whose subagent has a subagent. */
function family(): PlayedSession[] {
  const main = new PlayedSession("ses_main", { title: "New session - 2026-01-05T10:30:00.000Z" })
    .user("Please repair the parser\nand tell me what was wrong.")
    .answer("I look.", [
      worked("read", { filePath: "/project/src/parse.ts" }),
      worked("bash", { command: "npm test" }, "1 failed", { exit: 3 }),
      failed("read", { filePath: "/nowhere" }, "File not found: /nowhere\nat some place"),
      delegated("ses_child"),
    ])
    .answer("", [
      worked("edit", { filePath: "/project/src/parse.ts", oldString: "a", newString: "b" }),
      failed("edit", { filePath: "/project/untouched.ts" }, "oldString not found"),
      worked("apply_patch", { patchText: "*** Begin Patch\n*** Add File: docs/new.md\n+x\n*** End Patch" }),
    ])
    .event("title", "Repair the parser")
    .event("error", "The provider is overloaded", { name: "APIError" })
    .event("error", "Aborted", { name: "MessageAbortedError" })
    .user("And now?")
    .answer("It was a missing `break`.\n\nAll tests pass.")
    .idle();
  const child = new PlayedSession("ses_child", { parentID: "ses_main", title: "Look around" })
    .user("look around")
    .answer("I looked.", [delegated("ses_grandchild")])
    .idle();
  const grandchild = new PlayedSession("ses_grandchild", { parentID: "ses_child", title: "Look closer" })
    .user("look closer")
    .answer("Closer.")
    .idle();
  return [main, child, grandchild];
}

async function savedFamily(format: "markdown" | "jsonl" | "both", sessionID: string, args: unknown = {}) {
  const dataFolder = join(makeTempDir(), ".openfleet");
  const saving = startSaving({ dataFolder, format, now: () => NOW });
  await saving.record(family().flatMap(({ records }) => records));
  return { dataFolder, ...(await saving.saved(sessionID, args)) };
}

function assertLines(text: string, lines: readonly string[]): void {
  const all = text.split("\n");
  for (const line of lines) assert(all.includes(line), `${JSON.stringify(line)} is missing in\n${text}`);
}

describe("a saved session", () => {
  afterAll(removeTempDirs);

  test("contains no control character of titles, notes, prompts, errors, paths or answers", async () => {
    const hostile = "a\u001b[31mred\u001b]0;owned\u0007\u009b2J\u0000\u202eturned\u200f\rb";
    const session = new PlayedSession("ses_main", { title: "New session" })
      .user(`Do ${hostile}`)
      .answer(`Done ${hostile}`, [
        worked("edit", { filePath: `/project/${hostile}.ts`, oldString: "a", newString: "b" }),
        failed(`read`, { filePath: "/x" }, `not found ${hostile}`),
        delegated("ses_child"),
      ])
      .event("title", `Title ${hostile}`)
      .idle();
    const child = new PlayedSession("ses_child", { parentID: "ses_main", title: `Child ${hostile}` })
      .user("go")
      .answer("Gone.")
      .idle();
    const saving = startSaving({ dataFolder: join(makeTempDir(), ".openfleet") });
    await saving.record([...session.records, ...child.records]);
    const { path, text } = await saving.saved("ses_main", { note: `Note ${hostile}` });
    assert.match(text, /^# Title ared/);
    for (const part of ["Note ared", "- Do ared", "Done ared", "not found ared", "Child ared", "/project/ared"])
      assert.ok(text.includes(part), `${part} is missing in\n${text}`);
    const raw = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
    assert.equal(raw.exec(text), null);
    assert.equal(raw.exec(basename(path)), null);
    assert.doesNotMatch(basename(path), /31m|owned/);
  });

  test("has title, times, tokens, cost and counts", async () => {
    const { dataFolder, path, text } = await savedFamily("markdown", "ses_main");
    assert.equal(path, join(dataFolder, "sessions", "2026-01-05", "001_repair-the-parser.md"));
    assertLines(text, [
      "# Repair the parser",
      "- **Date**: 2026-01-05",
      "- **Session ID**: `ses_main`",
      "- **Messages**: 5 (2 user, 3 assistant)",
      "- **Tool calls**: 7 (3 failed)",
      "- **Models**: `acme/large`",
      "- **Tokens**: 3,000 in, 600 out, 90 reasoning, 12,000 cache read, 15 cache write",
      "- **Cost**: $0.0375, with subagents $0.0625",
      `- **Transcript**: \`${join(dataFolder, "transcripts", "ses_main.md")}\``,
    ]);
    assert.match(text, /^- \*\*Time\*\*: 23:59:07 \(UTC[+-]\d\d:\d\d\)$/m);
    assert(!text.includes("**Parent session**") && !text.includes("**Incomplete**"));
  });

  test("says how long the session took, from its first entry to its last", async () => {
    const dataFolder = join(makeTempDir(), ".openfleet");
    const saving = startSaving({ dataFolder });
    const session = new PlayedSession("ses_long").user("Begin");
    for (let minute = 0; minute < 61; minute += 1) session.answer(`Minute ${minute}`);
    await saving.record(session.idle().records);
    assertLines((await saving.saved("ses_long")).text, ["- **Duration**: 1 h 1 min"]);
  });

  test("lists the files that were touched, the errors and the subagents", async () => {
    const { dataFolder, text } = await savedFamily("markdown", "ses_main");
    const transcripts = join(dataFolder, "transcripts");
    assert.match(
      text,
      /^## Files touched\n\n- `\/project\/src\/parse\.ts` \(changed\)\n- `docs\/new\.md` \(changed\)\n\n/m,
    );
    const errors = text.slice(text.indexOf("## Errors\n"), text.indexOf("## Subagents\n")).trim().split("\n").slice(2);
    assert.deepEqual(errors.toSorted(), [
      "- `bash`: exit code 3: npm test",
      "- `edit`: oldString not found",
      "- `read`: File not found: /nowhere",
      "- `session`: The provider is overloaded",
    ]);
    assertLines(text, [
      `- \`ses_child\` Look around: \`${join(transcripts, "ses_main", "ses_child.md")}\``,
      `- \`ses_grandchild\` Look closer: \`${join(transcripts, "ses_child", "ses_grandchild.md")}\``,
    ]);
  });

  test("takes its summary from the session", async () => {
    const { text } = await savedFamily("markdown", "ses_main");
    assertLines(text, [
      "- Please repair the parser",
      "- And now?",
      "> I look.",
      "> It was a missing `break`.",
      "> All tests pass.",
    ]);
  });

  test("has the host's own summary too, once the session was compacted", async () => {
    const dataFolder = join(makeTempDir(), ".openfleet");
    const saving = startSaving({ dataFolder });
    const session = new PlayedSession("ses_compacted").user("Begin").answer("Begun.");
    await saving.record(session.answer("We began.", [], "compaction").idle().records);
    const { text } = await saving.saved("ses_compacted");
    assert.match(text, /summary of the last compaction:\n\n> We began\.\n\n.*last words:\n\n> Begun\.\n\n/);
  });

  test("has the note, and no such section without one", async () => {
    const { text } = await savedFamily("markdown", "ses_main", { note: "First line\n\n# no heading of ours" });
    assert.match(text, /^## Note\n\n> First line\n>\n> # no heading of ours\n\n## Summary$/m);
    assert(!(await savedFamily("markdown", "ses_main", { note: "  " })).text.includes("## Note"));
    assert(!(await savedFamily("markdown", "ses_main", { note: null })).text.includes("## Note"));
  });

  test("of a subagent names its parent and the transcript in the parent's folder", async () => {
    const { dataFolder, text } = await savedFamily("markdown", "ses_child");
    assertLines(text, [
      "- **Parent session**: `ses_main`",
      `- **Transcript**: \`${join(dataFolder, "transcripts", "ses_main", "ses_child.md")}\``,
    ]);
  });

  test("names the JSONL transcript where only that is recorded", async () => {
    const { dataFolder, text } = await savedFamily("jsonl", "ses_child");
    assertLines(text, [`- **Transcript**: \`${join(dataFolder, "transcripts", "ses_main", "ses_child.jsonl")}\``]);
    assertLines(text, [
      `- \`ses_grandchild\` Look closer: \`${join(dataFolder, "transcripts", "ses_child", "ses_grandchild.jsonl")}\``,
    ]);
  });

  test("is the same from either format, but for the transcript's name", async () => {
    const [markdown, jsonl] = [await savedFamily("markdown", "ses_main"), await savedFamily("jsonl", "ses_main")];
    const facts = ({ text, dataFolder }: { text: string; dataFolder: string }): string =>
      text
        .slice(0, text.indexOf("## Recall"))
        .replaceAll(dataFolder, "")
        .replace(/^- \*\*Duration\*\*: .*$/m, "") // it ends with an event, which has the time of its recording
        .replaceAll(/\.(md|jsonl)`/g, "`");
    assert.equal(facts(markdown), facts(jsonl));
  });

  test("without a title is named after the first prompt; without words it is untitled", async () => {
    const saving = startSaving({ dataFolder: join(makeTempDir(), ".openfleet") });
    await saving.record(new PlayedSession("ses_a").user("What is THIS?\nMore.").answer("That.").idle().records);
    await saving.record(new PlayedSession("ses_b").user("").answer("Hello.").idle().records);
    assert.equal(basename((await saving.saved("ses_a")).path), "001_what-is-this.md");
    const { path, text } = await saving.saved("ses_b");
    assert.equal(basename(path), "002_untitled-session.md");
    assertLines(text, ["# Untitled session", "- nothing in words"]);
  });

  test.skipIf(onWindows)("is readable by its owner alone", async () => {
    const { path } = await savedFamily("markdown", "ses_main");
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(statSync(dirname(path)).mode & 0o777, 0o700);
  });

  test("is announced to the model in plain words", async () => {
    const { dataFolder, answer, path } = await savedFamily("markdown", "ses_main");
    assert.deepEqual(answer.split("\n"), [
      `Saved as ${path}: 5 messages, 7 tool calls, 3 failed.`,
      `The full transcript is ${join(dataFolder, "transcripts", "ses_main.md")}; the saved file has commands to search it.`,
    ]);
  });
});
