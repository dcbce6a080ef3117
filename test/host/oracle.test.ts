import assert from "node:assert/strict";
import fc from "fast-check";
import type { TranscriptEntry } from "../../src/transcript/format/entry-types.ts";
import { parseExport } from "../support/host/export.ts";
import { compareWithExport } from "../support/host/oracle.ts";
import { compareUsage } from "../support/host/usage-oracle.ts";
import { describe, test } from "../support/runner.ts";

const at = { timestamp: "2026-01-05T10:30:00.000Z" };

const tool = (id: string, messageID: string, callID: string, state: object) => {
  return { id, messageID, type: "tool", tool: "bash", callID, state };
};
const step = (id: string, messageID: string) => {
  return {
    id,
    messageID,
    type: "step-finish",
    cost: 0.5,
    tokens: { input: 3, output: 2, cache: { read: 1 } },
  };
};
const EXPORT = parseExport({
  info: { id: "ses_1", title: "t" },
  messages: [
    {
      info: { id: "msg_1", role: "user" },
      parts: [
        { id: "prt_01", messageID: "msg_1", type: "text", text: "hello" },
        { id: "prt_02", messageID: "msg_1", type: "text", text: "a reminder", synthetic: true },
        {
          id: "prt_03",
          messageID: "msg_1",
          type: "file",
          mime: "image/png",
          url: "data:image/png;base64,AA==",
        },
      ],
    },
    {
      info: { id: "msg_2", role: "assistant" },
      parts: [
        { id: "prt_04", messageID: "msg_2", type: "reasoning", text: "hm" },
        { id: "prt_05", messageID: "msg_2", type: "text", text: "I run two." },
        tool("prt_06", "msg_2", "call_a", {
          status: "completed",
          input: { command: "a" },
          output: "A",
        }),
        tool("prt_07", "msg_2", "call_b", { status: "error", input: {}, error: "broken" }),
        step("prt_08", "msg_2"),
      ],
    },
    {
      info: { id: "msg_3", role: "user" },
      parts: [{ id: "prt_09", messageID: "msg_3", type: "compaction" }],
    },
    {
      info: { id: "msg_4", role: "assistant" },
      parts: [
        { id: "prt_10", messageID: "msg_4", type: "text", text: "" },
        { id: "prt_11", messageID: "msg_4", type: "text", text: "Done.\n" },
        step("prt_12", "msg_4"),
      ],
    },
  ],
});

const tokens = { input: 3, output: 2, cacheRead: 1 };
const ENTRIES: readonly TranscriptEntry[] = [
  {
    type: "user",
    ...at,
    messageID: "msg_1",
    content: "hello",
    parts: [
      { id: "prt_01", type: "text", text: "hello" },
      { id: "prt_02", type: "text", text: "a reminder", synthetic: true },
      { id: "prt_03", type: "file", mime: "image/png" },
    ],
    attachments: [{ mime: "image/png", path: "ses_1/attachments/prt_03.png" }],
  },
  { type: "reasoning", ...at, messageID: "msg_2", partID: "prt_04", content: "hm" },
  { type: "assistant", ...at, messageID: "msg_2", partID: "prt_05", content: "I run two." },
  {
    type: "tool_use",
    ...at,
    partID: "prt_06",
    tool: "bash",
    callID: "call_a",
    input: { command: "a" },
  },
  { type: "tool_use", ...at, partID: "prt_07", tool: "bash", callID: "call_b", input: {} },
  {
    type: "tool_result",
    ...at,
    partID: "prt_07",
    tool: "bash",
    callID: "call_b",
    input: {},
    output: "broken",
    status: "error",
  },
  {
    type: "tool_result",
    ...at,
    partID: "prt_06",
    tool: "bash",
    callID: "call_a",
    input: { command: "a" },
    output: "A",
  },
  { type: "session_event", ...at, name: "usage", data: { tokens, cost: 0.5 } },
  {
    type: "assistant",
    ...at,
    messageID: "msg_4",
    partID: "prt_11",
    content: "Done.\n",
  },
  { type: "session_event", ...at, messageID: "msg_4", name: "usage", data: { tokens, cost: 0.5 } },
];

/** The entries with one of them changed. */
function changed(index: number, fields: Record<string, unknown>): TranscriptEntry[] {
  return ENTRIES.map((entry, i) => (i === index ? { ...entry, ...fields } : entry));
}

describe("comparison with an export", () => {
  test("a faithful transcript shows no difference", () => {
    assert.equal(compareWithExport(EXPORT, ENTRIES), undefined);
    assert.equal(compareUsage(EXPORT, ENTRIES), undefined);
  });

  test("an entry is optional for a message without words", () => {
    const marker: TranscriptEntry = {
      type: "user",
      ...at,
      messageID: "msg_3",
      content: "",
      parts: [{ id: "prt_09", type: "compaction" }],
    };
    assert.equal(compareWithExport(EXPORT, ENTRIES.toSpliced(8, 0, marker)), undefined);
    assert.match(compareWithExport(EXPORT, ENTRIES.toSpliced(8, 0, marker, marker)) ?? "", /differs/);
  });

  const changes: [string, TranscriptEntry[], RegExp][] = [
    ["another user text", changed(0, { content: "hallo" }), /differs from character 1 on/],
    [
      "a missing synthetic part",
      changed(0, { parts: [{ id: "prt_01", text: "hello" }] }),
      /prt_02 \(text\) is missing/,
    ],
    ["a file without its bytes", changed(0, { attachments: [{ mime: "image/png" }] }), /not among the attachments/],
    ["a trimmed text", changed(8, { content: "Done." }), /6 expected, 5 found/],
    ["another call id", changed(3, { callID: "call_x" }), /another call id/],
    ["another tool", changed(3, { tool: "read" }), /another tool/],
    ["another input", changed(4, { input: { command: "b" } }), /another input/],
    ["a lost status", changed(5, { status: "completed" }), /its status is "completed", not "error"/],
    ["another error text", changed(5, { output: "brokem" }), /differs from character 5 on/],
    ["a result with another input", changed(6, { input: {} }), /it has another input/],
    ["an output that is not whole", changed(6, { outputMissing: "gone" }), /not whole/],
    ["a text told as reasoning", changed(2, { type: "reasoning" }), /another type/],
    ["an invented attachment", changed(6, { attachments: [{ mime: "a/b", path: "x" }] }), /its attachments are/],
  ];
  for (const [name, entries, expected] of changes) {
    test(`${name} is found`, () => assert.match(compareWithExport(EXPORT, entries) ?? "no difference", expected));
  }

  test("finds any missing or repeated entry", () => {
    fc.assert(
      fc.property(fc.nat(ENTRIES.length - 1), fc.boolean(), (index, doubled) => {
        const entry = ENTRIES[index];
        if (entry === undefined || entry.type === "session_event") return;
        const entries = doubled ? ENTRIES.toSpliced(index, 0, entry) : ENTRIES.toSpliced(index, 1);
        assert.notEqual(compareWithExport(EXPORT, entries), undefined);
      }),
    );
  });

  test("finds any two entries in the wrong order; results of parallel calls may have any order", () => {
    for (const [i, one] of ENTRIES.entries()) {
      for (const [j, other] of ENTRIES.entries()) {
        const types = new Set([one.type, other.type]);
        if (i >= j || types.has("session_event") || (types.size === 1 && types.has("tool_result"))) continue;
        const swapped = ENTRIES.with(i, other).with(j, one);
        // A result may stand anywhere between its use and the next answer.
        const legal = types.has("tool_result") && types.has("tool_use") && i === 4 && j === 6;
        if (!legal) assert.notEqual(compareWithExport(EXPORT, swapped), undefined, `${i} and ${j}`);
      }
    }
  });

  test("finds an entry that is not in the export, unless the host is declared to have dropped it", () => {
    const lost: TranscriptEntry = {
      type: "assistant",
      ...at,
      partID: "prt_10",
      content: "streamed, then cut",
    };
    const entries = ENTRIES.toSpliced(8, 0, lost);
    const dropped = [{ type: "assistant", content: "streamed, then cut" }] as const;
    assert.match(compareWithExport(EXPORT, entries) ?? "", /streamed, then cut/);
    assert.equal(compareWithExport(EXPORT, entries, dropped), undefined);
    assert.match(compareWithExport(EXPORT, ENTRIES, dropped) ?? "", /missing: what the host dropped/);
    assert.match(compareWithExport(EXPORT, [...entries, lost], dropped) ?? "", /not in the export/);
  });

  test("a call that is still running in the export may only be recorded as interrupted", () => {
    const cut = structuredClone(EXPORT);
    const part = cut.messages[1]?.parts[2];
    assert.equal(part?.type, "tool");
    if (part?.type === "tool") part.state = { status: "running", input: { command: "a" } };
    assert.match(compareWithExport(cut, ENTRIES) ?? "", /no end of it/);
    assert.equal(compareWithExport(cut, changed(6, { status: "interrupted", output: "cut" })), undefined);
    assert.equal(compareWithExport(cut, ENTRIES.toSpliced(6, 1)), undefined);
  });

  test("calls with equal ids are matched by their order", () => {
    const again = structuredClone(EXPORT);
    for (const part of again.messages[1]?.parts ?? []) if (part.type === "tool") part.callID = "call_same";
    const same = ENTRIES.map((entry) => ("callID" in entry ? { ...entry, callID: "call_same" } : entry));
    assert.equal(compareWithExport(again, same), undefined);
    assert.match(compareWithExport(again, same.toSpliced(6, 1)) ?? "", /missing/);
  });

  test("a prompt sent during an answer may be ordered by its message or by its part", () => {
    const text = (id: string, messageID: string, value: string) => ({
      id,
      messageID,
      type: "text",
      text: value,
    });
    const session = parseExport({
      info: { id: "ses_1", title: "t" },
      messages: [
        {
          info: { id: "m1", role: "assistant" },
          parts: [text("prt_1", "m1", "one"), text("prt_3", "m1", "three")],
        },
        { info: { id: "m2", role: "user" }, parts: [text("prt_2", "m2", "two")] },
      ],
    });
    const one: TranscriptEntry = { type: "assistant", ...at, partID: "prt_1", content: "one" };
    const two: TranscriptEntry = {
      type: "user",
      ...at,
      messageID: "m2",
      content: "two",
      parts: [{ id: "prt_2", text: "two" }],
    };
    const three: TranscriptEntry = { type: "assistant", ...at, partID: "prt_3", content: "three" };
    assert.equal(compareWithExport(session, [one, three, two]), undefined);
    assert.equal(compareWithExport(session, [one, two, three]), undefined);
    assert.match(compareWithExport(session, [two, one, three]) ?? "", /differs/);
  });

  test("finds lost or wrong usage", () => {
    assert.match(compareUsage(EXPORT, ENTRIES.toSpliced(7, 1)) ?? "", /2 model calls, but 1 usages/);
    assert.match(compareUsage(EXPORT, changed(9, { data: { tokens, cost: 0.25 } })) ?? "", /usage 2 \(prt_12\)/);
  });

  test("a part of an unknown type stops the comparison", () => {
    const odd = { id: "p", messageID: "m", type: "hologram" };
    assert.throws(() =>
      parseExport({
        info: { id: "s", title: "" },
        messages: [{ info: { id: "m", role: "user" }, parts: [odd] }],
      }),
    );
  });
});
