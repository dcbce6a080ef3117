/** One session gives one answer, whatever it is read from and in whatever way it is shown. */
import { contentOf } from "../../src/agents/detect.ts";
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ParsedContentBlock, ToolCall, TranscriptMessage } from "../../src/parse/model.ts";
import { updateIndex } from "../../src/indexing/update-index.ts";
import { type ConversationPlace, piecesOf, type ReadMessage } from "../../src/parse/conversation.ts";
import { turnsOf } from "../../src/parse/turns.ts";
import { readConversation, timelineOf } from "../../src/queries/read-session.ts";
import { pageOf } from "../../src/queries/session-part.ts";
import { StoredConversation } from "../../src/queries/stored-conversation.ts";
import { entriesIn } from "../../src/queries/session-entries.ts";
import { openConversation } from "../../src/sessions/open-conversation.ts";
import { fileRef } from "../../src/sessions/file-ref.ts";
import { nodeSessionFiles } from "../../src/places/session-files.ts";
import { resolveSession } from "../../src/sessions/resolve-session.ts";
import type { Store } from "../../src/store/store.ts";
import { assistant, calls, result, says, user } from "../support/cli/claude-lines.ts";
import { newStore, NO_REDACTOR } from "../support/indexing/index-fixture.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { asEachFormat, PROMPT } from "../support/parse/one-conversation.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const folder = makeTempDir();
const home = makeTempDir();
const sources = Object.entries(await asEachFormat(folder));

type Said = [turn: number, type: string, text: string];

const said = (turn: number, { block_type, content_text, result_text, tool_input }: ParsedContentBlock): Said => [
  turn,
  block_type,
  content_text ?? result_text ?? JSON.stringify(tool_input),
];

async function* inBytes(text: string): AsyncGenerator<Uint8Array> {
  for (const byte of Buffer.from(text)) yield Uint8Array.of(byte);
}

for (const [name, content] of sources) describe(`a session of ${name}`, () => checked(name, content));

function checked(name: string, content: string): void {
  const path = join(folder, `read.${name === "markdown" ? "md" : "jsonl"}`);
  const ref = async () => {
    writeFileSync(path, content);
    return fileRef(path, nodeSessionFiles);
  };

  test("has the same turns as a conversation, as entries of a page, and in its timeline", async () => {
    const conversation = await readConversation(await ref());
    const turns = turnsOf(conversation);
    const whole = turns.flatMap(({ number, messages }) =>
      messages.flatMap(({ blocks }) => blocks.map((block) => said(number, block))),
    );
    const pieces = await Array.fromAsync(piecesOf(await openConversation(await ref())));
    assert.deepEqual(
      pieces.flatMap(({ turn, blocks }) => blocks.map((block) => said(turn, block))),
      whole,
    );
    assert.equal(whole.filter(([, type]) => type === "tool_result").length, 2);
    assert.deepEqual(
      timelineOf(conversation).map(({ turn, prompt, tool_errors, tools }) => [turn, prompt, tool_errors, tools]),
      [
        [1, PROMPT, 1, { bash: 2 }],
        [2, "Thanks.", 0, {}],
      ],
    );
    const rows = await Array.fromAsync(entriesIn(await ref()));
    assert.deepEqual(
      rows.flatMap(({ blocks }) => blocks.map(({ block_type }) => block_type)),
      whole.map(([, type]) => type),
    );
  });

  test("is the same from standard input, byte by byte", async () => {
    const stdin = await resolveSession("-", { cwd: home, home, env: {} });
    const texts = (messages: readonly TranscriptMessage[], blocks: readonly ParsedContentBlock[]) => [
      messages.map(({ line_number, message_type }) => [line_number, message_type]),
      blocks.map((block) => said(block.line_number, block)),
    ];
    const file = await readConversation(await ref());
    const piped = await readConversation(stdin, { stdin: inBytes(content) });
    assert.deepEqual(texts(piped.messages, piped.content_blocks), texts(file.messages, file.content_blocks));
    assert.deepEqual(
      await Array.fromAsync(entriesIn(stdin, { stdin: inBytes(content) })),
      await Array.fromAsync(entriesIn(await ref())),
    );
    const reader = await openConversation(stdin, { content: contentOf(inBytes(content)), isGrowing: true });
    await Array.fromAsync(piecesOf(reader));
    assert.equal(reader.summary().format, name);
  });

  test("is an answer of plain rows, which a store can keep", async () => {
    const conversation = await readConversation(await ref(), { costs: false });
    assert.deepEqual(JSON.parse(JSON.stringify(conversation)), conversation);
  });
}

describe("a part of a long session", () => {
  const lines = Array.from({ length: 1_500 }, (_, at) => {
    if (at % 50 === 0) return user(`prompt ${at}`, at);
    // An answer in two pieces, with the result of its call between them.
    if (at % 50 === 7) return assistant({ id: `pieces_${at}`, blocks: [{ type: "text", text: `begins ${at}` }] }, at);
    if (at % 50 === 9)
      return assistant({ id: `pieces_${at - 2}`, blocks: [{ type: "text", text: `goes on ${at}` }] }, at);
    if (at % 50 === 12) return assistant({ id: `pieces_${at}`, blocks: [] }, at);
    return at % 50 === 20 ? '{"type":"progress"}\n' : says(`answer ${at}`, at);
  });
  const path = join(folder, "long.jsonl");
  const shown = ({ line, turn, uuid, timestamp, message, blocks }: ReadMessage): unknown => [
    [line, turn, uuid, timestamp, message.ordinal],
    blocks.map(({ block_type, content_text }) => [block_type, content_text]),
  ];

  test("is the same from its file and from the store, which reads no more than that", async () => {
    writeFileSync(path, lines.join(""));
    const ref = await fileRef(path, nodeSessionFiles);
    const store = await newStore();
    await updateIndex(store, { env: {}, home, cwd: home }, { only: [ref], redactor: NO_REDACTOR });
    const [session] = await store.sessions();
    assert.ok(session !== undefined);
    let read = 0;
    const counting: Pick<Store, "messages" | "blocks" | "ordinalAt"> = {
      messages: async (id, asked) => {
        const rows = await store.messages(id, asked);
        read += rows.length;
        return rows;
      },
      ordinalAt: (id, line) => store.ordinalAt(id, line),
      blocks: async (id, asked) => {
        const rows = await store.blocks(id, asked);
        read += rows.length;
        return rows;
      },
    };
    const places: ConversationPlace[] = [
      ...[1, 2, 8, 9, 10, 14, 700, 758, 760, 1_500].map((line) => ({ line, before: 3, count: 4 })),
      ...[0, 5, 300, 755, 1_300].map((ordinal) => ({ ordinal, before: 0, count: 300 })),
      { line: 1_480, before: 5 },
      { line: 9_999, before: 2 },
    ];
    for (const from of places) {
      const file = await openConversation(ref, { pricing: "flat" });
      const expected = await Array.fromAsync(piecesOf(file, { from }), shown);
      const kept = new StoredConversation(counting, session, { pricing: "flat" });
      read = 0;
      assert.deepEqual(await Array.fromAsync(piecesOf(kept, { from }), shown), expected, JSON.stringify(from));
      // Blocks and their messages, each somewhat before the place and to the end of a page, and the prompts before.
      const most = 2 * (expected.length + 300) + 40;
      assert.ok(expected.length > 0 && read < most, `${JSON.stringify(from)}: ${expected.length} ${read}`);
    }
    await store.close();
  });

  test("is a page of whole messages, with the calls on it, as the whole session has them", async () => {
    const calling = Array.from({ length: 400 }, (_, at) =>
      at % 40 === 0
        ? user(`prompt ${at}`, at)
        : at % 3 === 1
          ? calls("Bash", `toolu_${at}`, { command: `echo ${at}` }, at)
          : at % 3 === 0
            ? result(`toolu_${at - 2}`, `output ${at}`, at)
            : says(`answer ${at}`, at),
    );
    const callsPath = join(folder, "calls.jsonl");
    writeFileSync(callsPath, calling.join(""));
    const ref = await fileRef(callsPath, nodeSessionFiles);
    const store = await newStore();
    await updateIndex(store, { env: {}, home, cwd: home }, { only: [ref], redactor: NO_REDACTOR });
    const [session] = await store.sessions();
    assert.ok(session !== undefined);
    const whole = await readConversation(ref, { costs: false });
    const turns = turnsOf(whole);
    const shortCall = ({ tool_use_id: id, status, result_text: text }: ToolCall): unknown => [id, status, text];
    for (const first of [0, 37, 100, 200, 390]) {
      const isOn = (ordinal: number | undefined): boolean =>
        ordinal !== undefined && ordinal >= first && ordinal < first + 100;
      const expected = whole.messages.filter(({ ordinal }) => isOn(ordinal));
      const onPage = whole.tool_calls.filter(
        ({ use, result: end }) => isOn(use?.message_ordinal) || isOn(end?.message_ordinal),
      );
      const before = turns.filter(({ messages: [begin] }) => (begin?.message.ordinal ?? 0) < first);
      for (const reader of [await openConversation(ref), new StoredConversation(store, session)]) {
        const page = await pageOf(reader, { first, count: 100 });
        assert.deepEqual(
          page.messages.map(({ ordinal }) => ordinal),
          expected.map(({ ordinal }) => ordinal),
        );
        assert.deepEqual(page.tool_calls.map(shortCall), onPage.map(shortCall), String(first));
        assert.equal(page.turnsBefore, before.at(-1)?.number ?? 0);
      }
    }
    await store.close();
  });
});
