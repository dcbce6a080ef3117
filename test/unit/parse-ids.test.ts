import assert from "node:assert/strict";
import { decodeTime } from "ulid";
import { ascendingIds } from "../../src/parse/read-transcript.ts";
import { describe, test } from "../support/runner.ts";

describe("ids of rows", () => {
  test("are ULIDs of the time, ascend, and differ from those of another reading", () => {
    const now = Date.parse("2026-01-15T12:00:00Z");
    const [next, other] = [ascendingIds(now), ascendingIds(now)];
    const ids = Array.from({ length: 5_000 }, next);
    assert.ok(
      ids.every((id) => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(id) && decodeTime(id) === now),
      ids[0],
    );
    assert.ok(ids.every((id, at) => at === 0 || (ids[at - 1] ?? "") < id));
    assert.notEqual(other().slice(0, 20), ids[0]?.slice(0, 20));
  });
});
