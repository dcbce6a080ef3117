import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { NO_SHARED, shared } from "../support/shared.ts";
import { reduceEvents } from "../support/recording/event-reduction.ts";
import { PluginHost } from "../support/recording/plugin-host.ts";
import { readSound, transcriptsIn, type ReadTranscript } from "../support/recording/recording.ts";
import { shortForm } from "../support/recording/timeline-driver.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const FOLDER = shared("corpus/opencode-events");

interface Stream {
  name: string;
  content: readonly unknown[];
}

function streams(): Stream[] {
  if (FOLDER === undefined) return [];
  const names = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
  return names.toSorted().map((name) => {
    const content: unknown = JSON.parse(readFileSync(join(FOLDER, name), "utf8"));
    assert.ok(Array.isArray(content), name);
    return { name: basename(name, ".json"), content };
  });
}

const ALL = streams();
const isEvents = ({ content }: Stream): boolean =>
  content.every((each) => typeof each === "object" && each !== null && "type" in each);

/** Streams of which not every part's last state is what was said, or whose ids do not ascend; each has a test below. */
const ODD = new Set(["message-removal", "multiple-messages-synthetic", "mcp-tool", "part-before-message-delta"]);

/** Replays a stream through the hooks; the transcripts by session, as they read in markdown. */
async function replay({ content }: Stream, stored: readonly unknown[] = []): Promise<Map<string, ReadTranscript>> {
  const project = makeTempDir();
  const host = new PluginHost(
    project,
    { format: "both", redact: false, maxInlineChars: 1_000 },
    { answer: (name, asked) => answer(name, asked, stored) },
  );
  for (const event of content) await host.does({ kind: "event", event });
  await host.dispose();
  assert.deepEqual(host.toasts, []);
  const folder = join(project, ".openfleet");
  const transcripts = new Map<string, ReadTranscript>();
  for (const path of transcriptsIn(folder).filter((each) => each.endsWith(".md"))) {
    const markdown = await readSound(folder, path);
    const jsonl = await readSound(folder, path.replace(/\.md$/, ".jsonl"));
    assert.deepEqual(markdown.entries, jsonl.entries, path);
    transcripts.set(basename(path, ".md"), markdown);
  }
  return transcripts;
}

function answer(name: string, asked: unknown, stored: readonly unknown[]): unknown {
  const id = /"id":"([^"]*)"/.exec(JSON.stringify(asked))?.[1];
  if (name === "session.get") return { data: { id } };
  return name === "session.messages" ? { data: stored } : {};
}

async function replayOf(name: string): Promise<ReadTranscript[]> {
  const stream = ALL.find((each) => each.name === name);
  assert.ok(stream, `${name} is not in the corpus`);
  return [...(await replay(stream)).values()];
}

const eventsOf = ({ entries }: ReadTranscript): string[] =>
  entries.flatMap((entry) => (entry.type === "session_event" ? [entry.name] : []));

if (ALL.length === 0) {
  test.skipIf(NO_SHARED)("captured streams of events", () => undefined);
} else {
  describe("a captured stream of events", () => {
    for (const stream of ALL.filter((each) => isEvents(each) && !ODD.has(each.name))) {
      test(`${stream.name}: the transcripts have the last state of every part, in order`, async () => {
        const transcripts = await replay(stream);
        for (const [sessionID, want] of reduceEvents(stream.content)) {
          const entries = (transcripts.get(sessionID)?.entries ?? []).filter(({ type }) => type !== "session_event");
          const short = entries.map((entry) => shortForm(entry).replace(" (interrupted)", ""));
          assert.deepEqual(
            short.filter((_, n) => entries[n]?.type !== "tool_result"),
            want.told,
          );
          const results = entries.flatMap((entry) => {
            if (entry.type !== "tool_result") return [];
            if (entry.status === "interrupted") return [`interrupted: ${JSON.stringify(entry.input)}`];
            return [shortForm({ ...entry, ...(entry.hostStatus && { status: entry.hostStatus }) })];
          });
          assert.deepEqual(results.toSorted(), want.results.toSorted());
        }
      });
    }

    for (const stream of ALL.filter((each) => isEvents(each) && ODD.has(each.name))) {
      test(`${stream.name}: replays cleanly, twice the same`, async () => {
        const [first, second] = [await replay(stream), await replay(stream)];
        assert.deepEqual(
          [...first].map(([id, { told }]) => [id, told]),
          [...second].map(([id, { told }]) => [id, told]),
        );
        assert.ok(first.size > 0);
      });
    }
  });

  describe("the captured stream", () => {
    const only = async (name: string): Promise<ReadTranscript> => {
      const [first, ...more] = await replayOf(name);
      assert.ok(first && more.length === 0, `${name} is of one session`);
      return first;
    };
    const named = (name: string, check: () => Promise<void>): void => {
      test.skipIf(!ALL.some((each) => each.name === name) && "it is not in ../shared")(name, check);
    };

    named("message-removal", async () => {
      const transcript = await only("message-removal");
      const removed = transcript.entries.find((entry) => entry.type === "session_event");
      assert.ok(removed?.type === "session_event" && removed.name === "removed");
      assert.equal(removed.text, "The host removed 2 messages and 11 parts of messages from the session.");
      const parts = (n: number): string[] => [1, 2, 3, 4, 5].map((at) => `Message ${n}, Part ${at}`);
      assert.deepEqual(transcript.told, [
        `user: ${parts(1).join("\n")}`,
        ...parts(2).map((line) => `assistant: ${line}`),
        `user: ${parts(3).join("\n")}`,
        ...parts(4).map((line) => `assistant: ${line}`),
      ]);
    });

    named("multiple-messages-synthetic", async () => {
      const { told } = await only("multiple-messages-synthetic");
      const of = (n: number): string[] => told.filter((line) => line.startsWith(`assistant: Response ${n}`));
      assert.deepEqual(
        told.filter((line) => line.startsWith("user")),
        ["user: Message 1", "user: Message 3", "user: Message 5"],
      );
      for (const [n, count] of [
        [2, 4],
        [4, 4],
        [6, 3],
      ] as const) {
        assert.equal(of(n).length, count);
        assert.deepEqual(of(n), of(n).toSorted());
      }
    });

    named("mcp-tool", async () => {
      const { entries } = await only("mcp-tool");
      const uses = entries.flatMap((entry) => (entry.type === "tool_use" ? [entry.input] : []));
      const results = entries.flatMap((entry) => (entry.type === "tool_result" ? [entry] : []));
      assert.equal(uses.length, 2);
      assert.deepEqual(
        results.map(({ input }) => input),
        uses,
        "a result whose state has lost the input has it all the same",
      );
      assert.match(JSON.stringify(uses[0]), /Let me analyze this problem/);
      assert.deepEqual(
        results.map(({ status, tool }) => [status, tool.startsWith("sequential-thinking")]),
        [
          ["completed", true],
          ["completed", true],
        ],
      );
    });

    named("part-before-message-delta", async () => {
      const { told } = await only("part-before-message-delta");
      assert.deepEqual(told, [
        "user: Can you help me fix this bug?",
        "assistant (interrupted): Sure, I can help with that.",
      ]);
    });

    named("tool-invalid", async () => {
      const { entries } = await only("tool-invalid");
      const [use, result] = entries;
      assert.ok(use?.type === "tool_use" && result?.type === "tool_result");
      assert.equal(use.tool, "invalid");
      assert.match(JSON.stringify(use.input), /^\{"tool":"edit","error":"Invalid input for tool edit/);
      assert.match(JSON.stringify(result.output), /The arguments provided to the tool are invalid/);
    });

    named("multiple-stacked-permissions", async () => {
      const transcripts = await replay(
        ALL.find(({ name }) => name === "multiple-stacked-permissions") ?? { name: "", content: [] },
      );
      const asked = (id: string): number => {
        const transcript = transcripts.get(id);
        return transcript ? eventsOf(transcript).filter((name) => name === "permission asked").length : 0;
      };
      const sessions = ["ses_main_session_12345", "ses_child_session_auth", "ses_child_session_files"];
      assert.deepEqual(sessions.map(asked), [5, 2, 2]);
      const child = transcripts.get("ses_child_session_auth");
      assert.equal(child?.headers[0]?.parentID, "ses_main_session_12345");
      const texts = child?.entries.flatMap((entry) => (entry.type === "session_event" ? [entry.text] : [])) ?? [];
      assert.ok(texts.includes("Make network request to authentication service"));
    });

    named("permission-ask-new-approve", async () => {
      const { entries } = await only("permission-ask-new-approve");
      const told = entries.map(shortForm).map((line) => line.slice(0, 24));
      const from = told.findIndex((line) => line.startsWith("use: bash"));
      assert.deepEqual(
        told
          .slice(from + 1)
          .filter((line) => !line.startsWith("event: title"))
          .slice(0, 3)
          .map((line) => line.slice(0, 23)),
        ["event: permission asked", "event: permission answe", 'completed: {"descriptio'],
      );
    });

    named("question-multiple-choices-answered", async () => {
      const transcript = await only("question-multiple-choices-answered");
      assert.equal(transcript.told.filter((line) => line.startsWith("reasoning:")).length, 2);
      const answered = transcript.entries.find(
        (entry) => entry.type === "session_event" && entry.name === "question answered",
      );
      assert.equal(answered?.type === "session_event" && answered.text, "LSP integration, ai");
      const usage = transcript.entries.findLast((entry) => entry.type === "session_event" && entry.name === "usage");
      assert.match(JSON.stringify(usage), /"output":30/);
    });

    named("provider-overloaded-status", async () => {
      const transcript = await only("provider-overloaded-status");
      assert.deepEqual(eventsOf(transcript), ["retry", "retry", "retry"]);
      assert.equal(transcript.told.at(-1), "assistant: Sure, I can help with that.");
    });

    named("explore", async () => {
      const transcripts = await replay(ALL.find(({ name }) => name === "explore") ?? { name: "", content: [] });
      const [parent, child] = ["ses_341f480cfffekQwFX2LabeJFAU", "ses_341f3e676ffez6WUF6zpok7dUZ"].map((id) =>
        transcripts.get(id),
      );
      assert.ok(parent && child);
      assert.equal(child.headers[0]?.parentID, parent.headers[0]?.sessionID);
      const links = parent.entries.flatMap((entry) =>
        "subagent" in entry && entry.subagent ? [entry.subagent.path] : [],
      );
      assert.deepEqual(new Set(links), new Set(["ses_341f480cfffekQwFX2LabeJFAU/ses_341f3e676ffez6WUF6zpok7dUZ.md"]));
    });

    named("user-message-metadata-update", async () => {
      const { told } = await only("user-message-metadata-update");
      assert.deepEqual(told, ["user: Review the small change."], "a message that is updated is not told again");
    });
  });

  describe("captured messages as the host stores them", () => {
    for (const stream of ALL.filter((each) => !isEvents(each))) {
      test(`${stream.name}: are recorded as the history of a session that goes on`, async () => {
        const text = JSON.stringify(stream.content);
        const sessionID = /"sessionID":"([^"]+)"/.exec(text)?.[1] ?? "";
        const next = { type: "message.updated", properties: { info: { id: "msg_zzz", sessionID, role: "user" } } };
        const prompt = {
          type: "message.part.updated",
          properties: { part: { id: "prt_zzz", messageID: "msg_zzz", sessionID, type: "text", text: "Go on." } },
        };
        const transcript = (await replay({ name: stream.name, content: [next, prompt] }, stream.content)).get(
          sessionID,
        );
        assert.ok(transcript);
        const count = (pattern: RegExp): number => [...text.matchAll(pattern)].length;
        assert.equal(transcript.told.filter((line) => line.startsWith("use:")).length, count(/"type":"tool"/g));
        assert.equal(transcript.told.filter((line) => line.startsWith("error:")).length, count(/"status":"error"/g));
        assert.equal(transcript.told.at(-1), "user: Go on.");
      });
    }
  });
}
