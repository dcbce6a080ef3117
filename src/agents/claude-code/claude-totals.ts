/**
 * Corrects the usage of answers in the output of `--output-format stream-json`. An answer there has only the output count
 * from the start of its stream; the `result` line has the totals of all answers so far.
 */
import type { CallUsage, MessageDraft, UsageDraft } from "../../parse/message-draft.ts";
import { countIn, fieldsOf, isFields, textIn, type Fields } from "../../parse/json-fields.ts";

type Totals = Pick<CallUsage, "tokensIn" | "tokensOut" | "cacheRead" | "cacheWrite">;

interface Answer {
  draft: MessageDraft;
  usage: UsageDraft;
}

const NONE: Totals = { tokensIn: 0, tokensOut: 0, cacheRead: 0, cacheWrite: 0 };
const COUNTS = ["tokensIn", "tokensOut", "cacheRead", "cacheWrite"] as const;

export class StreamTotals {
  /** Answers since the last `result`, by id. */
  #answers = new Map<string, Answer>();
  /** Totals of the last `result`, because they cover all turns of a process. */
  #before = NONE;
  #costBefore = 0;
  /** Uuids of `result` lines, which may be repeated like any other. */
  readonly #known = new Set<string>();

  note(draft: MessageDraft): void {
    const { type, answerId: id, usage } = draft;
    if (type !== "assistant" || id === undefined || usage === undefined) return;
    const known = this.#answers.get(id);
    // They are kept until the next totals, without their texts.
    if (known === undefined || usage.tokensOut >= known.usage.tokensOut)
      this.#answers.set(id, { draft: { ...draft, blocks: [] }, usage });
  }

  /**
   * Returns a draft for each answer of the turn, without blocks: the last one has the tokens that the others lack, and
   * each has a part of the cost.
   */
  result(record: Fields): MessageDraft[] {
    const uuid = textIn(record["uuid"]);
    if (uuid !== undefined && this.#known.has(uuid)) return [];
    if (uuid !== undefined) this.#known.add(uuid);
    const totals = totalsOf(record);
    const answers = [...this.#answers.values()];
    const last = answers.findLast(({ draft }) => draft.isSidechain !== true) ?? answers.at(-1);
    if (totals === undefined || last === undefined) return [];
    this.#answers = new Map();
    const missing = { ...NONE };
    for (const count of COUNTS) {
      const known = answers.reduce((sum, { usage }) => sum + usage[count], this.#before[count]);
      missing[count] = Math.max(0, totals[count] - known);
    }
    const total = countIn(record["total_cost_usd"]);
    const cost = total === undefined ? undefined : Math.max(0, total - this.#costBefore);
    this.#before = totals;
    this.#costBefore = total ?? this.#costBefore;
    const weights = answers.map((answer) => weightOf(answer.usage) + (answer === last ? weightOf(missing) : 0));
    const whole = weights.reduce((sum, weight) => sum + weight, 0);
    return answers.map((answer, at) => {
      const { draft } = answer;
      const usage = answer === last ? plus(answer.usage, missing) : answer.usage;
      const share = cost === undefined || whole === 0 ? undefined : (cost * (weights[at] ?? 0)) / whole;
      const metadata = { ...draft.metadata };
      delete metadata.tokens_out_is_lower_bound;
      return { ...draft, usage, costUsd: share, metadata, blocks: [] };
    });
  }
}

/** Per model, as only these counts have those of subagents; otherwise in all. */
function totalsOf(record: Fields): Totals | undefined {
  const models = Object.values(fieldsOf(record, "modelUsage") ?? {}).filter(isFields);
  if (models.length > 0) {
    const sum = (name: string): number => models.reduce((total, model) => total + (countIn(model[name]) ?? 0), 0);
    return {
      tokensIn: sum("inputTokens"),
      tokensOut: sum("outputTokens"),
      cacheRead: sum("cacheReadInputTokens"),
      cacheWrite: sum("cacheCreationInputTokens"),
    };
  }
  const usage = fieldsOf(record, "usage");
  if (usage === undefined || countIn(usage["output_tokens"]) === undefined) return undefined;
  return {
    tokensIn: countIn(usage["input_tokens"]) ?? 0,
    tokensOut: countIn(usage["output_tokens"]) ?? 0,
    cacheRead: countIn(usage["cache_read_input_tokens"]) ?? 0,
    cacheWrite: countIn(usage["cache_creation_input_tokens"]) ?? 0,
  };
}

function plus(usage: UsageDraft, more: Totals): UsageDraft {
  const sum = { ...usage };
  for (const count of COUNTS) sum[count] += more[count];
  return sum;
}

/** Roughly as tokens are priced. */
function weightOf({ tokensIn, tokensOut, cacheRead, cacheWrite }: Totals): number {
  return tokensIn + 5 * tokensOut + 1.25 * cacheWrite + 0.1 * cacheRead;
}
