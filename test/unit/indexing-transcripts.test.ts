import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, closeSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { AssistantMessageEntry, TranscriptEntry } from "../../src/format/index.ts";
import { updateIndex } from "../../src/indexing/update-index.ts";
import type { Store } from "../../src/store/store.ts";
import { GrowingTranscript } from "../support/indexing/growing-transcript.ts";
import {
  dump,
  FORGETFUL,
  INDEX_LIMITS,
  inOneGo,
  newStore,
  NO_REDACTOR,
  SMALL,
} from "../support/indexing/index-fixture.ts";
import { madeEntry } from "../support/indexing/made-transcript.ts";
import { FORMATS } from "../support/parse/transcript-file.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const NO_LIMITS = { redactor: NO_REDACTOR };
/** With memory and without. */
const BOTH = [SMALL, FORGETFUL];

function say(part: number, content: string, more: Partial<AssistantMessageEntry> = {}): TranscriptEntry {
  const ids = { messageID: "msg_1", partID: `prt_${part}`, timestamp: "2026-01-05T10:30:00.000Z" };
  return { type: "assistant", ...ids, content, ...more };
}

async function texts(store: Store): Promise<string[]> {
  return (await store.events("ses_1", { from: 0, limit: 10_000 })).map(({ content }) => content);
}

/** Over 5 MB, so that not all of it is looked at to see whether the file is still the same. */
function large(): TranscriptEntry[] {
  const output = "a line of output\n".repeat(400);
  return Array.from({ length: 800 }, (_, at): TranscriptEntry => {
    const entry = madeEntry("ses_1", at, at % 4);
    return entry.type === "tool_result" ? { ...entry, output: `${at} ${output.repeat(4)}` } : entry;
  });
}

for (const [name, { text, entry: encoded }] of Object.entries(FORMATS)) {
  const file = name === "markdown" ? "ses_1.md" : "ses_1.jsonl";

  /** A transcript with an index of its own. */
  const setting = async (entries: readonly TranscriptEntry[]) => {
    const grown = new GrowingTranscript(file);
    writeFileSync(grown.path, text(entries));
    return { grown, store: await newStore() };
  };

  describe(`a transcript in ${name} that grew`, () => {
    test("is read from its last entry on: of what stands before, no more than the edges", async () => {
      const grown = new GrowingTranscript(file);
      const { home } = grown.where;
      writeFileSync(grown.path, text(large()));
      const index = (): { bytes: number; events: number } => {
        const child = join(import.meta.dirname, "../support/indexing/counting-child.ts");
        const { stdout, stderr } = spawnSync("node", ["--disable-warning=ExperimentalWarning", child, home], {
          encoding: "utf8",
        });
        assert.equal(stderr, "");
        return JSON.parse(stdout);
      };
      const size = statSync(grown.path).size;
      const first = index();
      assert.ok(first.bytes >= size && first.events >= 800, JSON.stringify(first));
      const added = encoded(say(900, "one more entry"));
      appendFileSync(grown.path, added);
      const second = index();
      assert.equal(second.events, 1);
      // The head that tells what the file is, twice; both edges, before and after.
      const most = added.length + 6 * 64 * 1024;
      assert.ok(second.bytes <= most, `${second.bytes} bytes of ${size} were read, ${most} would be enough`);
    });

    test("keeps what is stored of a part that nobody reads again", async () => {
      const { grown, store } = await setting(large());
      await grown.index(store);
      const before = await texts(store);
      const handle = openSync(grown.path, "r+");
      writeSync(handle, Buffer.alloc(1_000_000, "#"), 0, 1_000_000, 2_000_000);
      closeSync(handle);
      appendFileSync(grown.path, encoded(say(900, "one more entry")));
      const report = await updateIndex(store, grown.where, NO_LIMITS);
      assert.deepEqual([report.changed, report.events], [1, 1]);
      assert.deepEqual(await texts(store), [...before, "one more entry"]);
      await store.close();
    });

    test("has a text that goes on later as one, with all that stands between", async () => {
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

    test("has a text that goes on too far behind as two, as one go has", async () => {
      for (const limits of BOTH) {
        const between = Array.from({ length: 1_010 }, (_, at) => say(10 + at, `between ${at}`));
        const { grown, store } = await setting([say(1, "a beginning"), ...between]);
        const big = { ...limits, textChars: 100_000, events: 300, chunkBytes: 64 * 1024 };
        await grown.index(store, big);
        appendFileSync(grown.path, encoded(say(1, ", an end", { continues: "append" })));
        await grown.index(store, big);
        const all = await texts(store);
        assert.deepEqual([all.length, all[0], all.at(-1)], [1_012, "a beginning", ", an end"]);
        await grown.checkEqual(store, big);
        await store.close();
      }
    });

    test("holds no secret that came in two pieces", async () => {
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

    test("is read anew when it was replaced, cut, or lost what it began with", async () => {
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

    test("is the same session when it goes on in the other format", async () => {
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

  test("is read as in one go, though its last section is not closed", async () => {
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
});

describe("a transcript without a memory", () => {
  test("of another version, or of none, is read again, and gives the same", async () => {
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
        await store.writeSession({ session: { ...session, state: changed }, expected: state.revision, events: [] }),
      );
      appendFileSync(grown.path, entry(say(1, " more", { continues: "append" })));
      await grown.index(store, SMALL);
      await grown.checkEqual(store, SMALL);
    }
    assert.equal((await texts(store))[0], "one more");
    assert.ok(readFileSync(grown.path).length < INDEX_LIMITS.memoryFromBytes);
    await store.close();
  });
});
