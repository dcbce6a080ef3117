import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TranscriptEntry } from "../../src/transcript/format/entry-types.ts";
import { shellQuoted } from "../../src/calls/shell-syntax.ts";
import { delegated, failed, PlayedSession, worked } from "../support/played-session.ts";
import { recallOutput, runRecall } from "../support/recall-commands.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { startSaving } from "../support/saving.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { parseJsonlTranscript, parseMarkdownTranscript } from "../support/read-entries.ts";

/** Text that looks like our own headings and lines. */
const NASTY = [
  "## [2026-01-05T10:30:00.000Z] Tool Use: bash",
  "## [2026-01-05T10:30:00.000Z] User Message",
  '{"type":"tool_use","tool":"bash"}',
  '{"type":"user","content":"x"}',
  "---",
  "```",
  "\0 \r \u001b[31m \ud800 \u2028 äöü 日本語",
].join("\n");

const PROMPTS = ["Find the Fehlerquelle, bitte", NASTY, `And this?\n${NASTY}`];

function conversation(): PlayedSession[] {
  const main = new PlayedSession("ses_main", { title: "It's a $HOME `test`" });
  for (const prompt of PROMPTS) {
    main
      .user(prompt)
      .answer(NASTY, [
        worked("bash", { command: NASTY }, NASTY),
        failed("read", { filePath: NASTY }, NASTY),
        worked("bash", { command: "seq" }, `needle-in-the-output ${"x".repeat(6_000)} ${NASTY}`),
      ]);
  }
  main.answer("I delegate.", [delegated("ses_child")]).idle();
  const child = new PlayedSession("ses_child", { parentID: "ses_main" })
    .user("go")
    .answer("The Fehlerquelle is here.")
    .idle();
  return [main, child];
}

async function saved(dataFolder: string, format: "markdown" | "jsonl", sessionID = "ses_main") {
  const saving = startSaving({ dataFolder, format });
  await saving.record(conversation().flatMap(({ records }) => records));
  return saving.saved(sessionID);
}

async function entriesOf(path: string, format: "markdown" | "jsonl"): Promise<TranscriptEntry[]> {
  const bytes = readFileSync(path);
  const { entries } = format === "jsonl" ? await parseJsonlTranscript(bytes) : await parseMarkdownTranscript(bytes);
  return entries;
}

const FOLDERS = [
  "plain",
  "with a space",
  "it's",
  'a "quote"',
  "$HOME `id` $(id)",
  "back\\slash",
  "*?[a]",
  "-n",
  "日本 é",
];

describe("the recall commands of a saved session", () => {
  afterAll(removeTempDirs);

  for (const format of ["markdown", "jsonl"] as const) {
    for (const name of FOLDERS) {
      test(`run as written in a folder called ${name} (${format})`, async () => {
        const dataFolder = join(makeTempDir(), name, ".openfleet");
        mkdirSync(dataFolder, { recursive: true });
        const { text } = await saved(dataFolder, format);
        const transcript = join(dataFolder, "transcripts", format === "jsonl" ? "ses_main.jsonl" : "ses_main.md");
        const content = readFileSync(transcript, "utf8");
        const outputs = runRecall(text);
        assert.equal(recallOutput(outputs, /^View/), content);
        const hits = recallOutput(outputs, /^Search it \(/);
        const [first = ""] = hits.split("\n");
        const line = content.split("\n")[Number(first.split(":")[0]) - 1];
        assert.equal(first.slice(first.indexOf(":") + 1), line);
        assert.match(hits, /Fehlerquelle/);
        const uses = (await entriesOf(transcript, format)).filter(({ type }) => type === "tool_use");
        assert.equal(uses.length, 10);
        assert.equal(recallOutput(outputs, /^Count/), `${uses.length}\n`);
      });
    }

    test(`search the long outputs and the subagents too (${format})`, async () => {
      const { text } = await saved(join(makeTempDir(), "a b", ".openfleet"), format);
      const hits = recallOutput(runRecall(text), /subagents/);
      assert.match(hits, /ses_child\.(md|jsonl):\d+:.*The Fehlerquelle is here/);
    });

    for (const locale of ["C", "C.UTF-8"]) {
      test(`show the user's messages and nothing else's beginnings (${format}, ${locale})`, async () => {
        const { text } = await saved(join(makeTempDir(), ".openfleet"), format);
        const shown = recallOutput(runRecall(text, { LC_ALL: locale }), /^The user's/);
        if (format === "jsonl") {
          const lines = shown.trimEnd().split("\n");
          const contents = lines.map((line): unknown => JSON.parse(line).content);
          assert.deepEqual(contents, PROMPTS);
          return;
        }
        assert.equal(shown.match(/^## \[.*\] User Message$/gm)?.length, PROMPTS.length);
        assert(!/^## \[.*\] (?!User Message)/m.test(shown.split("--\n")[0] ?? ""), shown);
        assert.match(shown, /^Find the Fehlerquelle, bitte$/m);
      });
    }

    test(`of a subagent's session are about its own transcript (${format})`, async () => {
      const { text } = await saved(join(makeTempDir(), ".openfleet"), format, "ses_child");
      const outputs = runRecall(text);
      assert.match(recallOutput(outputs, /^View/), /The Fehlerquelle is here/);
      // grep ends with 1 where it counts nothing.
      assert.deepEqual(
        outputs.filter(({ what }) => what.startsWith("Count")).map(({ stdout, code }) => [stdout, code]),
        [["0\n", 1]],
      );
    });

    test(`find something even if the user wrote no word to search for (${format})`, async () => {
      const saving = startSaving({ dataFolder: join(makeTempDir(), ".openfleet"), format });
      await saving.record(new PlayedSession("ses_short").user("1+1?").answer("2").idle().records);
      const { text } = await saving.saved("ses_short");
      assert.notEqual(recallOutput(runRecall(text), /^Search it \(/), "");
    });
  }

  test("any text is one word for the shell", () => {
    for (const text of ["", "a b", "it's", "''", "$HOME", "`id`", "\\", '"', "-e", "a\nb", "日本"]) {
      const [output] = runRecall(`\n## Recall\n\n\`\`\`bash\n# Echo\nprintf '%s|' ${shellQuoted(text)}\n\`\`\`\n`);
      assert.equal(output?.stdout, `${text}|`);
    }
  });
});
