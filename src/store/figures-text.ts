/**
 * Figures of a session as the store keeps them. Questions about many sessions read those of all, so an answer is a list of
 * values, and what many answers have in common is written once.
 */
import { given } from "../given.ts";
import type { CallCount } from "../parse/usage-ledger.ts";
import type { StoredAnswer, StoredFigures } from "./stored-model.ts";

interface WrittenFigures extends Pick<StoredFigures, "counts" | "prompts"> {
  models: Pick<StoredAnswer, "model" | "provider">[];
  calls: CallCount[][];
  answers: WrittenAnswer[];
}

type WrittenAnswer = [
  key: string | null,
  /** Place in `models`. */
  model: number,
  occurred_at: string | null,
  tokens_in: number | null,
  tokens_out: number | null,
  cache_read: number | null,
  cache_write: number | null,
  recorded_cost_usd: number | null,
  is_sidechain: boolean,
  messages: number | null,
  /** Place in `calls`. */
  calls: number | null,
  /** Left out where it is empty. */
  rest?: Pick<StoredAnswer, "metadata" | "usage_calls" | "source_id">,
];

export function figuresText({ counts, prompts, answers }: StoredFigures): string {
  const models = new Distinct<WrittenFigures["models"][number]>();
  const calls = new Distinct<WrittenFigures["calls"][number]>();
  const written = answers.map((answer): WrittenAnswer => {
    const { model, provider, metadata, usage_calls, source_id } = answer;
    const hasRest = usage_calls !== null || source_id !== undefined || Object.keys(metadata).length > 0;
    return [
      answer.key,
      models.placeOf({ model, provider }),
      answer.occurred_at,
      answer.tokens_in,
      answer.tokens_out,
      answer.cache_read,
      answer.cache_write,
      answer.recorded_cost_usd,
      answer.is_sidechain,
      answer.messages ?? null,
      answer.calls === undefined ? null : calls.placeOf([...answer.calls]),
      ...(hasRest ? ([{ metadata, usage_calls, ...given({ source_id }) }] as const) : ([] as const)),
    ];
  });
  return JSON.stringify({ counts, prompts, models: models.values, calls: calls.values, answers: written });
}

/** Reads what `figuresText` returned. */
export function figuresOfText(text: string): StoredFigures {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own JSON
  const { counts, prompts, models, calls, answers } = JSON.parse(text) as WrittenFigures;
  return {
    counts,
    prompts,
    answers: answers.map((answer): StoredAnswer => {
      const [key, place, occurred_at, tokens_in, tokens_out, cache_read, cache_write] = answer;
      const { model, provider } = models[place] ?? { model: null, provider: null };
      const read: StoredAnswer = {
        key,
        model,
        provider,
        occurred_at,
        tokens_in,
        tokens_out,
        cache_read,
        cache_write,
        recorded_cost_usd: answer[7],
        is_sidechain: answer[8],
        metadata: {},
        usage_calls: null,
      };
      const [messages, ofCalls, rest] = [answer[9], answer[10], answer[11]];
      if (messages !== null) read.messages = messages;
      if (ofCalls !== null) read.calls = calls[ofCalls] ?? [];
      return rest === undefined ? read : { ...read, ...rest };
    }),
  };
}

/** Numbers distinct values in the order in which they first appear. */
class Distinct<Value> {
  readonly values: Value[] = [];
  readonly #places = new Map<string, number>();

  placeOf(value: Value): number {
    const key = JSON.stringify(value);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.values.length);
    return this.values.push(value) - 1;
  }
}
