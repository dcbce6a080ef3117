import assert from "node:assert/strict";
import fc from "fast-check";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { dayIn, UsageLedger, usageOf, type LedgerSession, type UsageRecord } from "../../src/parse/usage-ledger.ts";
import { describe, test } from "../support/runner.ts";

const MAIN: LedgerSession = { id: "a-main", project: "/home/me/one" };
const FORK: LedgerSession = { id: "b-fork", project: "/home/me/two" };

function record(fields: Partial<UsageRecord> = {}): UsageRecord {
  return {
    key: "msg_1",
    model: "claude-opus-4-6",
    timestamp: "2026-01-15T12:00:00.000Z",
    isSidechain: false,
    tokensIn: 1,
    tokensOut: 10,
    cacheRead: 100,
    cacheWrite: 1_000,
    costUsd: 0.5,
    isLowerBound: false,
    isEstimate: false,
    isWithoutUsage: false,
    ...fields,
  };
}

function totalsOf(...added: [LedgerSession, UsageRecord[]][]) {
  const ledger = new UsageLedger("UTC");
  for (const [session, records] of added) ledger.add(session, records);
  return allOf(ledger);
}

function allOf(ledger: UsageLedger) {
  return {
    total: ledger.total(),
    repeated_messages: ledger.copies.length,
    days: ledger.rows("day"),
    projects: ledger.rows("project"),
    models: ledger.rows("model"),
    sessions: ledger.rows("session"),
  };
}

describe("usage ledger", () => {
  test("an answer that opencode copied into a fork under a new id is counted once, where it was first", () => {
    const original: LedgerSession = { id: "ses_b", project: null, agent: "opencode", forksChangeIds: true };
    const fork: LedgerSession = { ...original, id: "ses_a" };
    const copy = record({ key: "msg_2" });
    const own = record({ key: "msg_3", timestamp: "2026-01-15T12:00:05.000Z" });
    for (const order of [
      [
        [original, [record()]],
        [fork, [copy, own]],
      ],
      [
        [fork, [copy, own]],
        [original, [record()]],
      ],
    ] as [LedgerSession, UsageRecord[]][][]) {
      const { total, sessions, repeated_messages } = totalsOf(...order);
      assert.deepEqual([total.messages, repeated_messages], [2, 1]);
      const counted = sessions.map(({ key, messages }) => `${key}: ${messages}`);
      assert.deepEqual(counted.toSorted(), ["ses_a: 1", "ses_b: 1"]);
    }
    // Two answers of one session, and those of an agent whose copies keep their ids, are no copies.
    assert.equal(totalsOf([original, [record(), copy]]).total.messages, 2);
    const keeps = { forksChangeIds: false };
    assert.equal(totalsOf([{ ...original, ...keeps }, [record()]], [{ ...fork, ...keeps }, [copy]]).total.messages, 2);
  });

  test("a message that two files have is counted once, in full, where it was met first in time", () => {
    const late = record({ timestamp: "2026-01-15T12:00:01.000Z", tokensOut: 371, costUsd: 0.9 });
    const { total, sessions, projects, repeated_messages } = totalsOf([FORK, [late]], [MAIN, [record()]]);
    assert.equal(total.messages, 1);
    assert.equal(total.tokens_out, 371);
    assert.equal(total.tokens_in, 1);
    assert.equal(total.cost_usd, 0.9);
    assert.equal(repeated_messages, 1);
    assert.deepEqual(
      sessions.map(({ key }) => key),
      ["a-main"],
    );
    assert.deepEqual(
      projects.map(({ key }) => key),
      ["/home/me/one"],
    );
  });

  test("of copies with the same time, the main session's comes before its subagent's", () => {
    const subagent: LedgerSession = { id: "agent-acompact", project: null };
    const { sessions, total } = totalsOf(
      [subagent, [record({ isSidechain: true, tokensOut: 50 })]],
      [MAIN, [record({ tokensOut: 6 })]],
    );
    assert.deepEqual(
      sessions.map(({ key }) => key),
      ["a-main"],
    );
    assert.equal(total.tokens_out, 50);
  });

  test("answers of a gateway that gives all of them one id count, and their copies do not", async () => {
    const line = (day: number, requestId?: string): string =>
      JSON.stringify({
        type: "assistant",
        uuid: `${day} ${requestId}`,
        sessionId: "s",
        timestamp: `2026-01-1${day}T12:00:00Z`,
        requestId,
        message: { id: "ocgo", content: `${day}`, model: "m", usage: { input_tokens: day, output_tokens: 100 } },
      });
    const usage = async (...lines: string[]): Promise<UsageRecord[]> => {
      const { messages } = await parseTranscript("s", lines.join("\n"));
      return messages.map(usageOf);
    };
    const count = (...files: UsageRecord[][]): number =>
      totalsOf(...files.map((of, at): [LedgerSession, UsageRecord[]] => [at === 0 ? MAIN : FORK, of])).total.messages;
    assert.equal(count(await usage(line(1)), await usage(line(1), line(2))), 2);
    const copies = [line(1, "req_1"), line(2, "req_1"), line(1, "req_2")];
    assert.equal(count(...(await Promise.all(copies.map((copy) => usage(copy))))), 2);
  });

  test("answers without an id always count", () => {
    const { total, repeated_messages } = totalsOf(
      [MAIN, [record({ key: null }), record({ key: null })]],
      [FORK, [record({ key: null })]],
    );
    assert.equal(total.messages, 3);
    assert.equal(total.cache_write, 3_000);
    assert.equal(repeated_messages, 0);
  });

  test("days are those of the zone", () => {
    const late = record({ timestamp: "2026-01-31T23:30:00.000Z" });
    const days = (zone: string): (string | null)[] => {
      const ledger = new UsageLedger(zone);
      ledger.add(MAIN, [late, record({ key: "b", timestamp: null }), record({ key: "c" })]);
      return allOf(ledger).days.map(({ key }) => key);
    };
    assert.deepEqual(days("UTC"), ["2026-01-15", "2026-01-31", null]);
    assert.deepEqual(days("Europe/Berlin"), ["2026-01-15", "2026-02-01", null]);
    assert.deepEqual(days("America/Los_Angeles"), ["2026-01-15", "2026-01-31", null]);
    assert.throws(() => new UsageLedger("Nowhere/Town"), RangeError);
  });

  test("a model without a price is named, and its cost is in no sum", () => {
    const unpriced = record({ key: "b", model: "glm-99", costUsd: null });
    const silent = record({ key: "c", model: "mute", costUsd: null });
    const none = { tokensIn: 0, tokensOut: 0, cacheRead: 0, cacheWrite: 0 };
    const { total, models } = totalsOf([MAIN, [record(), unpriced, { ...silent, ...none }]]);
    assert.equal(total.cost_usd, 0.5);
    assert.deepEqual(total.unpriced_models, ["glm-99"]);
    assert.deepEqual(
      models.map(({ key, cost_usd }) => [key, cost_usd]),
      [
        ["claude-opus-4-6", 0.5],
        ["glm-99", null],
        ["mute", null],
      ],
    );
  });

  test("a lower bound anywhere makes the sum a lower bound", () => {
    const { total, models } = totalsOf([MAIN, [record(), record({ key: "b", model: "old", isLowerBound: true })]]);
    assert.equal(total.tokens_out_is_lower_bound, true);
    assert.deepEqual(
      models.map((row) => row.tokens_out_is_lower_bound),
      [false, true],
    );
  });

  test("of equal copies the one that is whole counts, in either order", () => {
    const copies = [record({ key: "b" }), record({ key: "b", isLowerBound: true })];
    for (const records of [copies, copies.toReversed()]) {
      assert.equal(totalsOf([MAIN, records]).total.tokens_out_is_lower_bound, false);
    }
  });

  test("nothing gives zeros, and no cost", () => {
    const { total, days } = totalsOf();
    assert.deepEqual([total.messages, total.cost_usd, days.length], [0, null, 0]);
  });

  test("the order of sessions and records does not matter, and the rows of each kind sum up to the total", () => {
    // Copies of an answer differ in their output.
    const anyRecord = fc
      .record({
        key: fc.constantFrom(null, "a", "b", "c"),
        timestamp: fc.constantFrom(null, "not a time", "2026-01-15T12:00:00.000Z", "2026-01-16T12:00:00+01:00"),
        isSidechain: fc.boolean(),
        tokensOut: fc.nat(3),
      })
      .map((fields) => record({ ...fields, costUsd: fields.tokensOut / 4 }));
    const added = fc.array(fc.tuple(fc.constantFrom(MAIN, FORK), fc.array(anyRecord, { maxLength: 6 })), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(added, fc.infiniteStream(fc.nat()), (parts, random) => {
        const totals = totalsOf(...parts);
        const shuffled = parts
          .flatMap(([session, records]) => records.map((one): [LedgerSession, UsageRecord[]] => [session, [one]]))
          .map((part) => ({ part, at: random.next().value }))
          .sort((a, b) => a.at - b.at)
          .map(({ part }) => part);
        const again = totalsOf(...shuffled);
        assert.deepEqual(again.total, totals.total);
        assert.deepEqual(again.sessions, totals.sessions);
        assert.deepEqual(again.days, totals.days);
        for (const rows of [totals.days, totals.projects, totals.models, totals.sessions]) {
          assert.equal(
            rows.reduce((sum, row) => sum + row.tokens_out, 0),
            totals.total.tokens_out,
          );
          assert.equal(
            rows.reduce((sum, row) => sum + row.messages, 0),
            totals.total.messages,
          );
        }
      }),
    );
  });

  test("a day is what the zone's own calendar says, at any time", () => {
    const zone = fc.constantFrom("UTC", "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns", "Pacific/Apia");
    const ms = fc.integer({ min: Date.UTC(2015, 0, 1), max: Date.UTC(2035, 0, 1) });
    fc.assert(
      fc.property(zone, ms, (timeZone, time) => {
        const plain = new Date(time).toLocaleDateString("sv-SE", { timeZone });
        assert.equal(dayIn(timeZone, time), plain);
      }),
    );
  });
});
