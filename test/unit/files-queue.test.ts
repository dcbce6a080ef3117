import assert from "node:assert/strict";
import { makeBatch } from "../../src/transcript/files/file-writer.ts";
import { describeFault, errorCode } from "../../src/transcript/files/fault.ts";
import { RecordQueue } from "../../src/transcript/files/record-queue.ts";
import { WritePool } from "../../src/transcript/files/write-pool.ts";
import { FIRST_CONTEXT } from "../../src/transcript/format/section-context.ts";
import { describe, test } from "../support/runner.ts";

let seconds = 0;
const now = () => new Date(Date.UTC(2000, 0, 1, 0, 0, (seconds += 1)));

function makeQueue(maxQueuedBytes: number, poolBytes = 1_000_000) {
  const pool = new WritePool({ maxQueuedBytes: poolBytes });
  return { pool, queue: new RecordQueue({ pool, format: { gap: JSON.stringify }, maxQueuedBytes, now }) };
}

describe("RecordQueue", () => {
  test("drops at its limit only while writing fails", () => {
    const { queue } = makeQueue(10);
    for (let n = 0; n < 5; n += 1) queue.push({ data: "12345678" }, undefined);
    assert.deepEqual([queue.waiting, queue.missing], [5, 0]);
    queue.push({ data: "12345678" }, "EIO");
    assert.deepEqual([queue.waiting, queue.missing], [5, 1]);
  });

  test("accepts a record larger than its memory limit, and small ones beside it", () => {
    const { queue, pool } = makeQueue(10, 10);
    queue.push({ data: "x".repeat(100) }, undefined);
    queue.push({ data: "1234" }, undefined);
    assert.deepEqual([queue.waiting, queue.missing], [2, 0]);
    queue.push({ data: "12" }, undefined);
    assert.deepEqual([queue.waiting, queue.missing], [2, 1]);
    queue.shift(2);
    assert.equal(pool.queuedBytes, 0);
  });

  test("records missing entries in one place, including those dropped during an attempt", () => {
    const { queue } = makeQueue(10);
    queue.push({ data: "123456789" }, "EIO");
    queue.push({ data: "123" }, "EIO");
    queue.push({ data: "1" }, "EIO"); // would fit, but must not overtake
    queue.push({ data: "123" }, "ENOSPC");
    assert.deepEqual([queue.items.length, queue.settled], [1, 0]);
    queue.shift(1);
    const [report, ...rest] = queue.items;
    assert.deepEqual(rest, []);
    const gap = JSON.parse(report?.record.data ?? "");
    assert.equal(gap.missing, 3);
    assert.deepEqual(gap.reasons, { EIO: 2, ENOSPC: 1 });
    assert.ok(gap.since < gap.until);
    assert.equal(queue.settled, 1);
    queue.shift(1);
    assert.deepEqual([queue.settled, queue.accepted, queue.missing], [4, 4, 3]);
    queue.push({ data: "123" }, undefined);
    assert.equal(queue.waiting, 1);
  });

  test("counts bytes, not characters", () => {
    const { queue } = makeQueue(10);
    queue.push({ data: "é€😀" }, undefined);
    assert.equal(queue.bytes, 9);
  });
});

describe("a batch", () => {
  const { queue } = makeQueue(1_000);
  for (const [key, data] of [
    ["a", "aa"],
    ["known", "kk"],
    ["a", "aa"],
    ["b", "€"],
    ["c", "cc"],
  ] as const) {
    queue.push({ keys: [key], data }, undefined);
  }
  const batch = (maxBytes: number) => {
    const keys = new Set(["known"]);
    return makeBatch({ preface: "P", items: queue.items, keys, context: FIRST_CONTEXT, format: {}, maxBytes });
  };

  test("has no duplicates, and ends with the record that fills it", () => {
    assert.equal(Buffer.from(batch(1_000).bytes).toString(), "Paa€cc");
    assert.equal(Buffer.from(batch(4).bytes).toString(), "Paa€");
    assert.equal(batch(4).count, 4);
    assert.deepEqual([...batch(4).keys], ["a", "b"]);
  });
});

describe("describeFault", () => {
  test("describes any value", () => {
    assert.deepEqual(describeFault(Object.assign(new Error("no space"), { code: "ENOSPC" })), {
      code: "ENOSPC",
      message: "The disk is full: free some space. (no space)",
    });
    assert.deepEqual(describeFault(new Error("odd")), { code: "ERROR", message: "odd" });
    for (const value of [null, undefined, 3, "x", { code: 3 }]) assert.equal(describeFault(value).code, "ERROR");
    assert.equal(errorCode({ code: "EIO" }), "EIO");
  });
});
