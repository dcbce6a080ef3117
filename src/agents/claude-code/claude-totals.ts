/**
 * Corrects the usage of answers in the output of `--output-format stream-json`. An answer there has only the output count
 * from the start of its stream; the `result` line has the totals of all answers so far.
 */
import { countedTokens, type CounterNames } from "../../parse/counted-tokens.ts";
import { CumulativeUsage, plus, type TokenSums } from "../../parse/cumulative-usage.ts";
import type { MessageDraft, UsageDraft } from "../../parse/message-draft.ts";
import { countIn, fieldsOf, textIn, type Fields } from "../../parse/json-fields.ts";

interface Answer {
  draft: MessageDraft;
  usage: UsageDraft;
}

export class StreamTotals {
  /** Answers since the last `result`, by id. */
  #answers = new Map<string, Answer>();
  /** Totals cover all turns of a process. */
  readonly #totals = new CumulativeUsage();
  #costBefore = 0;
  /** `result` lines by uuid, which may be repeated like any other, and whether there were answers for their totals. */
  readonly #known = new Map<string, boolean>();

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
   * each has a part of the cost. Undefined for a repeat of a record that had some.
   */
  result(record: Fields): MessageDraft[] | undefined {
    const uuid = textIn(record["uuid"]);
    const hadAnswers = uuid === undefined ? undefined : this.#known.get(uuid);
    if (hadAnswers !== undefined) return hadAnswers ? undefined : [];
    const totals = totalsOf(record);
    const answers = [...this.#answers.values()];
    const last = answers.findLast(({ draft }) => draft.isSidechain !== true) ?? answers.at(-1);
    if (uuid !== undefined) this.#known.set(uuid, totals !== undefined && last !== undefined);
    if (totals === undefined || last === undefined) return [];
    this.#answers = new Map();
    for (const { usage } of answers) this.#totals.count(usage);
    const missing = this.#totals.rest(totals);
    const total = countIn(record["total_cost_usd"]);
    const cost = total === undefined ? undefined : Math.max(0, total - this.#costBefore);
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

const OF_MODEL: CounterNames = {
  input: "inputTokens",
  output: "outputTokens",
  cacheRead: "cacheReadInputTokens",
  cacheWrite: "cacheCreationInputTokens",
  inputHasCache: false,
};

const OF_ALL: CounterNames = {
  input: "input_tokens",
  output: "output_tokens",
  cacheRead: "cache_read_input_tokens",
  cacheWrite: "cache_creation_input_tokens",
  inputHasCache: false,
};

/** Adds up the counts of the models, the only ones that include subagents; without them, returns the line's own. */
function totalsOf(record: Fields): TokenSums | undefined {
  const models = Object.values(fieldsOf(record, "modelUsage") ?? {}).flatMap(
    (model) => countedTokens(model, OF_MODEL) ?? [],
  );
  return models.length > 0 ? models.reduce((sum, model) => plus(sum, model)) : countedTokens(record["usage"], OF_ALL);
}

/** Roughly as tokens are priced. */
function weightOf({ tokensIn, tokensOut, cacheRead, cacheWrite }: TokenSums): number {
  return tokensIn + 5 * tokensOut + 1.25 * cacheWrite + 0.1 * cacheRead;
}
