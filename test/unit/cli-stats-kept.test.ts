/** `stats` with the figures that the store keeps: the same as without a store, and only what changed is read. */
import assert from "node:assert/strict";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import { generateSessions } from "../../bench/generate-sessions.ts";
import { createRedactor } from "../../src/redact/redactor.ts";
import { KEPT_SCANS, keptScan, scanKey, scanToKeep } from "../../src/scan/kept-scan.ts";
import { scanSession } from "../../src/scan/scan-session.ts";
import { sessionSums } from "../../src/scan/session-scan.ts";
import { recordsIn, sessionUsage, sharing } from "../../src/scan/session-usage.ts";
import { findSessions } from "../../src/sessions/find-sessions.ts";
import { type SessionRef, sessionRef } from "../../src/sessions/session-ref.ts";
import { UsageLedger, type UsageRecord } from "../../src/parse/usage-ledger.ts";
import { openStore } from "../../src/store/open-store.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { randomSecret } from "../support/parse/secret.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

const redactor = createRedactor();
afterAll(removeTempDirs);

const home = makeTempDir();
const { files } = generateSessions(join(home, ".claude"), { seed: 3, bytes: 9_000_000, sessionBytes: 200_000 });
const setting = { home, env: { XDG_DATA_HOME: join(home, "data") } };
const where = { ...setting, cwd: home };
/** A time at which a file counts as settled. */
const OLD = new Date(Date.now() - 3_600_000);

// A fork: the beginning of a session again, under another name.
const [origin = ""] = files.toSorted((a, b) => statSync(b).size - statSync(a).size);
const FORK = "f0f0f0f0-1111-4222-8333-444444444444";
const lines = readFileSync(origin, "utf8").split("\n");
writeFileSync(join(dirname(origin), `${FORK}.jsonl`), lines.slice(0, lines.length / 2).join("\n") + "\n");
for (const path of jsonlFiles()) utimesSync(path, OLD, OLD);

function jsonlFiles(): string[] {
  const folder = join(home, ".claude/projects");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(folder, name));
}

async function figures(env: Record<string, string> = setting.env, ...more: string[]): Promise<unknown> {
  const { stdout, stderr, exitCode } = await runCli(["stats", "--all", "--json", ...more], { home, env });
  assert.equal(exitCode, 0, stderr);
  assert.doesNotMatch(stderr, /not used|not kept/);
  return JSON.parse(stdout);
}

/** Without a store: at a place where there is none. */
function cold(...more: string[]): Promise<unknown> {
  return figures({ XDG_DATA_HOME: join(home, "none") }, ...more);
}

async function keepAll(): Promise<number> {
  const { sessions } = await findSessions(where, { all: true });
  const store = await openStore(where);
  let kept = 0;
  for (const ref of sessions) {
    const name = { session_id: ref.id, source: "claude-code", host: "here", path: ref.path ?? "" } as const;
    const rest = { project: null, parent_id: null, agent_id: null, title: null, started_at: null, modified_at: null };
    await store.registerSession({ ...name, ...rest });
    const value = await scanToKeep(ref, redactor);
    if (value) await store.writeCached(KEPT_SCANS, ref.id, value);
    if (value) kept += 1;
  }
  await store.close();
  return kept;
}

describe("stats with a store", () => {
  test("says the same as without one, whatever it is added up by", async () => {
    assert.equal(await keepAll(), files.length + 1);
    for (const by of [[], ["--by", "day"], ["--by", "project"], ["--by", "model"], ["--by", "session"]]) {
      assert.deepEqual(await figures(setting.env, ...by), await cold(...by), by.join(" "));
    }
  });

  test("reads nothing that is kept", async () => {
    const path = join(dirname(origin), `${FORK}.jsonl`);
    const expected = await cold();
    const list = async (): Promise<string> =>
      (await runCli(["list", "--json", "--since", "2000-01-01"], setting)).stdout;
    const listed = await list();
    const before = readFileSync(path);
    // The same size and time: only what is kept can still say the same.
    writeFileSync(path, Buffer.alloc(before.length, " "));
    utimesSync(path, OLD, OLD);
    assert.deepEqual(await figures(), expected);
    assert.equal((await runCli(["list", "--json"], setting)).stdout, listed);
    writeFileSync(path, before);
    utimesSync(path, OLD, OLD);
  });

  test("reads what changed, appeared or went away, and gives the store what it lacks", async () => {
    appendFileSync(
      origin,
      `${lines.slice(-40, -1).join("\n").replaceAll("msg_", "msg_x").replaceAll('"uuid":"', '"uuid":"x')}\n`,
    );
    utimesSync(origin, OLD, OLD);
    const copy = join(dirname(origin), `${basename(origin, ".jsonl").replace(/^.{8}/, "abcdabcd")}.jsonl`);
    cpSync(origin, copy);
    // Not settled, however long this takes.
    const later = new Date(Date.now() + 3_600_000);
    utimesSync(copy, later, later);
    const small = files.find((file) => file !== origin && dirname(file) === dirname(origin)) ?? "";
    rmSync(small, { force: true });
    const expected = await cold();
    assert.deepEqual(await figures(), expected);
    const { sessions } = await findSessions(where, { all: true });
    const store = await openStore(where, { readOnly: true });
    const keys = new Set([...(await store.cached(KEPT_SCANS)).values()].map(({ key }) => key));
    await store.close();
    const ref = sessions.find(({ path }) => path === origin);
    assert.equal(keys.has((ref && scanKey(ref)) ?? ""), statSync(origin).size > 4 * 1024 * 1024);
    assert.deepEqual(await figures(), expected);
  });

  test("a store that cannot be read is told, and the files are read", async () => {
    const broken = join(home, "broken.db");
    writeFileSync(broken, "no database".repeat(1_000));
    const run = await runCli(["stats", "--all", "--json"], { home, env: { TRANSCRIPTS_DATABASE: broken } });
    assert.match(run.stderr, /not used: /);
    assert.deepEqual(JSON.parse(run.stdout), await cold());
  });
});

describe("kept figures", () => {
  async function refOf(content: string, id: string): Promise<SessionRef> {
    const folder = join(home, "lone");
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${id}.jsonl`);
    writeFileSync(path, content);
    utimesSync(path, OLD, OLD);
    return sessionRef({ id, source: "claude-code", path, bytes: statSync(path).size, modifiedMs: OLD.getTime() });
  }

  test("hold the title and the first prompt, and no other word of the conversation", async () => {
    const ref = await refOf(`${lines.slice(0, 200).join("\n")}\n`, "words");
    const { stats } = await scanSession(ref);
    const value = (await scanToKeep(ref, redactor))?.value ?? new Uint8Array();
    assert.ok(stats.initial_prompt !== null && value.length > 0);
    const texts = lines
      .slice(0, 200)
      .flatMap((line) => [...line.matchAll(/"text":"([^"\\]{20,})/g)].map(([, text = ""]) => text));
    assert.ok(texts.length > 5);
    for (const text of texts.filter((each) => !stats.initial_prompt?.includes(each)))
      assert.ok(!Buffer.from(value).toString("utf8").includes(text.slice(0, 40)), text);
    const sums = sessionSums(await scanSession(ref));
    assert.deepEqual(await keptScan(value, ref), {
      ...sums,
      metadata: { ...sums.metadata, gitBranch: null },
      usage: (await keptScan(value, ref))?.usage,
    });
    assert.deepEqual((await keptScan(value, ref))?.usage.sums, sums.usage.sums);
    assert.deepEqual(recordsIn((await keptScan(value, ref))?.usage ?? sums.usage), (await scanSession(ref)).usage);
  });

  test("hold no secret that stands where ids and models should be", async () => {
    const secret = randomSecret();
    const message = { id: `msg ${secret}`, model: `model ${secret}`, usage: { output_tokens: 5 }, content: [] };
    const line = { type: "assistant", uuid: "a", timestamp: "2026-01-05T10:00:00.000Z", message };
    const ref = await refOf(`${JSON.stringify(line)}\n`, "secret");
    const { value } = (await scanToKeep(ref, redactor)) ?? { value: new Uint8Array() };
    const kept = await keptScan(value, ref);
    assert.ok(kept && kept.usage.sums.length === 1);
    assert.match(JSON.stringify(kept.usage.sums), /model \[REDACTED:/);
    assert.match(JSON.stringify(recordsIn(kept.usage)), /msg \[REDACTED:.*model \[REDACTED:/);
    const all = [Buffer.from(value).toString("latin1"), JSON.stringify(kept), JSON.stringify(recordsIn(kept.usage))];
    assert.ok(!all.join().includes(secret));
  });

  test("a file that was written a moment ago is not kept yet", async () => {
    const ref = await refOf(`${lines.slice(0, 20).join("\n")}\n`, "young");
    assert.equal(await scanToKeep(ref, redactor, ref.modifiedMs + 1_000), undefined);
    assert.ok(await scanToKeep(ref, redactor, ref.modifiedMs + 3_000));
  });

  test("bytes that are none give nothing", async () => {
    const ref = await refOf(`${lines.slice(0, 20).join("\n")}\n`, "bytes");
    const { value } = (await scanToKeep(ref, redactor)) ?? { value: new Uint8Array() };
    for (let length = 0; length < Math.min(value.length, 400); length += 7) {
      assert.equal(await keptScan(value.subarray(0, length), ref), undefined);
    }
    assert.equal(await keptScan(Buffer.alloc(100, 0xff), ref), undefined);
  });

  test("figures that hang on other files are read again when those change", async () => {
    const record = { type: "progress", uuid: "p", data: { type: "agent_progress", agentId: "a1", message: {} } };
    const ref = await refOf(`${lines.slice(1, 20).join("\n")}\n${JSON.stringify(record)}\n`, "progress");
    const kept = await scanToKeep(ref, redactor);
    assert.ok(kept && (await keptScan(kept.value, ref))?.agentProgress === true);
    mkdirSync(join(home, "lone/progress/subagents"), { recursive: true });
    writeFileSync(join(home, "lone/progress/subagents/agent-a1.jsonl"), `${lines[3]}\n`);
    assert.equal(await keptScan(kept.value, ref), undefined);
  });
});

describe("usage added up", () => {
  const record = fc.record({
    sourceId: fc.option(fc.constantFrom("a", "b", "c", "d", "e", "f")),
    model: fc.option(fc.constantFrom("m", "n", "")),
    timestamp: fc.option(
      fc.oneof(
        fc.constantFrom("never", "2026-01-01T00:00:00.000Z", "2026-01-01T00:14:59.999Z", "2026-03-29T01:00:00Z"),
        fc
          .date({ min: new Date("2026-01-01"), max: new Date("2026-01-03"), noInvalidDate: true })
          .map((date) => date.toISOString()),
      ),
    ),
    isSidechain: fc.boolean(),
    tokensIn: fc.nat(3),
    tokensOut: fc.nat(3),
    cacheRead: fc.nat(3),
    cacheWrite: fc.nat(3),
    // Of these, sums are exact.
    costUsd: fc.option(fc.nat(8).map((eighths) => eighths / 8)),
    isLowerBound: fc.boolean(),
    isEstimate: fc.boolean(),
  });
  const session: fc.Arbitrary<UsageRecord[]> = fc.array(record, { maxLength: 8 }).map(oncePerId);

  /** In one session no id stands twice. */
  function oncePerId(records: readonly UsageRecord[]): UsageRecord[] {
    const met = new Set<string>();
    return records.filter(({ sourceId }) => {
      if (sourceId === null) return true;
      const isNew = !met.has(sourceId);
      met.add(sourceId);
      return isNew;
    });
  }

  test("gives the sums of the answers one by one", () => {
    fc.assert(
      fc.property(fc.array(session, { maxLength: 5 }), fc.constantFrom("UTC", "Asia/Kathmandu"), (all, zone) => {
        const usages = all.map(sessionUsage);
        const shared = sharing(usages);
        const quick = new UsageLedger(zone);
        const slow = new UsageLedger(zone);
        for (const [at, usage] of usages.entries()) {
          const name = { id: `s${at}`, project: at % 2 === 0 ? "even" : null };
          quick.add(name, shared.has(usage) ? recordsIn(usage) : usage.sums);
          slow.add(name, all[at] ?? []);
        }
        assert.deepEqual(quick.totals(), slow.totals());
        assert.deepEqual(quick.total(), slow.totals().total);
      }),
      { numRuns: 1_000 },
    );
  });

  test("sessions that share an answer are told, and no others", () => {
    fc.assert(
      fc.property(fc.array(session, { maxLength: 6 }), (all) => {
        const usages = all.map(sessionUsage);
        const owners = Map.groupBy(
          all
            .flatMap((records, at) => records.map(({ sourceId }) => ({ sourceId, at })))
            .filter(({ sourceId }) => sourceId !== null),
          ({ sourceId }) => sourceId,
        );
        const expected = new Set(
          [...owners.values()]
            .filter((group) => group.length > 1)
            .flat()
            .map(({ at }) => at),
        );
        const shared = sharing(usages);
        assert.deepEqual(new Set(usages.flatMap((usage, at) => (shared.has(usage) ? [at] : []))), expected);
      }),
    );
  });
});
