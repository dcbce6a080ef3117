/** The turns of a stored session, without reading its content. */
import { setCost } from "../parse/message-builder.ts";
import type { Pricing } from "../parse/pricing.ts";
import { beginsTurn } from "../parse/turns.ts";
import { type StoredSession, storedUsage } from "../store/stored-model.ts";
import type { Store } from "../store/store.ts";
import { modelMessage } from "./stored-conversation.ts";

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
  store: Pick<Store, "messages" | "outline">,
  { session_id: id, agent_id: agentId }: StoredSession,
  pricing: Pricing,
): Promise<{ turns: OutlinedTurn[]; end: number }> {
  const outlined = new Map((await store.outline(id)).map((each) => [each.ordinal, each]));
  const turns: OutlinedTurn[] = [];
  let end = 0;
  for (const row of await store.messages(id)) {
    if (row.superseded) continue;
    end = row.ordinal + 1;
    const message = modelMessage(row);
    const { calls = 0, failed = 0, text = null } = outlined.get(row.ordinal) ?? {};
    if (beginsTurn(message, agentId !== null)) {
      const said = message.metadata.command ?? text ?? "";
      const { ordinal, timestamp: time } = message;
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
    if (failed > 0) turn.failures.push(row.ordinal);
    setCost(message, storedUsage(row), row.recorded_cost_usd ?? undefined, pricing);
    if (message.cost_usd !== null) turn.cost_usd = (turn.cost_usd ?? 0) + message.cost_usd;
  }
  return { turns, end };
}
