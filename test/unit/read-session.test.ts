/** One session gives one answer, whatever it is read from and in whatever way it is shown. */
import { contentOf } from "../../src/agents/detect.ts";
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ParsedContentBlock, TranscriptMessage } from "../../src/parse/model.ts";
import { piecesOf } from "../../src/parse/conversation.ts";
import { turnsOf } from "../../src/parse/turns.ts";
import { readConversation, timelineOf } from "../../src/queries/read-session.ts";
import { entriesIn } from "../../src/queries/session-entries.ts";
import { openConversation } from "../../src/sessions/open-conversation.ts";
import { fileRef } from "../../src/sessions/file-ref.ts";
import { nodeSessionFiles } from "../../src/places/session-files.ts";
import { resolveSession } from "../../src/sessions/resolve-session.ts";
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
