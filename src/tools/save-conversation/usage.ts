import type { Pricing } from "../../parse/pricing.ts";
import { modelAndProvider } from "../../parse/sources/transcript-fields.ts";
import { numberOf } from "./fields.ts";

/** Tokens and cost of one session or of several. */
export interface Usage {
  input: number;
  output: number;
  reasoning: number;
  cacheRead: number;
  cacheWrite: number;
  /** US dollars; undefined if the host gave none. */
  cost: number | undefined;
  /** The host recorded a cost of 0 for some answers; theirs is from the price table. */
  isEstimate: boolean;
}

const KINDS = ["input", "output", "reasoning", "cacheRead", "cacheWrite"] as const;

export function noUsage(): Usage {
  return { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0, cost: undefined, isEstimate: false };
}

/** Adds the numbers in `counts`; the rest of it is passed over. */
export function addUsage(sum: Usage, counts: unknown, cost: number | undefined): void {
  for (const kind of KINDS) sum[kind] += numberOf(counts, kind) ?? 0;
  if (cost !== undefined) sum.cost = (sum.cost ?? 0) + cost;
}

/** As `addUsage`, for one answer: a recorded cost of 0 is replaced by the price of its tokens, if there is one. */
export function addAnswer(sum: Usage, answer: Answer, pricing: Pricing): void {
  const { counts, cost } = answer;
  const price = cost === 0 ? (priceOf(answer, pricing) ?? 0) : 0;
  addUsage(sum, counts, price > 0 ? price : cost);
  sum.isEstimate ||= price > 0;
}

interface Answer {
  counts: unknown;
  cost: number | undefined;
  /** `provider/model` */
  model: string | undefined;
  timestamp: string;
}

function priceOf({ counts, model, timestamp }: Answer, pricing: Pricing): number | null {
  const of = (kind: (typeof KINDS)[number]): number => numberOf(counts, kind) ?? 0;
  return pricing({
    model: null,
    provider: null,
    ...modelAndProvider(model),
    timestamp,
    tokensIn: of("input"),
    tokensOut: of("output") + of("reasoning"),
    cacheRead: of("cacheRead"),
    cacheWrite: of("cacheWrite"),
    cacheWrite1h: 0,
  });
}
