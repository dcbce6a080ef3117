import assert from "node:assert/strict";
import { NeedsWholeInput, type MessageDraft, type Source, type SourceUnit } from "../../../src/parse/message-draft.ts";
import { linesIn, readSource, type ReadingOptions, type SourceReading } from "./source.ts";

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

/**
 * Reading on from where a unit says gives the rest of what reading from the start gives, or reports that this is not
 * possible. What needs the earlier messages is left out: which entries and parts come again, and the model calls of their
 * answers.
 */
export async function assertResumable(source: Source, bytes: Uint8Array, options: ReadingOptions = {}): Promise<void> {
  const { units } = await readSource(source, bytes, options);
  for (const [at, { offset, resume }] of units.entries()) {
    const next = units[at + 1];
    // Several records of one line have one place.
    if (next === undefined || next.offset === offset) continue;
    const start = resume ?? { line: next.line, offset: next.offset };
    assert.ok(start.offset <= next.offset, "no unit is left out");
    const [last, first] = [units.slice(0, at + 1).findLast(isUsed), units.slice(at + 1).find(isUsed)];
    const isDivided = last !== undefined && idOf(last) !== undefined && idOf(last) === (first && idOf(first));
    // In other sources each piece of an answer has its usage.
    if (isDivided && source.hasStableIds === true) assert.ok(start.offset <= last.offset, "an answer is read whole");
    const rest = units.filter((unit) => unit.offset >= start.offset);
    const before = units.slice(0, units.length - rest.length).flatMap(({ messages }) => messages);
    const parts = new Set(before.flatMap(partsOf));
    if (rest.some((unit) => isRepeat(unit) || unit.messages.flatMap(partsOf).some((part) => parts.has(part)))) continue;
    const begun = new Set(before.flatMap(({ sourceId }) => sourceId ?? []));
    const read = await readSource(source, bytes.subarray(start.offset), { ...options, start }).catch(wholeIsNeeded);
    if (read === undefined) continue;
    // The line may have entries of an earlier message too.
    const on = (all: SourceUnit[]) =>
      all.map((unit) => (unit.offset > start.offset ? unit : { ...unit, resume: start }));
    assert.deepEqual(withoutUsage(on(read.units), begun), withoutUsage(on(rest), begun));
  }
}

function withoutUsage(units: readonly SourceUnit[], ids: ReadonlySet<string>): SourceUnit[] {
  const plain = (draft: MessageDraft): MessageDraft => {
    if (draft.sourceId === undefined || !ids.has(draft.sourceId)) return draft;
    const {
      usage: _usage,
      costUsd: _cost,
      answerId: _answer,
      metadata: { reasoning_tokens: _tokens, ...metadata } = {},
      ...rest
    } = draft;
    return { ...rest, metadata };
  };
  return units.map((unit) => ({ ...unit, messages: unit.messages.map(plain) }));
}

function isUsed({ outcome }: SourceUnit): boolean {
  return outcome.as === "used";
}

function idOf({ messages }: SourceUnit): string | undefined {
  return messages.at(-1)?.sourceId;
}

/** Returns the part of each block, as continuations name it. */
function partsOf({ uuid, metadata, blocks }: MessageDraft): string[] {
  return blocks.map(({ type }) => `${type} ${uuid ?? metadata?.source_tool_assistant_uuid}`);
}

function isRepeat({ outcome }: SourceUnit): boolean {
  return outcome.as === "skipped" && outcome.kind === "duplicate";
}

function wholeIsNeeded(error: unknown): undefined {
  if (!(error instanceof NeedsWholeInput)) throw error;
}
