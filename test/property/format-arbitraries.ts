/** Arbitrary entries made of the pieces that a transcript's format could stumble over. */
import fc from "fast-check";
import type {
  Attachment,
  SessionEventEntry,
  SubagentLink,
  ToolResultEntry,
  ToolUseEntry,
  TranscriptEntry,
  TranscriptHeader,
  UserMessageEntry,
} from "../../src/transcript/format/entry-types.ts";
import { usageText } from "../../src/transcript/format/told-by-text.ts";

const KINDS = [
  "User Message",
  "Assistant Message",
  "Reasoning",
  "Tool Use: x",
  "Tool Result: x",
  "Tool Error: x",
  "Session Event: x",
];
const HEADINGS = KINDS.flatMap((kind) => [`## [t] ${kind}`, `] ${kind}`, `#\u2060# [2026] ${kind}`]);
const COMMENTS = [
  "<!-- id -->",
  '<!-- id @msg_1 prt_1 3 {"type":"user"} -->',
  "<!-- transcript {} -->",
  "<\u2060!-- entry",
  "-->",
  "<!--",
];
const MARKUP = [
  "## [",
  "# [",
  "#",
  "# Transcript: x",
  "---",
  "===",
  "\n\n---\n\n",
  "### Output",
  "### Input\n\n",
  "**Call ID**: c",
  "**Title**: t",
  "... (truncated)",
  "<details>",
  "</div>",
  "<div",
  "<script>",
  "<?",
  "<![CDATA[",
  "<br>",
  "Array<string>",
  "<https://a.b/`c>",
  "> ",
  "- ",
  "1. ",
  "  ",
  "    ",
  "\t",
  "|",
  "| a | `b | c` |",
  "\\",
  "\\`",
  "[x]: y",
  "[x](",
  "*",
  "__",
  "&amp;",
];
const CODE = ["`", "``", "```", "```js", "````", "``````", "~~~", "~~~~", "~~~ `", "`a`", "`<b>`", "  ```", "    ```"];
const CONTROLS = [
  "\0",
  "\u001b[31m",
  "\u0007",
  "\u007f",
  "\u0085",
  "\u009b",
  "\r",
  "\r\n",
  "\v",
  "\f",
  "\u2028",
  "\ufeff",
];
const MARKS = ["\u2060", "\u2060\u2060", "\u2400", "\u240d", "\u2421", "\ufffd", "\ufffd\u20600041", "d800"];
const UNICODE = ["\ud800", "\udc00", "\ud83d\ude00", "\uffff", "e\u0301", "\u202e", "ſ", "日本"];
const ORDINARY = ["a", "word", " ", "\n", "\n\n", "text", '"', "$", "$text", "{}", "null"];

const piece = fc.oneof(
  ...[HEADINGS, COMMENTS, MARKUP, CODE, CONTROLS, MARKS, UNICODE, ORDINARY].map((pieces) => fc.constantFrom(...pieces)),
);

/** Any text, mostly a few nasty pieces one after another, with line ends favoured. */
export const nastyText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.array(fc.oneof(piece, fc.constant("\n")), { maxLength: 14 }).map((list) => list.join("")),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
  {
    weight: 1,
    arbitrary: fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes)),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(piece, fc.integer({ min: 1, max: 3000 })).map(([text, times]) => text.repeat(times)),
  },
);

const json = fc.oneof(
  fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }).map(withoutNegativeZero),
  fc.dictionary(fc.oneof(nastyText, fc.constantFrom("$text", "$$text", "__proto__", "diff")), nastyText, {
    maxKeys: 3,
    noNullPrototype: true,
  }),
  fc.oneof(nastyText, fc.constant("content"), fc.constant(["content", 0, 1])).map(($text) => ({ $text })),
  nastyText,
);

/** JSON has one zero. */
function withoutNegativeZero(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

const timestamp = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
      .map((date) => date.toISOString()),
  },
  { weight: 1, arbitrary: nastyText },
);
const name = fc.oneof(fc.constantFrom("bash", "read", "mcp__a__b", "torn entry"), nastyText);
const count = fc.nat();

/** Settings of a record whose other fields may each be absent. */
const needing = <K extends string>(...requiredKeys: K[]): { requiredKeys: K[]; noNullPrototype: true } => ({
  requiredKeys,
  noNullPrototype: true,
});

const attachments: fc.Arbitrary<Attachment[]> = fc.array(
  fc.record(
    {
      mime: name,
      filename: nastyText,
      path: nastyText,
      url: nastyText,
      bytes: count,
      missing: nastyText,
    },
    needing("mime"),
  ),
  { maxLength: 3 },
);
const subagent: fc.Arbitrary<SubagentLink> = fc.record({ sessionID: name, path: nastyText }, needing("sessionID"));
const ids = { messageID: name, partID: fc.oneof(name, fc.constantFrom("bash/call-1", "read/usage")) };

/** A part of a user message, often made of the message's own text. */
const parts = (content: string): fc.Arbitrary<unknown[]> => {
  const slice = fc
    .tuple(fc.nat(content.length), fc.nat(content.length))
    .map(([a, b]) => content.slice(Math.min(a, b), Math.max(a, b)));
  const text = fc.oneof(fc.constant(content), slice, nastyText);
  const type = fc.constantFrom("text", "file");
  const part = fc.record({ type, text, synthetic: fc.boolean(), source: json }, needing("type", "text"));
  const only = fc.record({ type: fc.constant("text"), text: fc.constant(content), id: fc.constantFrom("prt_1", "*") });
  return fc.oneof(
    { weight: 4, arbitrary: fc.array(fc.oneof(part, json), { maxLength: 4 }) },
    { weight: 1, arbitrary: only.map((each) => [{ ...each }]) },
  );
};

const user: fc.Arbitrary<UserMessageEntry> = nastyText.chain((content) =>
  fc.record(
    {
      type: fc.constant("user" as const),
      timestamp,
      content: fc.constant(content),
      parts: parts(content),
      ...ids,
      attachments,
      agent: name,
      model: name,
    },
    needing("type", "timestamp", "content", "parts"),
  ),
);
const spoken: fc.Arbitrary<TranscriptEntry> = fc.record(
  {
    type: fc.constantFrom("assistant" as const, "reasoning" as const),
    timestamp,
    content: nastyText,
    ...ids,
    agent: name,
    model: name,
    interrupted: fc.boolean(),
    continues: fc.constantFrom("append" as const, "replace" as const),
  },
  needing("type", "timestamp", "content"),
);
export const anyToolUse: fc.Arbitrary<ToolUseEntry> = fc.record(
  {
    type: fc.constant("tool_use" as const),
    timestamp,
    tool: name,
    callID: name,
    input: json,
    ...ids,
    subagent,
    unfinished: fc.constant(true),
    continues: fc.constant("replace" as const),
  },
  needing("type", "timestamp", "tool", "callID", "input"),
);
export const anyToolResult: fc.Arbitrary<ToolResultEntry> = fc
  .tuple(fc.oneof(nastyText, json), json)
  .chain(([output, data]) => {
    const diff = `-a\n+${JSON.stringify(output)}`;
    return fc.record(
      {
        type: fc.constant("tool_result" as const),
        timestamp,
        tool: name,
        callID: name,
        input: json,
        output: fc.constant(output),
        ...ids,
        status: fc.constantFrom("completed" as const, "error" as const, "interrupted" as const, "rejected" as const),
        hostStatus: fc.constant("completed" as const),
        exitCode: fc.oneof(fc.integer({ min: -1, max: 255 }), fc.constantFrom(0, 3)),
        unfinished: fc.constant(true),
        continues: fc.constant("replace" as const),
        title: nastyText,
        metadata: fc.constantFrom<unknown>(
          data,
          { output, data },
          { diff, patch: output },
          { exit: 0 },
          { exit: 3, data },
        ),
        attachments,
        subagent,
        outputMissing: nastyText,
      },
      needing("type", "timestamp", "tool", "callID", "input", "output"),
    );
  });
const event: fc.Arbitrary<SessionEventEntry> = fc.record(
  {
    type: fc.constant("session_event" as const),
    timestamp,
    // Of some events the data stands in the comment.
    name: fc.oneof(name, fc.constantFrom("usage", "todo", "patch")),
    ...ids,
    eventID: name,
    text: nastyText,
    data: json,
  },
  needing("type", "timestamp", "name"),
);

/** The tokens of a model call, as the recorder writes them: a line without a heading. */
const usage: fc.Arbitrary<SessionEventEntry> = fc
  .record({
    ids: fc.record(ids, { requiredKeys: [], noNullPrototype: true }),
    model: name,
    input: fc.nat(),
    cost: fc.nat(),
  })
  .map(({ ids: known, model, input, cost }) => {
    const data = { model: `p/${model}`, tokens: { input, output: 1, reasoning: 0, cacheRead: 0, cacheWrite: 0 }, cost };
    const timestamp = "2026-01-05T10:30:00.000Z";
    return { type: "session_event", timestamp, ...known, name: "usage", text: usageText(data), data };
  });

/** An entry of any type, with any of its optional fields. */
export const anyEntry: fc.Arbitrary<TranscriptEntry> = fc.oneof(user, spoken, anyToolUse, anyToolResult, event, usage);

export const anyHeader: fc.Arbitrary<TranscriptHeader> = fc.record(
  {
    version: fc.constant(1 as const),
    sessionID: name,
    parentID: name,
    parentPath: nastyText,
    title: nastyText,
    directory: nastyText,
    created: timestamp,
    host: nastyText,
    recorder: nastyText,
  },
  needing("version", "sessionID"),
);

/** Divides bytes at arbitrary places. */
export const chunked = (bytes: Uint8Array): fc.Arbitrary<Uint8Array[]> =>
  fc.array(fc.nat(bytes.length), { maxLength: 12 }).map((cuts) => {
    const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
    return places.slice(1).map((end, index) => bytes.slice(places[index], end));
  });
