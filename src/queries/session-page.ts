/** Parts of long sessions: the turns of a session, and some of its messages with their calls. */
import { type ConversationReader, piecesOf } from "../parse/conversation.ts";
import { setCost } from "../parse/message-builder.ts";
import type { ParsedContentBlock, ParseResult, TranscriptMessage } from "../parse/model.ts";
import type { Pricing } from "../parse/pricing.ts";
import { correlateToolCalls } from "../parse/tool-calls.ts";
import { beginsTurn } from "../parse/turns.ts";
import { type StoredSession, storedUsage } from "../store/stored-model.ts";
import type { Store } from "../store/store.ts";
import { modelMessage } from "./stored-conversation.ts";

export interface SessionPart extends Pick<ParseResult, "messages" | "content_blocks" | "tool_calls"> {
  /** Turns that began before the first message. */
  turnsBefore: number;
}

/** Messages that are read after the last one, for the results of its calls. */
const MESSAGES_AFTER = 50;

/**
 * Returns the messages with ordinals from `from` on and before `to`. Calls have their results even if those come somewhat
 * later, whose blocks are then among the others. Reads no more of the session than that if it comes from the store.
 */
export async function sessionPart(reader: ConversationReader, from: number, to: number): Promise<SessionPart> {
  const messages = new Map<string, TranscriptMessage>();
  const blocks: ParsedContentBlock[] = [];
  let turnsBefore: number | undefined;
  for await (const { message, blocks: added, turn } of piecesOf(reader, { from: { ordinal: from, before: 0 } })) {
    if (message.ordinal >= to + MESSAGES_AFTER) break;
    if (message.ordinal < from) continue;
    turnsBefore ??= Math.max(0, turn - (beginsTurn(message, false) ? 1 : 0));
    messages.set(message.id, message);
    blocks.push(...added);
  }
  const all = [...messages.values()];
  const calls = correlateToolCalls(all, blocks).filter(
    ({ use, result }) => (use ?? result ?? NOWHERE).message_ordinal < to,
  );
  const results = new Set(calls.map(({ result }) => result?.block_id));
  const isHere = ({ message_id: id }: ParsedContentBlock): boolean => (messages.get(id)?.ordinal ?? to) < to;
  return {
    messages: all.filter(({ ordinal }) => ordinal < to),
    content_blocks: blocks.filter((block) => isHere(block) || results.has(block.id)),
    tool_calls: calls,
    turnsBefore: turnsBefore ?? 0,
  };
}

const NOWHERE = { message_ordinal: Number.POSITIVE_INFINITY };

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
      turns.push({ number: turns.length + 1, ordinal, text: said, time, calls: 0, failed: 0, cost_usd: null });
    }
    const turn = turns.at(-1);
    if (turn === undefined) continue;
    turn.calls += calls;
    turn.failed += failed;
    setCost(message, storedUsage(row), row.recorded_cost_usd ?? undefined, pricing);
    if (message.cost_usd !== null) turn.cost_usd = (turn.cost_usd ?? 0) + message.cost_usd;
  }
  return { turns, end };
}
