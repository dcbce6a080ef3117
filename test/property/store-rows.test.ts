/** The rows that a store keeps of a session are those that the parser makes of its file, redacted. */
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { StoredConversation } from "../../src/queries/stored-conversation.ts";
import { wholeConversation } from "../../src/parse/parse-transcript.ts";
import { updateIndex, type UpdateOptions } from "../../src/indexing/update-index.ts";
import {
  parseTranscript,
  redactResult,
  type ParsedContentBlock,
  type ToolCall,
  type TranscriptMessage,
} from "../../src/index.ts";
import { catalogPricing } from "../../src/parse/pricing.ts";
import { answerStats } from "../../src/parse/statistics.ts";
import { storedFigures } from "../../src/queries/stored-figures.ts";
import { redactJson } from "../../src/redact/redact-json.ts";
import { createRedactor, type Redactor } from "../../src/redact/redactor.ts";
import { findSessions } from "../../src/sessions/find-sessions.ts";
import { figuresOf } from "../../src/sessions/read-figures.ts";
import { openReadable } from "../../src/sessions/open-session.ts";
import { resolveSession } from "../../src/sessions/resolve-session.ts";
import { baseId } from "../../src/indexing/session-keys.ts";
import { pathOf, type SessionRef, type Where } from "../../src/places/session-ref.ts";
import { openStore } from "../../src/store/open-store.ts";
import { storableJson, storableTime } from "../../src/store/storable.ts";
import type { Store } from "../../src/store/store.ts";
import { newStore, NO_REDACTOR } from "../support/indexing/index-fixture.ts";
import { anyLines } from "../support/parse/any-lines.ts";
import { SESSION_KINDS, testSessions } from "../support/parse/session-files.ts";
import { FORMATS } from "../support/parse/transcript-file.ts";
import { madeEntry } from "../support/indexing/made-transcript.ts";
import { afterAll, describe, isLong, runs, test } from "../support/runner.ts";
import { sharedPostgresBackend } from "../support/store/postgres-suite.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { writeFakeStore, type StoredSession } from "../unit/sessions-machine.ts";

afterAll(removeTempDirs);
const postgres = sharedPostgresBackend();
const newTeamStore = async (): Promise<Store> =>
  openStore((await postgres.newStore?.()) ?? (await postgres.newPlace()));

const ID = "11111111-1111-4111-8111-111111111111";

interface Model {
  messages: readonly TranscriptMessage[];
  blocks: readonly ParsedContentBlock[];
  calls: readonly ToolCall[];
}

/**
 * Without ids, which are made anew at each parse, and without prices, which are worked out when they are asked for, also
 * in place of a recorded 0.
 */
function comparable({ messages, blocks, calls }: Model): unknown {
  const ordinals = new Map(messages.map(({ id, ordinal }) => [id, ordinal]));
  const value = {
    messages: messages.map(({ cost_usd, metadata, timestamp, ...row }) => {
      const { cost_is_estimate: _e, cost_is_recorded: recorded, ...told } = metadata;
      return {
        ...row,
        id: null,
        timestamp: storableTime(timestamp),
        cost: recorded === true ? cost_usd || null : null,
        told,
      };
    }),
    blocks: blocks.map(({ id: _id, message_id, ...row }) => ({ ...row, message: ordinals.get(message_id) })),
    calls: calls.map(({ use, result, ...row }) => ({
      ...row,
      use: use && [use.message_ordinal, use.line_number],
      result: result && [result.message_ordinal, result.line_number],
    })),
  };
  return JSON.parse(storableJson(value));
}

async function parsed(content: Parameters<typeof parseTranscript>[1], redactor: Redactor): Promise<unknown> {
  const options = { maxInlineContentBytes: Number.POSITIVE_INFINITY };
  const result = await redactResult(await parseTranscript(ID, content, options), redactor);
  return comparable({ messages: result.messages, blocks: result.content_blocks, calls: result.tool_calls });
}

/** The figures of the file, with what a store has of the session's own names. */
async function redactedFigures(ref: SessionRef, redactor: Redactor): Promise<unknown> {
  const figures = await figuresOf(ref);
  const { sessionId: _s, parentSessionId, title, cwd, firstTimestamp, lastTimestamp } = figures.metadata;
  const metadata = { sessionId: null, parentSessionId, title, cwd, firstTimestamp, lastTimestamp };
  const [redacted] = await redactJson(redactor, [{ ...figures, metadata }]);
  return JSON.parse(storableJson(redacted?.value));
}

/** A session that grows, and where it is. */
interface Growing {
  where: Where;
  steps: readonly (() => Promise<void> | void)[];
  /** Its file, if it is in none of the places where sessions are looked for. */
  file?: string;
  /** Is one, even if it has few lines. */
  isSession: boolean;
}

/** A file that gets the pieces one after the other. */
function fileOf(name: string, pieces: readonly Buffer[]): Growing {
  const home = makeTempDir();
  const isExport = name.endsWith(".json");
  const folder = isExport ? "exports" : name.startsWith("ses_") ? ".openfleet/transcripts" : ".claude/projects/-p";
  const path = join(home, folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  const steps = pieces.map((piece) => () => appendFileSync(path, piece));
  return { where: { env: {}, home, cwd: home }, steps, isSession: isExport, ...(isExport ? { file: path } : {}) };
}

/** An exported session as opencode has it in its own store. */
function storedOf(bytes: Buffer): Growing {
  const home = makeTempDir();
  const data = join(home, "data");
  const write = (): Promise<void> =>
    writeFakeStore(join(data, "opencode/opencode.db"), [exportedSession(bytes.toString())]);
  return { where: { env: { XDG_DATA_HOME: data }, home, cwd: home }, steps: [write], isSession: true };
}

function exportedSession(json: string): StoredSession {
  const { info, messages }: ExportedSession = JSON.parse(json);
  return {
    id: info.id,
    ...(info.directory === undefined ? {} : { directory: info.directory }),
    messages: messages.map((message) => ({
      id: message.info.id,
      data: message.info,
      parts: message.parts.map((part) => ({ id: part.id, data: part })),
    })),
  };
}

interface ExportedSession {
  info: { id: string; directory?: string };
  messages: { info: { id: string }; parts: { id: string }[] }[];
}

/** Copilot writes usage before the answer that has it, so that the store has a row for the usage alone in between. */
function isInFile({ metadata: { subtype, superseded } }: TranscriptMessage): boolean {
  return !(subtype === "usage" && superseded === true);
}

/** Indexes a session after each step, and compares the rows at the end. */
async function check(growing: Growing, redactor: Redactor, said: string, open = newStore): Promise<void> {
  const { where, steps, file, isSession } = growing;
  const refsNow = async (): Promise<SessionRef[]> =>
    file === undefined ? (await findSessions(where)).sessions : [await resolveSession(file, where)];
  const update = async (of: Store, options: UpdateOptions = {}): Promise<void> =>
    void (await updateIndex(of, where, {
      redactor,
      ...(file === undefined ? {} : { only: await refsNow() }),
      ...options,
    }));
  const [store, figuresFirst] = [await open(), await open()];
  const areFigures = async (of: Store): Promise<void> => {
    const refs = await refsNow();
    const rows = await of.sessions();
    const pricing = await catalogPricing();
    const all = { subagents: true, empty: true, limit: Infinity };
    const figures = new Map(
      await of.listed(all, (row) => {
        const found = storedFigures(row, pricing);
        const stats = { ...found.stats, ...answerStats(found.usage) };
        return [row.session.session_id, { ...found, stats }] as const;
      }),
    );
    const idOf = (ref: SessionRef): string =>
      rows.find((row) => row.path === pathOf(ref) && baseId(row.session_id) === ref.id)?.session_id ?? "";
    const read = await Promise.all(refs.map((ref) => redactedFigures(ref, redactor)));
    assert.deepEqual(
      refs.map((ref) => figures.get(idOf(ref))),
      read,
      said,
    );
  };
  const areRows = async (of: Store): Promise<void> => {
    const [session] = await of.sessions();
    assert.ok(session !== undefined || !isSession, `${said} is not in the store`);
    const [ref] = await refsNow();
    if (session === undefined || ref === undefined) return;
    const kept = new StoredConversation(of, session, { pricing: "flat" });
    const { messages, content_blocks, tool_calls: calls } = await wholeConversation(kept);
    const own = <Row>(row: Row): Row => ({ ...row, session_id: ID });
    const rows = { messages: messages.filter(isInFile).map(own), blocks: content_blocks.map(own), calls };
    const content = ref.database !== null ? openReadable(ref) : readFileSync(ref.path ?? "");
    const expected = await parsed(content, redactor);
    assert.deepEqual(comparable(rows), expected, said);
  };
  try {
    for (const step of steps) {
      await step();
      await update(store);
      await update(figuresFirst, { level: "figures" });
    }
    await areRows(store);
    await areFigures(store);
    await areFigures(figuresFirst);
    for (const { session_id: id } of await figuresFirst.sessions()) assert.deepEqual(await figuresFirst.blocks(id), []);
    // Content takes the place of figures, and figures never that of content.
    await update(figuresFirst);
    await update(figuresFirst, { level: "figures" });
    await areRows(figuresFirst);
    await areFigures(figuresFirst);
  } finally {
    await Promise.all([store.close(), figuresFirst.close()]);
  }
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(10, start);
    lines.push(bytes.subarray(start, end === -1 ? bytes.length : end + 1));
    start = end === -1 ? bytes.length : end + 1;
  }
  return lines;
}

describe("the rows in the store", () => {
  test("equal those of the file, read whole and line by line", async () => {
    await fc.assert(
      fc.asyncProperty(anyLines(), fc.boolean(), async (lines, byLine) => {
        const bytes = Buffer.from(`${lines.join("\n")}\n`);
        await check(fileOf(`${ID}.jsonl`, byLine ? linesOf(bytes) : [bytes]), NO_REDACTOR, "any lines");
      }),
      { numRuns: runs(60) },
    );
  });

  for (const [name, format] of Object.entries(FORMATS)) {
    for (const [backend, open, share] of [
      ["SQLite", newStore, 25],
      ["PostgreSQL", newTeamStore, 4],
    ] as const) {
      test(`equal those of a transcript in ${name}, written entry by entry, in ${backend}`, async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.nat(4), { minLength: 1, maxLength: 12 }),
            fc.boolean(),
            async (kinds, byEntry) => {
              const all = kinds.map((kind, at) => madeEntry("ses_1", at, kind));
              const pieces = byEntry
                ? [format.text([]), ...all.map((entry) => format.entry(entry))]
                : [format.text(all)];
              const file = fileOf(
                name === "markdown" ? "ses_1.md" : "ses_1.jsonl",
                pieces.map((piece) => Buffer.from(piece)),
              );
              await check(file, NO_REDACTOR, name, open);
            },
          ),
          { numRuns: runs(share) },
        );
      });
    }
  }

  const isExport = (name: string): boolean => name.startsWith("opencode-export");
  testSessions("equal the redacted rows of session files, some written line by line", SESSION_KINDS, async (files) => {
    const redactor = createRedactor();
    for (const [at, { name, path }] of files.entries()) {
      const bytes = readFileSync(path);
      if (bytes.length > 1_000_000 && at % 8 !== 0) continue;
      const file = isExport(name) ? "export.json" : `${ID}.jsonl`;
      await check(fileOf(file, [bytes]), redactor, name);
      if (isExport(name)) await check(storedOf(bytes), redactor, `${name}, in opencode's store`);
      else if (bytes.length < 60_000 && at % (isLong ? 4 : 12) === 0)
        await check(fileOf(file, linesOf(bytes)), NO_REDACTOR, name);
    }
  });

  testSessions("equal the redacted rows of session files in PostgreSQL", SESSION_KINDS, async (files) => {
    const redactor = createRedactor();
    for (const [at, { name, path }] of files.entries()) {
      const bytes = readFileSync(path);
      if (bytes.length > 1_000_000 || at % (isLong ? 2 : 8) !== 0) continue;
      const file = isExport(name) ? "export.json" : `${ID}.jsonl`;
      await check(fileOf(file, [bytes]), redactor, name, newTeamStore);
      if (isExport(name)) await check(storedOf(bytes), redactor, `${name}, in opencode's store`, newTeamStore);
    }
  });
});
