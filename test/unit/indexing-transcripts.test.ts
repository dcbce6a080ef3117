import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import {
  encodeMarkdownEntry,
  type AssistantMessageEntry,
  type TranscriptEntry,
} from "../../src/transcript/format/formats.ts";
import { updateIndex } from "../../src/indexing/update-index.ts";
import type { Store } from "../../src/store/store.ts";
import { GrowingTranscript } from "../support/indexing/growing-transcript.ts";
import { dump, INDEX_LIMITS, inOneGo, newStore, SMALL } from "../support/indexing/index-fixture.ts";
import { madeEntry } from "../support/indexing/made-transcript.ts";
import { FORMATS } from "../support/parse/transcript-file.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

/** In many parts and in one. */
const BOTH = [SMALL, INDEX_LIMITS];

function say(part: number, content: string, more: Partial<AssistantMessageEntry> = {}): TranscriptEntry {
  const ids = { messageID: "msg_1", partID: `prt_${part}`, timestamp: "2026-01-05T10:30:00.000Z" };
  return { type: "assistant", ...ids, content, ...more };
}

async function texts(store: Store): Promise<string[]> {
  return (await store.events("ses_1", { from: 0, limit: 10_000 })).map(({ content }) => content);
}

for (const [name, { text, entry: encoded }] of Object.entries(FORMATS)) {
  const file = name === "markdown" ? "ses_1.md" : "ses_1.jsonl";

  /** A transcript with a store of its own. */
  const setting = async (entries: readonly TranscriptEntry[]) => {
    const grown = new GrowingTranscript(file);
    writeFileSync(grown.path, text(entries));
    return { grown, store: await newStore() };
  };

  describe(`a transcript in ${name} that grew`, () => {
    test("joins a text that continues later, with everything in between", async () => {
      for (const limits of BOTH) {
        const { grown, store } = await setting([say(1, "It was the "), ...[2, 3].map((at) => say(at, `call ${at}`))]);
        await grown.index(store, limits);
        const [, , cited] = await store.events("ses_1", { from: 0, limit: 3 });
        assert.ok(cited);
        const { snippet_id } = await store.insertSnippet({
          session_id: "ses_1",
          event_id: cited.event_id,
          snippet_type: "learning_pattern",
          title: "A title",
          content: "A content of at least a hundred bytes: ".repeat(3),
          source_file: null,
          source_line_start: null,
          source_line_end: null,
          tags: [],
          metadata: {},
        });
        for (const [rest, whole] of [
          [say(1, "swap", { continues: "append" }), "It was the swap"],
          [say(1, ".", { continues: "append" }), "It was the swap."],
          [say(1, "It was nothing", { continues: "replace" }), "It was nothing"],
          [say(1, ", said I", { continues: "append" }), "It was nothing, said I"],
        ] as const) {
          appendFileSync(grown.path, encoded(rest));
          await grown.index(store, limits);
          assert.deepEqual(await texts(store), [whole, "call 2", "call 3"]);
          await grown.checkEqual(store, limits);
        }
        assert.equal((await store.snippet(snippet_id))?.event_id, cited.event_id);
        await store.close();
      }
    });

    test("splits a text that continues too far away, as in a single run", async () => {
      const between = Array.from({ length: 1_010 }, (_, at) => say(10 + at, `between ${at}`));
      const { grown, store } = await setting([say(1, "a beginning"), ...between]);
      const limits = { textChars: 100_000, events: 300, chunkBytes: 64 * 1024 };
      await grown.index(store, limits);
      appendFileSync(grown.path, encoded(say(1, ", an end", { continues: "append" })));
      await grown.index(store, limits);
      const all = await texts(store);
      assert.deepEqual([all.length, all[0], all.at(-1)], [1_012, "a beginning", ", an end"]);
      await grown.checkEqual(store, limits);
      await store.close();
    });

    test("adds up the model calls of an answer that continues after another message", async () => {
      for (const limits of BOTH) {
        const asked: TranscriptEntry = { type: "user", content: "And?", parts: [], messageID: "msg_2", timestamp: "t" };
        const usage = (partID: string, input: number, output: number, cost: number): TranscriptEntry => {
          const data = { tokens: { input, output }, cost };
          return { type: "session_event", name: "usage", messageID: "msg_1", partID, data, timestamp: "t" };
        };
        const { grown, store } = await setting([say(1, "one"), usage("a", 5, 7, 1), asked]);
        await grown.index(store, limits);
        appendFileSync(grown.path, encoded(say(2, "two")) + encoded(usage("b", 3, 2, 2)));
        await grown.index(store, limits);
        await grown.checkEqual(store, limits);
        await store.close();
      }
    });

    test("has no damage where the result of a call comes after another message", async () => {
      for (const limits of BOTH) {
        const of = { tool: "bash", callID: "call_1", input: { command: "ls" } };
        const ids = { messageID: "msg_1", partID: "prt_1", timestamp: "2026-01-05T10:30:00.000Z" };
        const { grown, store } = await setting([{ type: "tool_use", ...of, ...ids }, madeEntry("ses_1", 8, 0)]);
        await grown.index(store, limits);
        const result: TranscriptEntry = { type: "tool_result", ...of, ...ids, output: "a.txt", status: "completed" };
        const after =
          name === "markdown"
            ? encodeMarkdownEntry(result, { filePath: "ses_1.md", inputIsKnown: true })
            : encoded(result);
        appendFileSync(grown.path, after);
        await grown.index(store, limits);
        await grown.checkEqual(store, limits);
        assert.equal((await store.session("ses_1"))?.counts.damaged, 0);
        await store.close();
      }
    });

    test("counts an entry once if it is repeated after another message", async () => {
      const timestamp = "2026-01-05T10:30:00.000Z";
      const ids = { messageID: "msg_1", partID: "prt_1", timestamp };
      const of = { tool: "bash", callID: "call_1", input: {} };
      const asked: TranscriptEntry = { type: "user", content: "And?", parts: [], messageID: "msg_2", timestamp };
      const all: TranscriptEntry[] = [
        say(1, "one"),
        { type: "user", content: "What?", parts: [], messageID: "msg_1", timestamp },
        { type: "user", content: "", parts: [], messageID: "msg_1", timestamp },
        { type: "tool_use", ...of, ...ids },
        { type: "tool_result", ...of, ...ids, output: "a.txt", status: "completed" },
        { type: "session_event", name: "usage", ...ids, data: { tokens: { input: 1, output: 2 } } },
        { type: "session_event", name: "patch", ...ids },
        { type: "session_event", name: "title", text: "A title", eventID: "evt_1", timestamp },
        { type: "session_event", name: "title", eventID: "evt_1", timestamp },
      ];
      for (const one of all) {
        const { grown, store } = await setting([one, asked]);
        await grown.index(store);
        appendFileSync(grown.path, encoded(one));
        await grown.index(store);
        await grown.checkEqual(store);
        await store.close();
      }
    });

    test("recognizes a repeated message whose id the store cannot keep unchanged", async () => {
      const timestamp = "2026-01-05T10:30:00.000Z";
      for (const messageID of ["half \ud800 a pair", "with \0 in it", "long ".repeat(400)]) {
        const use: TranscriptEntry = {
          type: "tool_use",
          tool: "bash",
          callID: messageID,
          input: {},
          messageID,
          timestamp,
        };
        const asked: TranscriptEntry = { type: "user", content: "And?", parts: [], messageID: "msg_2", timestamp };
        const { grown, store } = await setting([use, asked]);
        await grown.index(store);
        appendFileSync(grown.path, encoded(use));
        await grown.index(store);
        await grown.checkEqual(store);
        await store.close();
      }
    });

    test("continues the first text of a part of which there are two", async () => {
      const asked: TranscriptEntry = { type: "user", content: "And?", parts: [], messageID: "msg_2", timestamp: "t" };
      const { grown, store } = await setting([say(1, "one"), asked]);
      await grown.index(store);
      appendFileSync(grown.path, encoded(say(1, "two, longer")) + encoded(say(1, " more", { continues: "append" })));
      await grown.index(store);
      await grown.checkEqual(store);
      assert.deepEqual(await texts(store), ["one more", "And?", "two, longer"]);
      await store.close();
    });

    test("is read from the message that continues, although blank lines follow its entries", async () => {
      const bytes = Buffer.from(text([0, 3, 4, 3, 1, 2, 0, 3].map((kind, at) => madeEntry("ses_1", at, kind))));
      const spaced = Buffer.from(bytes.toString().replaceAll("\n", name === "markdown" ? "\r\n" : "\n\n\n"));
      for (let share = 1; share <= 12; share += 1) {
        const half = Math.round((share / 12) * spaced.length);
        for (const limits of BOTH) await new GrowingTranscript(file).checkSteps(spaced, [half - 150, half], [limits]);
      }
    });

    test("has no secret that came in two pieces", async () => {
      const secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"];
      const { grown, store } = await setting([say(1, `The token is ${secret[0]}${secret[1]?.slice(0, 8)}`)]);
      await updateIndex(store, grown.where);
      appendFileSync(grown.path, encoded(say(1, `${secret[1]?.slice(8)} and no other`, { continues: "append" })));
      await updateIndex(store, grown.where);
      const [all = ""] = await texts(store);
      assert.ok(!all.includes(secret.join("")) && all.includes("[REDACTED:") && all.includes("and no other"), all);
      assert.deepEqual(await dump(store), await inOneGo(grown.where));
      await store.close();
    });

    test("is read from the start if it was replaced, truncated, or lost its beginning", async () => {
      for (const limits of BOTH) {
        const entries = [0, 1, 2, 3, 0, 3].map((kind, at) => madeEntry("ses_1", at, kind));
        const { grown, store } = await setting(entries);
        for (const content of [
          text(entries),
          text(entries).replaceAll("entry", "ENTRY"),
          text(entries.slice(0, 3)),
          text(entries.slice(1)),
          text(entries.slice(1)).slice(0, -20),
          text(entries),
        ]) {
          writeFileSync(grown.path, content);
          await grown.index(store, limits);
          await grown.checkEqual(store, limits);
        }
        await store.close();
      }
    });

    test("is the same session if it continues in the other format", async () => {
      const { grown, store } = await setting([say(1, "one"), say(2, "two")]);
      await grown.index(store);
      const before = await store.events("ses_1", { from: 0, limit: 9 });
      const other = Object.entries(FORMATS).find(([each]) => each !== name);
      assert.ok(other);
      const path = grown.path.replace(/\w+$/, name === "markdown" ? "jsonl" : "md");
      writeFileSync(path, other[1].text([say(1, "one"), say(2, "two"), say(3, "three")]));
      await grown.index(store);
      await grown.checkEqual(store);
      const after = await store.events("ses_1", { from: 0, limit: 9 });
      // JSONL is read where there are both, for it holds outputs whole.
      assert.equal(after.length, name === "markdown" ? 3 : 2);
      assert.deepEqual(
        after.slice(0, 2).map(({ event_id }) => event_id),
        before.map(({ event_id }) => event_id),
      );
      await store.close();
    });
  });
}

describe("a markdown transcript that somebody edits", () => {
  const { text, entry } = FORMATS["markdown"] ?? assert.fail();

  test("loses what a section that was not closed had added to a text, when that section is gone", async () => {
    for (const limits of BOTH) {
      const grown = new GrowingTranscript("ses_1.md");
      const store = await newStore();
      const whole = text([say(1, "The first"), say(2, "the second")]);
      const open = entry(say(1, " goes on", { continues: "append" })).replace("\n\n---\n\n", "\n");
      const next = entry(say(3, "the third")).slice(0, -3);
      for (const [content, first] of [
        [whole + open + next, "The first goes on"],
        [whole, "The first"],
      ] as const) {
        writeFileSync(grown.path, content);
        await grown.index(store, limits);
        assert.deepEqual(await texts(store), [first, "the second"]);
        await grown.checkEqual(store, limits);
      }
      await store.close();
    }
  });

  test("is read as at once, although its last section is not closed", async () => {
    for (const limits of BOTH) {
      const grown = new GrowingTranscript("ses_1.md");
      const store = await newStore();
      const whole = text([
        say(1, "The first"),
        madeEntry("ses_1", 3, 2),
        say(1, " goes on", { continues: "append" }),
        madeEntry("ses_1", 2, 1),
      ]);
      // Without its `---` a section ends where another begins.
      const edited = Buffer.from(whole.replaceAll("\n\n---\n\n", "\n"));
      for (const size of [0.5, 0.8, 0.9, 1, 0.85, 1].map((share) => Math.round(share * edited.length))) {
        writeFileSync(grown.path, edited.subarray(0, size));
        await grown.index(store, limits);
        await grown.checkEqual(store, limits);
      }
      await store.close();
    }
  });

  test("with a byte order mark counts the mark once, while only its title is written", async () => {
    const bytes = Buffer.from(`\ufeff${text([say(1, "The first")])}`);
    const title = bytes.indexOf("\n") + 1;
    await new GrowingTranscript("ses_1.md").checkSteps(bytes, [title, title + 1], BOTH);
    await new GrowingTranscript("ses_1.md").checkSteps(bytes, [title, title + 1, bytes.length], BOTH);
  });
});

describe("a transcript without stored progress", () => {
  test("of another version, or of none, is read again with the same result", async () => {
    const { text, entry } = FORMATS["jsonl"] ?? assert.fail();
    const grown = new GrowingTranscript("ses_1.jsonl");
    writeFileSync(grown.path, text([say(1, "one"), say(2, "two")]));
    const store = await newStore();
    await grown.index(store, SMALL);
    for (const memory of [null, Uint8Array.from([1, 0, 0, 0]), new Uint8Array(40)]) {
      const session = await store.session("ses_1");
      assert.ok(session);
      const { state } = session;
      const changed = { ...state, memory, revision: state.revision + 1, source_modified_ms: 1 };
      assert.ok(
        await store.writeSession({
          session: { ...session, state: changed },
          expected: state.revision,
          messages: [],
          blocks: [],
        }),
      );
      appendFileSync(grown.path, entry(say(1, " more", { continues: "append" })));
      await grown.index(store, SMALL);
      await grown.checkEqual(store, SMALL);
    }
    assert.equal((await texts(store))[0], "one more");
    await store.close();
  });
});
