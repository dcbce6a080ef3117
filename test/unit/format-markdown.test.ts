import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { TranscriptEntry, TranscriptHeader } from "../../src/transcript/format/entry-types.ts";
import { encodeMarkdownEntry, encodeMarkdownHeader } from "../../src/transcript/format/markdown-encode.ts";
import { describe, test } from "../support/runner.ts";
import { parseMarkdownTranscript } from "../support/read-entries.ts";

const timestamp = "2026-01-05T10:30:00.000Z";
const options = { filePath: "ses_parent/ses_1.md" };

const header: TranscriptHeader = {
  version: 1,
  sessionID: "ses_1",
  parentID: "ses_parent",
  parentPath: "ses_parent.md",
  directory: "/home/me/my_project",
  created: timestamp,
  host: "opencode 1.18.33",
};
const HEADER = `# Transcript: ses_1

- **Started**: 2026-01-05T10:30:00.000Z
- **Directory**: /home/me/my_project
- **Host**: opencode 1.18.33
- **Parent**: [ses_parent](../ses_parent.md)

<!-- transcript {"version":1} -->

---

`;

const user: TranscriptEntry = {
  type: "user",
  timestamp,
  messageID: "msg_1",
  content: "What is in @notes.txt?\n\nSee the image.",
  parts: [
    { type: "text", text: "What is in @notes.txt?" },
    { type: "text", text: "See the image." },
    { type: "text", synthetic: true, text: "1: ```\n2: a note" },
    {
      type: "file",
      filename: "notes.txt",
      source: { text: { value: "@notes.txt", start: 11, end: 21 } },
    },
  ],
  attachments: [
    {
      mime: "image/png",
      filename: "screen (1).png",
      path: "ses_1/outputs/screen (1).png",
      bytes: 12345,
    },
  ],
  model: "acme/large",
};
const USER = `## [2026-01-05T10:30:00.000Z] User Message

What is in @notes.txt?

See the image.

**Attachment**: [screen (1).png](../ses_1/outputs/screen%20%281%29.png) (image/png, 12,345 bytes)

### Added by the host

\`\`\`\`text
1: \`\`\`
2: a note
\`\`\`\`

<!-- id @_1 ~ 38 {"model":"acme/large","attachments":[{"mime":"image/png","filename":"screen (1).png","path":"ses_1/outputs/screen (1).png","bytes":12345}],"parts":[{"type":"text","text":{"$text":["content",0,22]}},{"type":"text","text":{"$text":["content",24,38]}},{"type":"text","synthetic":true,"text":{"$text":"text0"}},{"type":"file","filename":"notes.txt","source":{"text":{"value":"@notes.txt","start":11,"end":21}}}],"blocks":3} -->

---

`;

const assistant: TranscriptEntry = {
  type: "assistant",
  timestamp,
  messageID: "msg_2",
  partID: "prt_2",
  content: "I shall **look**.\n\n```sh\nls\n```",
  model: "acme/large",
};
const ASSISTANT = `## [2026-01-05T10:30:00.000Z] Assistant Message

I shall **look**.

\`\`\`sh
ls
\`\`\`

<!-- id @_2 _2 ~ 31 {"model":"acme/large"} -->

---

`;

const reasoning: TranscriptEntry = {
  type: "reasoning",
  timestamp,
  content: "Is <details> open?",
  interrupted: true,
};
const REASONING = `## [2026-01-05T10:30:00.000Z] Reasoning

\`\`\`markdown
Is <details> open?
\`\`\`

*interrupted*

<!-- id @ ~ 18 {"fenced":true,"interrupted":true,"blocks":1} -->

---

`;

const toolUse: TranscriptEntry = {
  type: "tool_use",
  timestamp,
  messageID: "msg_2",
  partID: "prt_3",
  tool: "bash",
  callID: "call_1",
  input: { command: "cat a > b" },
};
const TOOL_USE = `## [2026-01-05T10:30:00.000Z] Tool Use: bash

**Call ID**: call_1

### Input

\`\`\`json
{
  "command": "cat a > b"
}
\`\`\`

<!-- id @_2 _3 -->

---

`;

const toolResult: TranscriptEntry = {
  type: "tool_result",
  timestamp,
  messageID: "msg_2",
  partID: "prt_3",
  tool: "bash",
  callID: "call_1",
  input: { command: "cat a > b" },
  output: "\u001b[31mred\u001b[0m\n## [x] Tool Use: bash",
  title: "Copy src/__a__.ts",
  exitCode: 0,
  metadata: { exit: 0, output: "\u001b[31mred\u001b[0m\n## [x] Tool Use: bash", diff: "-a\n+b" },
};
const TOOL_RESULT = `## [2026-01-05T10:30:00.000Z] Tool Result: bash

**Call ID**: call_1

**Title**: \`Copy src/__a__.ts\`

### Output

\`\`\`
\u241b\u2060[31mred\u241b\u2060[0m
#\u2060# [x] Tool Use: bash
\`\`\`

### Diff

\`\`\`diff
-a
+b
\`\`\`

<!-- id @_2 _3 34 {"status":null,"metadata":{"exit":0,"output":{"$text":"output"},"diff":{"$text":"text0"}}} -->

---

`;

const failed: TranscriptEntry = {
  type: "tool_result",
  timestamp,
  tool: "task",
  callID: "call_2",
  input: { prompt: "## [x] Tool Use: y" },
  output: { reason: "aborted" },
  status: "interrupted",
  subagent: { sessionID: "ses_2", path: "ses_1/ses_2.md" },
};
const FAILED = `## [2026-01-05T10:30:00.000Z] Tool Error: task

**Call ID**: call_2

**Status**: interrupted

**Subagent**: [ses_2](../ses_1/ses_2.md)

### Output

\`\`\`json
{
  "reason": "aborted"
}
\`\`\`

<!-- id @ - {"json":true,"input":{"prompt":"\\u0023# [x] Tool Use: y"}} -->

---

`;

const event: TranscriptEntry = {
  type: "session_event",
  timestamp,
  partID: "prt_4",
  name: "title",
  text: "The session is now called: Notes.",
  data: { title: "Notes" },
};
const EVENT = `## [2026-01-05T10:30:00.000Z] Session Event: title

The session is now called: Notes.

### Data

\`\`\`json
{
  "title": "Notes"
}
\`\`\`

<!-- id @ _4 {"blocks":2} -->

---

`;

const usage: TranscriptEntry = {
  type: "session_event",
  timestamp,
  messageID: "msg_2",
  name: "usage",
  text: "acme/large · 1,234 in · 56 out · $0.5 · stop",
  data: {
    model: "acme/large",
    tokens: { input: 1234, output: 56, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
    cost: 0.5,
    reason: "stop",
  },
};
const USAGE = `*[2026-01-05T10:30:00.000Z] acme/large · 1,234 in · 56 out · $0.5 · stop*

<!-- id @_2 -->

---

`;

const FILE = [
  [user, USER],
  [assistant, ASSISTANT],
  [reasoning, REASONING],
  [toolUse, TOOL_USE],
  [toolResult, TOOL_RESULT],
  [failed, FAILED],
  [event, EVENT],
  [usage, USAGE],
] as const;

describe("a markdown transcript", () => {
  test("is written as these bytes", () => {
    assert.equal(encodeMarkdownHeader(header, options), HEADER);
    for (const [entry, section] of FILE) {
      assert.equal(encodeMarkdownEntry(entry, { ...options, inputIsKnown: entry === toolResult }), section);
    }
  });

  test("is read back equal", async () => {
    const parsed = await parseMarkdownTranscript(HEADER + FILE.map(([, section]) => section).join(""));
    assert.deepStrictEqual(parsed, { header, entries: FILE.map(([entry]) => entry), problems: [] });
  });

  test("usage with a line separator is no line of its own, and is read back", async () => {
    const tokens = { input: 1, output: 2, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
    const data = { model: "acme/large", tokens, reason: "x\u2028y" };
    const separated: TranscriptEntry = { ...usage, text: "acme/large · 1 in · 2 out · x\u2028y", data };
    const { entries } = await parseMarkdownTranscript(HEADER + encodeMarkdownEntry(separated, options));
    assert.deepStrictEqual(entries, [separated]);
  });

  test("a line that a person wrote before usage is not taken for it", async () => {
    const { entries, problems } = await parseMarkdownTranscript(`${HEADER}*[note] remember this*\n\n${USAGE}`);
    assert.deepStrictEqual(entries, [usage]);
    assert.deepStrictEqual(
      problems.map(({ code }) => code),
      ["damaged_entry"],
    );
  });

  test("shows hostile names on one line and keeps them exactly", async () => {
    const hostile: TranscriptEntry = {
      type: "tool_use",
      timestamp: "now] Tool Use: x",
      tool: "a\n## [x] Tool Use: b",
      callID: "c`\n",
      input: null,
    };
    const section = encodeMarkdownEntry(hostile, options);
    assert.ok(section.startsWith("## [now__Tool_Use:_x] Tool Use: a_x_Tool Use: b\n\n**Call ID**: c_\n\n### Input\n"));
    assert.deepStrictEqual((await parseMarkdownTranscript(HEADER + section)).entries, [hostile]);
  });

  test("is read from a stream of text, of bytes, and from a web stream", async () => {
    const text = HEADER + encodeMarkdownEntry({ type: "reasoning", timestamp, content: "\ud83d\ude00" }, options);
    const middle = text.indexOf("\ud83d") + 1;
    async function* strings(): AsyncGenerator<string> {
      yield text.slice(0, middle);
      yield text.slice(middle);
    }
    const expected = await parseMarkdownTranscript(text);
    assert.equal(expected.problems.length, 0);
    assert.deepStrictEqual(await parseMarkdownTranscript(strings()), expected);
    assert.deepStrictEqual(await parseMarkdownTranscript(Buffer.from(text)), expected);
    assert.deepStrictEqual(await parseMarkdownTranscript(new Blob([text]).stream()), expected);
  });

  test("values that JSON cannot represent do not spoil an entry", async () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const entry: TranscriptEntry = {
      type: "tool_result",
      timestamp,
      tool: "t",
      callID: "c",
      input: { count: 1n, name: "n" },
      output: cycle,
      metadata: cycle,
    };
    const { entries, problems } = await parseMarkdownTranscript(HEADER + encodeMarkdownEntry(entry, options));
    assert.deepStrictEqual(problems, []);
    const unserializable = "[unserializable]";
    assert.deepStrictEqual(entries, [
      {
        ...entry,
        input: unserializable,
        output: { self: unserializable },
        metadata: unserializable,
      },
    ]);
  });

  test("the example session has at most a tenth of comments", () => {
    const text = readFileSync(
      new URL("../../docs/example/transcripts/ses_dfbc45ceeffeTE6lwcIV5R5VwF.md", import.meta.url),
      "utf8",
    );
    const comments = text.split("\n").filter((line) => line.startsWith("<!-- "));
    assert.equal(comments.length, 31);
    assert.ok(10 * comments.join("\n").length <= text.length, `${comments.join("\n").length} of ${text.length}`);
  });
});
