import assert from "node:assert/strict";
import { linesIn, type SourceReading } from "./source.ts";

/** Every line of the input is accounted for once, and what failed says where and why. */
export function assertAccounted({ lines, units, errors }: SourceReading, bytes: Uint8Array): void {
  const skipped = Object.values(lines.skipped).reduce((sum, count) => sum + count, 0);
  assert.equal(lines.total, linesIn(bytes));
  assert.equal(lines.used + lines.blank + lines.unknown + lines.failed + skipped, lines.total);
  const offsets = units.map(({ offset }) => offset);
  assert.deepEqual(
    offsets.toSorted((a, b) => a - b),
    offsets,
    "units are in the order of their offsets",
  );
  for (const { outcome, problems } of units) {
    if (outcome.as === "failed") assert.ok(problems.length > 0, "what failed says why");
  }
  for (const { byte_offset, line_number, reason } of errors) {
    assert.ok(byte_offset >= 0 && byte_offset <= bytes.length, reason);
    const line = bytes.subarray(0, byte_offset).filter((byte) => byte === 10).length + 1;
    assert.equal(line_number, line, reason);
  }
}
