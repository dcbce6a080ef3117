/** Recorded events of opencode 2.x, played to the plugin: what the transcripts must say of them, however they arrive. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import {
  FakeHost2,
  recordedEvents,
  recordingNames,
  storedAtEnd,
  VOCABULARIES,
  type RecordedEvent,
  type Vocabulary,
} from "../support/recording/fake-host-2.ts";
import { readSound, transcriptsIn, type ReadTranscript } from "../support/recording/recording.ts";
import { toldByStore, type ToldByStore } from "../support/recording/stored-2.ts";
import { shortForm } from "../support/recording/timeline-driver.ts";
import { afterAll, beforeAll, describe, runs, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

const own = process.env["XDG_DATA_HOME"];
beforeAll(() => void (process.env["XDG_DATA_HOME"] = makeTempDir()));
afterAll(() => {
  if (own === undefined) delete process.env["XDG_DATA_HOME"];
  else process.env["XDG_DATA_HOME"] = own;
  removeTempDirs();
});

/** Reverted messages are no longer stored, but stay in the transcript. */
const REVERTED = ["user: SCN:edit2 write", 'use: write {"path":"c.txt","content":"see\\n"}', "assistant: Wrote c."];

/** The recordings whose stored messages were kept and hold all that was said. */
const STORED = recordingNames().filter((name) => name !== "revert" && storedAtEnd(name, "/") !== undefined);

interface Played extends ToldByStore {
  transcripts: Map<string, ReadTranscript>;
}

/** Plays chunks of events to one instance of the plugin, each after the one before was taken. */
async function play(name: string, chunks: readonly (readonly RecordedEvent[])[], folder: string): Promise<Played> {
  const stored = storedAtEnd(name, folder);
  const host = new FakeHost2().has(stored);
  await host.start();
  for (const chunk of chunks) await host.publish(...chunk);
  await host.end();
  const data = join(folder, name === "other-dir" ? "other" : "project", ".openfleet");
  const transcripts = new Map<string, ReadTranscript>();
  for (const path of transcriptsIn(data))
    transcripts.set(path.replace(/^.*\/|\.md$/g, ""), await readSound(data, path));
  const sessionID = stored?.session ?? chunks.flat().find(({ data }) => data.sessionID !== undefined)?.data.sessionID;
  return { transcripts, ...toldIn(transcripts.get(sessionID ?? "")) };
}

function toldIn(transcript: ReadTranscript | undefined): ToldByStore {
  const entries = (transcript?.entries ?? []).filter(({ type }) => type !== "session_event");
  const results = entries.flatMap((entry) =>
    entry.type === "tool_result" ? [`${entry.status ?? "completed"}: ${JSON.stringify(entry.input)}`] : [],
  );
  return {
    told: entries.filter(({ type }) => type !== "tool_result").map(shortForm),
    results: results.toSorted(),
  };
}

function expectedOf(name: string, folder: string): ToldByStore {
  return toldByStore(storedAtEnd(name, folder)?.messages ?? []);
}

async function inFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = makeTempDir();
  await body(folder);
  rmSync(folder, { recursive: true, force: true });
}

describe("a recorded session of opencode 2.x", () => {
  for (const vocabulary of VOCABULARIES) {
    test(`${vocabulary}: its transcript has what the host stored, once and in order`, async () => {
      assert.ok(STORED.length > 15, "there are recordings");
      for (const name of STORED) {
        await inFolder(async (folder) => {
          const played = await play(name, [recordedEvents(vocabulary, name, folder)], folder);
          const { told, results } = expectedOf(name, folder);
          assert.deepEqual(played.told, told, name);
          assert.deepEqual(played.results, results, name);
        });
      }
    });

    test(`${vocabulary}: keeps messages that the user reverted`, async () => {
      await inFolder(async (folder) => {
        const played = await play("revert", [recordedEvents(vocabulary, "revert", folder)], folder);
        const { told } = expectedOf("revert", folder);
        assert.deepEqual(played.told, [...told.slice(0, 2), ...REVERTED, ...told.slice(2)]);
      });
    });

    test(`${vocabulary}: has the events of the session`, async () => {
      for (const [name, expected] of Object.entries(EVENTS)) {
        await inFolder(async (folder) => {
          const { transcripts } = await play(name, [recordedEvents(vocabulary, name, folder)], folder);
          const events = [...transcripts.values()].flatMap(({ entries }) =>
            entries.flatMap((entry) => (entry.type === "session_event" ? [`${entry.name}: ${entry.text}`] : [])),
          );
          const shown = events.filter((event) => !/^(?:usage|patch|missing entries):/.test(event));
          assert.deepEqual(shown, expected, name);
        });
      }
    });

    test(`${vocabulary}: a call that the user refused is rejected, one that a rule denied is an error`, async () => {
      for (const [name, status] of [
        ["ask-reject", "rejected"],
        ["denied", "error"],
      ] as const) {
        await inFolder(async (folder) => {
          const { transcripts } = await play(name, [recordedEvents(vocabulary, name, folder)], folder);
          const results = [...transcripts.values()].flatMap(({ entries }) =>
            entries.flatMap((entry) => (entry.type === "tool_result" ? [entry.status] : [])),
          );
          assert.deepEqual(results, [status], name);
        });
      }
    });

    test(`${vocabulary}: a call of a subagent names its session, and that session names its parent`, async () => {
      await inFolder(async (folder) => {
        const { transcripts } = await play("sub", [recordedEvents(vocabulary, "sub", folder)], folder);
        const [parentID, parent] = [...transcripts].find(([, { headers }]) => headers[0]?.parentID === undefined) ?? [];
        const use = parent?.entries.find(({ type }) => type === "tool_use");
        assert.ok(use?.type === "tool_use" && use.subagent !== undefined && parentID !== undefined);
        assert.equal(use.subagent.path, `${parentID}/${use.subagent.sessionID}.md`);
        const child = transcripts.get(use.subagent.sessionID);
        assert.equal(child?.headers[0]?.parentID, parentID);
        assert.deepEqual(
          [child?.told[0], child?.told.at(-1)],
          ["user: SCN:child look", "assistant: Child says hello."],
        );
      });
    });

    test(`${vocabulary}: counts tokens and cost of each step once`, async () => {
      for (const name of ["tools", "plain", "reasoning"]) {
        await inFolder(async (folder) => {
          const { transcripts } = await play(name, [recordedEvents(vocabulary, name, folder)], folder);
          const entries = [...transcripts.values()].flatMap((transcript) => transcript.entries);
          const counted = entries.flatMap((entry) => {
            return entry.type === "session_event" && entry.name === "usage" ? [inputOf(entry.data)] : [];
          });
          assert.deepEqual(counted, storedInputs(name, folder), name);
        });
      }
    });
  }
});

function inputOf(data: unknown): unknown {
  return Reflect.get(Object(Reflect.get(Object(data), "tokens")), "input");
}

function storedInputs(name: string, folder: string): unknown[] {
  return (storedAtEnd(name, folder)?.messages ?? []).flatMap((message) =>
    Reflect.get(message, "tokens") === undefined ? [] : [inputOf(message)],
  );
}

/** Session events of some recordings, without usage and patches. */
const EVENTS: Record<string, string[]> = {
  "ask-once": ["permission asked: shell echo ask-me", "permission answered: once", "title: A title for ask"],
  question: ["question asked: undefined", "question answered: A", "title: A title for question"],
  e500: [
    'retry: Provider request failed with HTTP 500: {"error":{"message":"scripted failure","type":"server_error"}}',
    "title: A title for e500",
  ],
  "abort-text": ["error: The user interrupted the session."],
  compact: [
    "title: A title for plain",
    "compaction: The conversation so far is summarized (asked for).",
    "compacted: The conversation continues from the summary.",
  ],
  revert: [
    "title: A title for plain",
    "revert: The user reverted the session to before a message.",
    "unrevert: The user undid the revert.",
    "revert: The user reverted the session to before a message.",
    "removed: The host removed 3 messages from the session.",
  ],
  misc: [
    "title: A title for plain",
    "title: Renamed by me",
    "agent: plan",
    "deleted: The session was deleted in opencode.",
  ],
  "misc-fork": ["forked: Forked from session ses_dfcbfca41ffeo7IGgYGp1VV7rf: the conversation so far is a copy."],
};

/** The events, cut into chunks at random places. */
function chunked(events: readonly RecordedEvent[], cuts: readonly number[]): RecordedEvent[][] {
  const places = [...new Set(cuts.map((cut) => cut % (events.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...places].map((from, index) => events.slice(from, places[index] ?? events.length));
}

const vocabularies = fc.constantFrom<Vocabulary[]>(...VOCABULARIES);
const cuts = fc.array(fc.nat(), { maxLength: 12 });

describe("events of opencode 2.x that are split, repeated or missing", () => {
  test("give the same transcript in any chunks and with any repeats", async () => {
    const names = fc.constantFrom(...STORED);
    const repeats = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(vocabularies, names, cuts, repeats, async (vocabulary, name, cuts, repeats) => {
        await inFolder(async (folder) => {
          const events = recordedEvents(vocabulary, name, folder);
          for (const [from, delay] of repeats) {
            const at = from % events.length;
            const repeated = events[at];
            if (repeated) events.splice(at + 1 + (delay % (events.length - at)), 0, repeated);
          }
          const played = await play(name, chunked(events, cuts), folder);
          const { told, results } = expectedOf(name, folder);
          assert.deepEqual(played.told, told, name);
          assert.deepEqual(played.results, results, name);
        });
      }),
      { numRuns: runs(500) },
    );
  });

  test("leave nothing out that the host stored if any of them are missing; in order if the beginning arrived", async () => {
    const lost = fc.array(fc.nat(), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(vocabularies, fc.constantFrom(...STORED), lost, cuts, async (vocabulary, name, lost, cuts) => {
        await inFolder(async (folder) => {
          const events = recordedEvents(vocabulary, name, folder);
          // A loss is noticed by the number of the next event, so the last one with a number is not lost.
          const last = events.findLastIndex(({ durable }) => durable !== undefined);
          const places = new Set(lost.map((at) => at % last));
          const left = events.filter((_, at) => !places.has(at));
          const played = await play(name, chunked(left, cuts), folder);
          const { told, results } = expectedOf(name, folder);
          assert.deepEqual(played.told.toSorted(), told.toSorted(), name);
          assert.deepEqual(played.results, results, name);
          if (left[0]?.type === "session.created") assert.deepEqual(played.told, told, name);
        });
      }),
      {
        numRuns: runs(500),
        // The announcement and the end of a reasoning, but not its pieces.
        examples: [["preview", "reasoning", [6, 13, 14], []]],
      },
    );
  });
});
