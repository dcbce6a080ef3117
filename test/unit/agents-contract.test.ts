/** What `Agent` and `Format` promise, for each agent of the registry and each of their formats. */
import assert from "node:assert/strict";
import { appendFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { Format } from "../../src/agents/agent.ts";
import { allTools } from "../../src/agents/all-tools.ts";
import { contentOf, detectFormat, HEAD_BYTES } from "../../src/agents/detect.ts";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { agentAt, AGENTS, agentKeeping } from "../../src/agents/registry.ts";
import { withParts } from "../../src/indexing/machine-sessions.ts";
import { updateIndex } from "../../src/indexing/update-index.ts";
import type { ParseResult } from "../../src/parse/model.ts";
import { nodeSessionFiles } from "../../src/places/session-files.ts";
import { isSubagent, type SessionRef, type Where } from "../../src/places/session-ref.ts";
import { readConversation } from "../../src/queries/read-session.ts";
import { fileRef, readHead } from "../../src/sessions/file-ref.ts";
import { findSessions, sessionRoots } from "../../src/sessions/find-sessions.ts";
import { resumeOf } from "../../src/sessions/resume.ts";
import { isWithin } from "../../src/transcript/files/data-folder.ts";
import { z } from "zod";
import { MADE, machineOf, madeFiles, type MadeFile } from "../support/agents/made-agents.ts";
import { newStore, NO_REDACTOR, writingWith } from "../support/indexing/index-fixture.ts";
import { countingIds } from "../support/parse/counting-ids.ts";
import { spawnProgram } from "../support/host/process.ts";
import { afterAll, describe, isLong, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { filesWith } from "./sessions-machine.ts";

afterAll(removeTempDirs);

const FORMATS: readonly Format[] = AGENTS.flatMap(({ formats }) => formats);
const FILES = await madeFiles();
/** Lines that a format may hold back until the next ones come, which say what they are. */
const MAX_HELD = 8;
const headOf = ({ bytes }: MadeFile): string => bytes.toString("utf8", 0, HEAD_BYTES);
const OF_LINES = FILES.filter((file) => detectFormat(headOf(file))?.lines === "json");

const parsed = (input: Uint8Array | AsyncIterable<Uint8Array>): Promise<ParseResult> =>
  parseTranscript("S", input, { generateId: countingIds(), pricing: "flat" });

async function* chunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Messages and blocks without their lines. */
function said({ messages, content_blocks, tool_calls }: ParseResult): unknown {
  return {
    messages: messages.map(({ line_number: _l, byte_offset: _o, ...rest }) => rest),
    blocks: content_blocks.map(({ line_number: _l, ...rest }) => rest),
    calls: tool_calls.map(({ use: _u, result: _r, ...rest }) => rest),
  };
}

/** Up to five positions after a line, the first and the last among them. */
function lineEnds(bytes: Buffer): number[] {
  const ends = [...bytes.entries()].flatMap(([at, byte]) => (byte === 10 ? [at + 1] : []));
  return [...new Set([0, 1, 2, 3, 4].map((n) => ends[Math.floor(((ends.length - 1) * n) / 4)] ?? 0))];
}

function withLine(bytes: Buffer, at: number, line: string): Buffer {
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(`${line}\n`), bytes.subarray(at)]);
}

describe("a format", () => {
  test("has an example file and a unique name", () => {
    const shown = new Set(FILES.map((file) => detectFormat(headOf(file))?.name));
    assert.deepEqual(new Set(FORMATS.map(({ name }) => name)), shown);
    assert.equal(new Set(FORMATS.map(({ name }) => name)).size, FORMATS.length);
  });

  test("is the only format detected in its files, in any order of asking", () => {
    for (const file of FILES) {
      const specific = FORMATS.filter((format) => format.isFallback !== true && format.detect(headOf(file)));
      const found = detectFormat(headOf(file));
      assert.deepEqual(specific, found?.isFallback === true ? [] : [found], file.name);
    }
  });

  test("counts the calls that start a subagent, however the agent names the tool", async () => {
    const counted = new Set<string>();
    for (const { name, bytes } of FILES) {
      const { content_blocks, stats, format } = await parsed(bytes);
      const calls = content_blocks.filter(({ block_type }) => block_type === "tool_use");
      const starting = calls.filter(({ tool_name }) => allTools(tool_name, {}).kind === "subagent");
      assert.equal(stats.subagent_count, starting.length, name);
      if (starting.length > 0) counted.add(format ?? "");
    }
    assert.ok(counted.size >= 3, [...counted].join(", "));
  });

  for (const file of FILES) {
    test(`is read the same in any chunks: ${file.name}`, async () => {
      const whole = await parsed(file.bytes);
      assert.ok(whole.messages.length > 0 || whole.errors.length > 0);
      for (const size of [997, 4_096, 65_536]) assert.deepEqual(await parsed(chunks(file.bytes, size)), whole);
    });
  }

  for (const file of OF_LINES) {
    test(`loses a damaged line and nothing else: ${file.name}`, async () => {
      const whole = await parsed(file.bytes);
      for (const at of lineEnds(file.bytes)) {
        const damaged = await parsed(withLine(file.bytes, at, '{"type":"user","message":{"role":'));
        assert.deepEqual(said(damaged), said(whole));
        assert.equal(damaged.lines.failed, whole.lines.failed + 1);
        assert.equal(damaged.errors.length, whole.errors.length + 1);
      }
    });

    test(`counts a line of an unknown type, and keeps it: ${file.name}`, async () => {
      const whole = await parsed(file.bytes);
      const record = {
        type: "brand_new",
        id: "new-1",
        uuid: "new-1",
        sessionId: "s",
        timestamp: "2026-11-22T12:00:00Z",
      };
      for (const at of lineEnds(file.bytes)) {
        const longer = await parsed(withLine(file.bytes, at, JSON.stringify(record)));
        assert.deepEqual(said(longer), said(whole));
        assert.equal(longer.lines.unknown, whole.lines.unknown + 1);
        assert.ok(longer.unknown_lines.some(({ type }) => type === "brand_new"));
      }
    });

    test(`is read while it grows, without holding lines back: ${file.name}`, async () => {
      const lines = file.bytes.toString("latin1").split(/(?<=\n)/);
      let read = 0;
      async function* growing(): AsyncGenerator<Uint8Array> {
        for (const [at, line] of lines.entries()) {
          // The format may need some lines to be detected.
          if (read > 0) assert.ok(read >= at - MAX_HELD, `line ${at - MAX_HELD} was held when line ${at} was there`);
          yield Buffer.from(line, "latin1");
        }
      }
      const { units } = await contentOf(growing()).open({ isGrowing: true });
      for await (const batch of units) for (const { line, lines } of batch) read = Math.max(read, line + lines - 1);
      assert.equal(read, (await parsed(file.bytes)).lines.total);
    });
  }
});

/** Megabytes of a session, and MiB that a process may take that reads it. */
const [LONG_MB, MAX_MIB] = isLong ? [144, 200] : [72, 170];
/** MiB that loading TypeScript takes in Node. */
const LOADING_MIB = "bun" in process.versions ? 0 : 60;
const Measured = z.object({ turns: z.number(), messages: z.number(), peak: z.number() });

for (const format of FORMATS.filter(({ lines }) => lines === "json")) {
  test(`takes little memory for a long session: ${format.name}`, async () => {
    const own = OF_LINES.filter((file) => detectFormat(headOf(file)) === format);
    const file = own.find(({ name }) => name.includes("tools")) ?? own[0] ?? assert.fail("it has no file");
    const child = join(import.meta.dirname, "../support/agents/memory-child.ts");
    const { stdout, stderr, code } = await spawnProgram(process.execPath, [child, String(LONG_MB)], {
      cwd: makeTempDir(),
      env: process.env,
      stdin: file.bytes.toString("utf8"),
    }).finished;
    assert.equal(code, 0, stderr);
    const { turns, messages, peak } = Measured.parse(JSON.parse(stdout));
    assert.ok(turns > 1 && messages >= turns, stdout);
    const peakMiB = Math.round(peak / 1024 / 1024);
    assert.ok(peakMiB <= MAX_MIB + LOADING_MIB, `${peakMiB} MiB for ${LONG_MB} MB`);
  });
}

async function sessionsOf(where: Where, agent?: string): Promise<SessionRef[]> {
  const { sessions: all, unreadable } = await findSessions(where);
  const sessions = all.filter((ref) => agent === undefined || ref.agent === agent);
  assert.deepEqual(unreadable, []);
  assert.ok(sessions.length > 0 || agent !== undefined, "the machine has no sessions");
  return sessions.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

test("each agent has a unique name, and example sessions", () => {
  assert.equal(new Set(AGENTS.map(({ name }) => name)).size, AGENTS.length);
  assert.deepEqual(new Set(Object.keys(MADE)), new Set(AGENTS.map(({ name }) => name)));
});

for (const agent of AGENTS) {
  describe(agent.displayName, () => {
    test("finds its sessions in the default place, and where its environment variable points", async () => {
      const usual = await sessionsOf(await machineOf(agent.name));
      assert.ok(usual.length > 0);
      assert.deepEqual(new Set(usual.map(({ place }) => place)), new Set([agent.name]));
      if (MADE[agent.name]?.variable === undefined) return;
      const named = await sessionsOf(await machineOf(agent.name, true));
      assert.deepEqual(
        named.map(({ id }) => id),
        usual.map(({ id }) => id),
      );
    });

    test("can be selected with `--agent`", async () => {
      const where = await machineOf(agent.name);
      const all = await sessionsOf(where);
      for (const name of new Set(all.map((ref) => ref.agent ?? ""))) {
        assert.ok(AGENTS.some((each) => each.isRecorder !== true && each.name === name));
        assert.equal((await sessionsOf(where, name)).length, all.length);
      }
      assert.deepEqual(await sessionsOf(where, "none"), []);
    });

    test("is scanned by names, sizes and times; a file is opened only if its name lacks the id, and only once", async () => {
      const where = await machineOf(agent.name);
      const opened: string[] = [];
      const openRead = (path: string) => {
        opened.push(path);
        return nodeSessionFiles.openRead(path);
      };
      const files = filesWith({ openRead });
      const found = await findSessions(where, { files });
      assert.deepEqual(found.unreadable, []);
      assert.equal(found.sessions.length, (await sessionsOf(where)).length);
      assert.deepEqual(MADE[agent.name]?.hasIdInside === true ? [...new Set(opened)] : [], opened);
    });

    test("reads the same metadata from the head of a session as from the whole", async () => {
      for (const ref of await sessionsOf(await machineOf(agent.name))) {
        const { project, startedMs } = await readHead(ref);
        const { metadata } = await readConversation(ref);
        assert.equal(project, ref.project ?? metadata.cwd, ref.id);
        if (agent.isRecorder !== true) assert.notEqual(startedMs, null, ref.id);
      }
    });

    test("reads each of its sessions under its own id", async () => {
      for (const ref of await sessionsOf(await machineOf(agent.name))) {
        const { messages, metadata } = await readConversation(ref);
        assert.ok(messages.length > 0, ref.id);
        assert.ok([ref.id, ref.parentId, null].includes(metadata.sessionId) || isSubagent(ref), ref.id);
      }
    });

    test("reads the same session if its file is given by path", async () => {
      for (const ref of await sessionsOf(await machineOf(agent.name))) {
        if (ref.path === null) continue;
        const named = await fileRef(ref.path);
        assert.deepEqual([named.id, named.place, named.agent], [ref.id, ref.place, ref.agent]);
        assert.equal(agentAt(named), agent);
      }
    });

    test("keeps sessions in one of its formats; the others are printed or exported", () => {
      for (const format of agent.formats)
        assert.equal(agentKeeping(format), format.isExport === true ? undefined : agent);
      for (const { name, tools } of agent.formats) assert.notEqual(tools, undefined, name);
    });

    test("gives the command that resumes a session, or the reason why there is none", async () => {
      for (const ref of await sessionsOf(await machineOf(agent.name))) {
        const how = resumeOf(ref, makeTempDir());
        if ("reason" in how) assert.match(how.reason, /^[a-z]/);
        else assert.ok(how.command.includes(ref.id), how.command);
      }
    });

    test("reports deletion only for sessions in its places, after the days in its settings", async () => {
      const where = await machineOf(agent.name);
      const places = (await sessionRoots(where)).filter((place) => place.agent === agent.name);
      for (const { folder, days, setting, file } of (await agent.retention?.(where)) ?? []) {
        assert.ok(days > 0 && setting !== "" && file !== "");
        assert.ok(places.some(({ path }) => isWithin(folder, path) || isWithin(path, folder)));
      }
    });

    test("never lists a folder that has another session as one of a session's", async () => {
      const sessions = await sessionsOf(await machineOf(agent.name));
      for (const ref of sessions) {
        const folders = ref.path === null ? [] : (agent.belongings?.(ref.path, ref) ?? []);
        for (const { path, parentId, id } of sessions) {
          const isOwn = id === ref.id || parentId === ref.id;
          assert.ok(isOwn || path === null || folders.every((folder) => !isWithin(folder, path)));
        }
      }
    });

    test("is indexed as it is read, updated when it grew, and kept when its files are gone", async () => {
      const where = await machineOf(agent.name);
      const store = await newStore();
      try {
        const first = await updateIndex(store, where, { redactor: NO_REDACTOR });
        const sessions = await withParts(await sessionsOf(where), []);
        assert.deepEqual([first.new, first.unreadable], [sessions.length, []]);
        const stored = await store.sessions();
        for (const ref of sessions) {
          const row = stored.find(({ session_id: id }) => id === ref.id) ?? assert.fail(ref.id);
          const { messages } = await readConversation(ref);
          const current = (await store.messages(row.session_id)).filter(({ superseded }) => !superseded);
          assert.equal(current.length, messages.length, ref.id);
          assert.equal(row.agent, ref.agent);
        }
        const again = await updateIndex(store, where, { redactor: NO_REDACTOR });
        assert.deepEqual([again.new, again.changed, again.unchanged], [0, 0, sessions.length]);
        const never = (path: string): never => assert.fail(`${path} was opened, though it is current`);
        const known = await withParts(await sessionsOf(where), await store.marks(), filesWith({ openRead: never }));
        assert.deepEqual(new Set(known.map(({ id }) => id)), new Set(sessions.map(({ id }) => id)));

        const grown = sessions.find(({ path }) => path?.endsWith(".jsonl") === true);
        if (grown?.path)
          appendFileSync(grown.path, '{"type":"brand_new","sessionId":"s","id":"new-1","uuid":"new-1"}\n');
        const next = await updateIndex(store, where, { redactor: NO_REDACTOR });
        const inIt = sessions.filter(({ path }) => path !== null && path === grown?.path);
        assert.equal(next.changed, inIt.length);
        const count = async (): Promise<number> => (await store.messages(sessions[0]?.id ?? "")).length;
        const before = await count();
        for (const ref of sessions)
          for (const { path, database } of [ref, ...ref.alternatives]) rmSync(path ?? database ?? "", { force: true });
        const gone = await updateIndex(store, where, { redactor: NO_REDACTOR });
        assert.deepEqual([gone.sessions, gone.gone], [0, sessions.length]);
        assert.equal(await count(), before);
      } finally {
        await store.close();
      }
    });

    if (agent.parts !== undefined)
      test("indexes the subagents in a session's file with it, and before it", async () => {
        const where = await machineOf(agent.name);
        const sessions = await withParts(await sessionsOf(where), []);
        const part = sessions.find(({ agentId }) => agentId !== null) ?? assert.fail("no file has one");
        const top = sessions.find(({ id }) => id === part.parentId) ?? assert.fail("it has no parent");
        const inFile = sessions.flatMap(({ id, path }) => (path === top.path ? [id] : [])).toSorted();
        const store = await newStore();
        const written: string[] = [];
        const noted = writingWith(store, (...changes) => {
          written.push(...changes.map(({ session }) => session.session_id));
          return store.writeSession(...changes);
        });
        try {
          await updateIndex(noted, where, { only: [top], redactor: NO_REDACTOR });
          assert.deepEqual([...new Set(written)].toSorted(), inFile);
          assert.equal(written.at(-1), top.id);
        } finally {
          await store.close();
        }
      });

    test("names its places even if none exist", async () => {
      const where = { env: {}, home: makeTempDir(), cwd: makeTempDir() };
      for (const place of await agent.places(where, nodeSessionFiles)) {
        assert.equal(place.agent, agent.name);
        assert.notEqual(basename(place.path), "");
        assert.deepEqual(await agent.scan(place, nodeSessionFiles, { seen: new Set() }), {
          sessions: [],
          unreadable: [],
        });
      }
    });
  });
}
