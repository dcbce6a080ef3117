import assert from "node:assert/strict";
import { StoreError, type StoreErrorCode } from "../../../src/store/store-error.ts";

/** Resolves to the `StoreError` that work is refused with, which must say what to do next. */
export async function refused(work: Promise<unknown>, code: StoreErrorCode, field?: string): Promise<StoreError> {
  let error: unknown;
  try {
    await work;
  } catch (thrown) {
    error = thrown;
  }
  assert.ok(error instanceof StoreError, `Expected a StoreError, not ${String(error)}`);
  assert.deepEqual([error.code, error.field], [code, field], error.message);
  assert.match(error.message, /\. [A-Z].*\.$/s, "The message has no next step.");
  if (field !== undefined && code === "invalid") assert.ok(error.message.includes(field), error.message);
  return error;
}
