import assert from "node:assert/strict";
import { type ErrorCode, isStoreError, type TranscriptsError } from "../../../src/transcripts-error.ts";

/** Resolves to the `TranscriptsError` that work is refused with, which must say what to do next. */
export async function refused(work: Promise<unknown>, code: ErrorCode, field?: string): Promise<TranscriptsError> {
  let error: unknown;
  try {
    await work;
  } catch (thrown) {
    error = thrown;
  }
  assert.ok(isStoreError(error), `Expected a TranscriptsError, not ${String(error)}`);
  assert.deepEqual([error.code, error.field], [code, field], error.message);
  assert.match(error.message, /\. [A-Z].*\.$/s, "The message has no next step.");
  return error;
}
