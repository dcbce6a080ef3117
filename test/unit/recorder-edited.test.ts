/** A person edits a transcript that is being recorded, with an editor that writes into the file itself. */
import assert from "node:assert/strict";
import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionEventEntry, TranscriptEntry } from "../../src/transcript/format/entry-types.ts";
import { session } from "../support/recording/host-steps.ts";
import { readTranscript, Recording } from "../support/recording/recording.ts";
import { sampleConversation, stepsOf, toldBy } from "../support/recording/sample.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const FIRST = sampleConversation("ses_1", 3);
const SECOND = sampleConversation("ses_1", 2, 3);
const WHOLE = toldBy(sampleConversation("ses_1", 5));

const NAMES = { markdown: "ses_1.md", jsonl: "ses_1.jsonl" } as const;

/** Records, lets `edit` work on the file in place, and records on: in the same process, in the next. */
async function edited(
  format: "markdown" | "jsonl",
  edit: (text: string) => string,
  goesOn: "in the same process" | "in the next process",
) {
  const folder = join(makeTempDir(), ".openfleet");
  const file = join(folder, "transcripts", NAMES[format]);
  const recording = new Recording(folder, { format }).does(session("created", "ses_1"), ...stepsOf(FIRST));
  await recording.recorder.flush(5_000);
  const { ino } = statSync(file);
  writeFileSync(file, edit(readFileSync(file, "utf8")));
  assert.equal(statSync(file).ino, ino, "edited in place");
  const next = goesOn === "in the next process" ? new Recording(folder, { format }) : recording;
  next.does(...stepsOf(SECOND));
  await next.end();
  return readTranscript(folder, NAMES[format]);
}

const events = (entries: readonly TranscriptEntry[], name: string): (string | undefined)[] =>
  entries.flatMap((entry) => (entry.type === "session_event" && entry.name === name ? [entry.text] : []));

const isTorn = (entry: TranscriptEntry): entry is SessionEventEntry =>
  entry.type === "session_event" && entry.name === "torn entry";

const EDITS: readonly [what: string, edit: (text: string) => string][] = [
  ["text inserted in the middle", (text) => text.replace("\n## [", "\nA remark of mine.\n\n## [")],
  ["a long text inserted near the beginning", (text) => text.replace("\n---\n", `\n---\n\n${"mine ".repeat(5_000)}\n`)],
  ["text removed from an early message", (text) => text.replace("Please", "P")],
  ["a character replaced by another", (text) => text.replace("Please", "please")],
  ["blank lines added at the end", (text) => `${text}\n\n   \n`],
  ["the line ends at the end trimmed", (text) => text.trimEnd()],
  ["one line end left at the end", (text) => `${text.trimEnd()}\n`],
  ["the last rule removed too", (text) => text.replace(/\s*---\s*$/, "\n")],
  ["all line ends changed to those of Windows", (text) => text.replaceAll("\n", "\r\n")],
  ["all line ends changed and the last ones trimmed", (text) => text.replaceAll("\n", "\r\n").trimEnd()],
  ["another rule added at the end", (text) => `${text}---\n`],
  ["a byte order mark added", (text) => `\u{feff}${text}`],
  ["a title put before it", (text) => `---\ntitle: mine\n---\n\n${text}`],
];

describe("a transcript that a person edits in place", () => {
  for (const goesOn of ["in the same process", "in the next process"] as const) {
    for (const [what, edit] of EDITS) {
      test(`${what}, markdown, goes on ${goesOn} and keeps every entry`, async () => {
        const { told, entries, headers } = await edited("markdown", edit, goesOn);
        const known = told.map((line) => line.replace(/\b[Pp](?:lease)?\b/, "Please"));
        assert.deepEqual(known, WHOLE);
        assert.equal(headers.length, 1);
        assert.deepEqual(events(entries, "torn entry"), []);
      });
    }
  }

  test("JSONL without its last line end continues and keeps every entry", async () => {
    const { told, entries, problems } = await edited("jsonl", (text) => text.trimEnd(), "in the same process");
    assert.deepEqual(told, WHOLE);
    assert.deepEqual(events(entries, "torn entry"), []);
    assert.deepEqual(problems, []);
  });

  for (const format of ["markdown", "jsonl"] as const) {
    for (const note of [
      "Look at this again.",
      "# My notes\n\n- one\n- two ```\n",
      "\n\n---\n\n## Why\n\nBecause.\n",
      "é".repeat(50_000),
    ]) {
      test(`${format}: text appended, ${JSON.stringify(note.slice(0, 20))}, is kept and reported`, async () => {
        // Of JSONL only what follows the last line end is not a line.
        const text = format === "jsonl" ? note.replaceAll("\n", " ") : note;
        const { told, entries, problems } = await edited(format, (before) => before + text, "in the same process");
        assert.deepEqual(told, WHOLE);
        const [event, ...others] = entries.filter(isTorn);
        assert.deepEqual(others, []);
        assert.ok(JSON.stringify(event?.data).includes(JSON.stringify(text.trim().slice(0, 10_000)).slice(1, -1)));
        assert.deepEqual(problems, []);
      });
    }
  }

  test("an entry that broke off is still called torn", async () => {
    for (const [format, torn] of [
      ["markdown", "## [2026-01-05T10:30:00.000Z] User Message\n\nHal"],
      ["markdown", "## [2026-01"],
      ["markdown", "#"],
      ["markdown", "## [2026-01-05T10:30:00.000Z] User Message\n\nHello\n\n<!-- id @msg_"],
      ["markdown", "## [2026-01-05T10:30:00.000Z] User Message\n\nHello\n\n<!-- id @m --"],
      ["markdown", "\0\0\0\0"],
      ["jsonl", '{"type":"user","timest'],
    ] as const) {
      const { told, entries } = await edited(format, (text) => text + torn, "in the same process");
      assert.deepEqual(told, WHOLE, torn);
      assert.equal(events(entries, "torn entry").length, 1, torn);
    }
  });

  test("an edit between two records of another process loses neither", async () => {
    const folder = join(makeTempDir(), ".openfleet");
    const file = join(folder, "transcripts/ses_1.md");
    const first = new Recording(folder).does(session("created", "ses_1"), ...stepsOf(FIRST));
    await first.recorder.flush(5_000);
    const second = new Recording(folder).does(...stepsOf(sampleConversation("ses_1", 1, 3)));
    await second.recorder.flush(5_000);
    writeFileSync(file, readFileSync(file, "utf8").replace("\n## [", "\nMine.\n\n## ["));
    appendFileSync(file, "And at the end.\n");
    await first.does(...stepsOf(SECOND)).end();
    await second.end();
    const { told, entries } = await readTranscript(folder, "ses_1.md");
    assert.deepEqual(told, WHOLE);
    assert.match(JSON.stringify(entries.filter(isTorn)), /And at the end\./);
  });
});
