/** The turns of a stored session, without reading its content. */
import type { Pricing } from "../parse/pricing.ts";
import { beginsTurn } from "../parse/turns.ts";
import type { StoredSession } from "../store/stored-model.ts";
import type { Store } from "../store/store.ts";
import { storedCost } from "./stored-figures.ts";

export interface OutlinedTurn {
  /** From 1. */
  number: number;
  /** Position of its prompt. */
  ordinal: number;
  /** Text of its prompt, or its command. */
  text: string;
  time: string | null;
  calls: number;
  failed: number;
  /** Positions of the messages with failed results. */
  failures: number[];
  /** Null if no answer has a price. */
  cost_usd: number | null;
}

/** Returns the turns of a stored session, and the ordinal after its last message. */
export async function sessionTurns(
  store: Pick<Store, "outline">,
  { session_id: id, agent_id: agentId }: StoredSession,
  pricing: Pricing,
): Promise<{ turns: OutlinedTurn[]; end: number }> {
  const turns: OutlinedTurn[] = [];
  const messages = await store.outline(id);
  for (const { fields, calls, failed, text } of messages) {
    const { ordinal, occurred_at: time, metadata } = fields;
    if (beginsTurn(fields, agentId !== null)) {
      const said = metadata.command ?? text ?? "";
      turns.push({
        number: turns.length + 1,
        ordinal,
        text: said,
        time,
        calls: 0,
        failed: 0,
        failures: [],
        cost_usd: null,
      });
    }
    const turn = turns.at(-1);
    if (turn === undefined) continue;
    turn.calls += calls;
    turn.failed += failed;
    if (failed > 0) turn.failures.push(ordinal);
    const { cost } = storedCost(fields, pricing);
    if (cost !== null) turn.cost_usd = (turn.cost_usd ?? 0) + cost;
  }
  return { turns, end: (messages.at(-1)?.fields.ordinal ?? -1) + 1 };
}
