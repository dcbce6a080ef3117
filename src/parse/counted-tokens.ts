/** Reads the tokens of a model call from counters whose names, and what they include, differ by agent. */
import { countOf } from "./json-fields.ts";
import type { UsageDraft } from "./message-draft.ts";

/** Names of an agent's counters. */
export interface CounterNames {
  input: string;
  output: string;
  cacheRead: string;
  cacheWrite?: string;
  reasoning?: string;
  /** `input` includes what was read from a cache and written to it. */
  inputHasCache: boolean;
  /** `output` does not include `reasoning`. Default false. */
  isReasoningBeside?: boolean;
}

/** Returns the tokens that a record counts; undefined if it counts none. */
export function countedTokens(record: unknown, names: CounterNames): UsageDraft | undefined {
  const count = (name = ""): number => countOf(record, name) ?? 0;
  const [input, output, reasoning] = [count(names.input), count(names.output), count(names.reasoning)];
  const [cacheRead, cacheWrite] = [count(names.cacheRead), count(names.cacheWrite)];
  const tokensOut = names.isReasoningBeside === true ? output + reasoning : output;
  if (input + tokensOut + cacheRead + cacheWrite === 0) return undefined;
  const tokensIn = names.inputHasCache ? Math.max(0, input - cacheRead - cacheWrite) : input;
  return { tokensIn, tokensOut, cacheRead, cacheWrite, ...(reasoning > 0 ? { reasoning } : {}) };
}
