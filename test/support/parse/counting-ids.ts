import type { TranscriptInput } from "../../../src/transcript/format/formats.ts";
import type { ParseResult } from "../../../src/parse/model.ts";
import type { ParseOptions } from "../../../src/parse/parse-options.ts";
import { parseTranscript } from "../../../src/agents/parse-input.ts";

/** Ids that are the same in every run: `id-1`, `id-2`, … */
export function countingIds(): () => string {
  let ids = 0;
  return () => `id-${(ids += 1)}`;
}

export function parsedWithCounts(input: TranscriptInput, options: ParseOptions = {}): Promise<ParseResult> {
  return parseTranscript("S", input, { generateId: countingIds(), ...options });
}

/** A value without some of its fields. */
export function without<T extends object, K extends keyof T>(value: T, ...keys: readonly K[]): Omit<T, K> {
  const rest = { ...value };
  for (const key of keys) delete rest[key];
  return rest;
}
