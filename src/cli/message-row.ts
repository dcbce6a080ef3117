/** Makes the row for `show --json` and `tail --json`: a row of the model without the ids, which differ in each run. */
import type { ParsedContentBlock } from "../parse/model.ts";
import type { MessageView } from "../parse/turns.ts";
import type { BlockRow, MessageRow } from "./schemas/reading-schemas.ts";

export function messageRow(view: MessageView, sessionId: string, turn: number | null): MessageRow {
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
    version: 1,
    session_id: sessionId,
    turn,
    ...known,
    blocks: view.blocks.map(blockRow),
  };
}

function blockRow({ id: _id, message_id: _message, session_id: _session, ...block }: ParsedContentBlock): BlockRow {
  return block;
}
