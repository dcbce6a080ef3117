/** Makes the row of `show --json`, `tail --json` and the page of rows: a row of the model without the ids, which differ in each run. */
import type { MessageView } from "../parse/turns.ts";

export type MessageOutput = ReturnType<typeof messageRow>;

export function messageRow(view: MessageView, sessionId: string, turn: number | null) {
  const {
    id: _id,
    session_id: _session,
    has_text: _a,
    has_thinking: _b,
    has_tool_use: _c,
    has_tool_result: _d,
    ...known
  } = view.message;
  return {
    version: 1 as const,
    session_id: sessionId,
    turn,
    ...known,
    blocks: view.blocks.map(({ id: _block, message_id: _message, session_id: _of, ...block }) => block),
  };
}
