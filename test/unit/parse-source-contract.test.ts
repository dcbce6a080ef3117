import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Options } from "../../src/config.ts";
import { sessionRecord } from "../../src/host/session-records.ts";
import { storedRecords } from "../../src/agents/opencode/opencode-records.ts";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { jsonl, markdown } from "../../src/agents/transcripts/transcript-files.ts";
import { opencodeExport } from "../../src/agents/opencode/opencode-export.ts";
import { madeExport, madeSession } from "../support/parse/opencode-session.ts";
import { conversation, readSource, type SourceReading } from "../support/parse/source.ts";
import { Recording, transcriptsIn } from "../support/recording/recording.ts";
import { testSessions } from "../support/parse/session-files.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

interface Export {
  info: { id: string };
  messages: unknown[];
}

/** Records a session that the host has stored into both formats. */
async function record({ info, messages }: Export, folder: string, options: Partial<Options>): Promise<void> {
  const queries = {
    session: async (id: string) => sessionRecord(id, id === info.id ? { ...info } : {}, false),
    history: async (id: string) => (id === info.id ? messages.flatMap(storedRecords) : []),
  };
  const recording = new Recording(folder, { format: "both", queries, ...options });
  await recording.recorder.recall(info.id);
  await recording.end();
}

function textOf(folder: string, extension: string): string {
  const path = transcriptsIn(folder).find((name) => name.endsWith(extension)) ?? "";
  return readFileSync(join(folder, "transcripts", path), "utf8");
}

/** Returns the recorder's version of a session, read back from both formats, and the export itself. */
async function readings(
  session: Export,
  options: Partial<Options>,
): Promise<Record<"markdown" | "jsonl" | "export", SourceReading>> {
  const folder = join(makeTempDir(), ".openfleet");
  await record(session, folder, options);
  const readOutput = async (path: string): Promise<string> => readFileSync(join(folder, "transcripts", path), "utf8");
  return {
    markdown: await readSource(markdown, textOf(folder, ".md"), { readOutput }),
    jsonl: await readSource(jsonl, textOf(folder, ".jsonl")),
    export: await readSource(opencodeExport, JSON.stringify(session, null, 2)),
  };
}

/** Leaves out reasoning of which the provider returned only encrypted text, since a transcript does not have it. */
function withoutWithheld({ messages, blocks }: SourceReading): Pick<SourceReading, "messages" | "blocks"> {
  const shown = blocks.filter(({ metadata }) => metadata.withheld !== true);
  const isShown = new Set(shown.map(({ message_id }) => message_id));
  const thinks = (id: string): boolean =>
    shown.some((each) => each.message_id === id && each.block_type === "thinking");
  return {
    messages: messages.map((each) => (isShown.has(each.id) ? { ...each, has_thinking: thinks(each.id) } : each)),
    blocks: shown,
  };
}

/** Leaves out how answers failed: the recorder writes the host's events of these errors, which a stored session lacks. */
function withoutErrors<T extends Pick<SourceReading, "messages" | "blocks">>(reading: T): T {
  return { ...reading, messages: reading.messages.filter(({ metadata }) => metadata.subtype !== "error") };
}

async function assertSame(
  session: Export,
  options: Partial<Options> = {},
): Promise<Awaited<ReturnType<typeof readings>>> {
  const all = await readings(session, options);
  const { markdown: md, jsonl: lines, export: exported } = all;
  for (const { errors } of [md, lines, exported]) assert.deepEqual(errors, []);
  assert.deepEqual(conversation(lines), conversation(md));
  assert.deepEqual(conversation(withoutErrors(withoutWithheld(exported))), conversation(md));
  for (const { metadata, stats } of [lines, exported]) {
    const { firstTimestamp: _first, lastTimestamp: _last, ...session } = metadata;
    assert.deepEqual({ ...md.metadata, ...session }, md.metadata);
    for (const field of [
      "tokens_in",
      "tokens_out",
      "cache_read",
      "cache_write",
      "cost_estimate_usd",
      "tools",
    ] as const) {
      assert.deepEqual(stats[field], md.stats[field], field);
    }
  }
  return all;
}

describe("a made-up session with every kind of part", () => {
  test("is the same conversation in its export and in both of its transcripts", async () => {
    const { markdown: md, export: exported } = await assertSame(madeSession());
    assert.deepEqual(
      md.messages.map(({ message_type, user_kind, metadata }) => user_kind ?? metadata.subtype ?? message_type),
      [
        "human assistant tool_result tool_result patch",
        "assistant tool_result tool_result tool_result",
        "assistant tool_result meta human",
        "compaction assistant retry assistant tool_result human assistant",
      ].flatMap((turn) => turn.split(" ")),
    );
    assert.equal(exported.blocks.filter(({ metadata }) => metadata.withheld === true).length, 1);
  });

  test("is the same where outputs have files of their own", async () => {
    await assertSame(madeSession(), { maxInlineChars: 100 });
  });

  test("is detected in each of its forms, and parseTranscript reads it so", async () => {
    const folder = join(makeTempDir(), ".openfleet");
    await record(madeSession(), folder, {});
    const [md = "", lines = ""] = [".md", ".jsonl"].map((end) => textOf(folder, end));
    for (const [name, text] of [
      ["markdown", md],
      ["jsonl", lines],
      ["opencode-export", madeExport("plain")],
      ["opencode-export", madeExport("pretty")],
    ] as const) {
      const parsed = await parseTranscript("s", text);
      assert.equal(parsed.format, name);
      assert.equal(withoutErrors({ messages: parsed.messages, blocks: [] }).messages.length, 20);
      assert.equal(parsed.stats.tool_error_count, 1);
      assert.equal(parsed.stats.tool_rejected_count, 1);
      assert.equal(parsed.stats.tool_interrupted_count, 1);
      assert.equal(parsed.stats.tool_pending_count, 0);
      assert.equal(parsed.stats.cost_estimate_usd, 1.5);
      assert.ok(parsed.tool_calls.every(({ matched_by }) => matched_by === "id"));
      // The provider used one id for three calls: each has its own result.
      assert.deepEqual(
        parsed.tool_calls
          .filter(({ tool_use_id }) => tool_use_id === "call_0")
          .map(({ tool_name, status }) => [tool_name, status]),
        [
          ["read", "completed"],
          ["task", "completed"],
          ["edit", "rejected"],
        ],
      );
    }
  });
});

testSessions("an export and both of its transcripts are the same conversation", ["opencode-export"], async (files) => {
  for (const { path } of files) {
    const text = readFileSync(path, "utf8");
    assert.equal(opencodeExport.detect(text.slice(0, 65_536)), true);
    const session: Export = JSON.parse(text);
    const { export: exported } = await assertSame(session);
    assert.equal(exported.lines.used, session.messages.length);
  }
});
