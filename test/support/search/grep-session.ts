/** The plain way to find a term in a session: each text of the conversation is read and compared. What `find` must equal. */
import { readTranscript } from "../../../src/agents/parse-input.ts";
import { isOwnRecall } from "../../../src/calls/own-recall.ts";
import { foldedPattern } from "../../../src/matching/folding.ts";
import { passageAround } from "../../../src/matching/passage.ts";
import { piecesOf, pieceView } from "../../../src/parse/conversation.ts";
import type { ParsedContentBlock, TranscriptMessage } from "../../../src/parse/model.ts";
import type { ParseOptions } from "../../../src/parse/parse-options.ts";
import { hitRole, searchedTexts, type HitRole } from "../../../src/parse/searched-texts.ts";
import { callsByBlock, correlateToolCalls } from "../../../src/parse/tool-calls.ts";
import type { SearchHit } from "../../../src/search/search.ts";
import { storableKey, storableText, storableTime } from "../../../src/store/storable.ts";

export interface GrepFilters {
  since?: Date;
  role?: HitRole;
  tool?: string;
  errorsOnly?: boolean;
}

export type GrepHit = Pick<
  SearchHit,
  | ("line_number" | "byte_offset" | "occurred_at" | "message_type" | "role" | "block_type" | "tool_name")
  | ("tool_use_id" | "passage" | "matches" | "match_count")
>;

/** Returns the blocks with the term in the order of the session, without those of this program's own searches. */
export async function grepSession(
  bytes: Uint8Array | string,
  { term, since, role, tool, errorsOnly = false }: GrepFilters & { term: string },
  options: ParseOptions = {},
): Promise<GrepHit[]> {
  const messages: TranscriptMessage[] = [];
  const blocks: ParsedContentBlock[] = [];
  /** The message of each block as its line has it. */
  const messageOf = new Map<ParsedContentBlock, TranscriptMessage>();
  const maxInlineContentBytes = Number.POSITIVE_INFINITY;
  const reader = readTranscript("", bytes, { ...options, maxInlineContentBytes, pricing: "flat" });
  for await (const piece of piecesOf(reader, { superseded: true })) {
    const { message, blocks: ofMessage } = pieceView(piece);
    messages.push(message);
    blocks.push(...ofMessage);
    for (const block of ofMessage) messageOf.set(block, message);
  }
  const calls = callsByBlock(correlateToolCalls(messages, blocks));
  const own = new Set(
    blocks
      .filter((block) => block.block_type === "tool_use" && isOwnRecall(block.tool_name, block.tool_input))
      .map(({ id }) => id),
  );
  return blocks.flatMap((block): GrepHit[] => {
    const message = messageOf.get(block);
    const found = grepTexts(searchedTexts(block), term);
    if (message === undefined || found === undefined) return [];
    const call = calls.get(block.id);
    const name = call?.tool_name ?? block.tool_name;
    const isOwn = own.has(block.id) || own.has(call?.use?.block_id ?? "") || isOwnRecall(name, null);
    const blockRole = hitRole(message, block);
    const isWanted =
      !isOwn &&
      (role === undefined || blockRole === role) &&
      (tool === undefined || (blockRole === "tool" && name?.toLowerCase() === tool.toLowerCase())) &&
      (!errorsOnly || (block.block_type === "tool_result" && block.status === "error")) &&
      (since === undefined || Date.parse(message.timestamp ?? "") >= since.getTime());
    if (!isWanted) return [];
    const id = block.tool_use_id ?? block.tool_result_id;
    return [
      {
        line_number: message.line_number,
        byte_offset: message.byte_offset,
        occurred_at: storableTime(message.timestamp),
        message_type: message.message_type,
        role: blockRole,
        block_type: block.block_type,
        tool_name: name,
        tool_use_id: id === null ? null : storableKey(id),
        ...found,
      },
    ];
  });
}

function grepTexts(
  texts: readonly string[],
  term: string,
): Pick<GrepHit, "passage" | "matches" | "match_count"> | undefined {
  const places = texts.map((text) => {
    const all = [...storableText(text).matchAll(foldedPattern(storableText(term)))];
    return { text: storableText(text), all: all.map(({ index, 0: { length } }) => [index, index + length] as const) };
  });
  const first = places.find(({ all }) => all.length > 0);
  if (first === undefined) return undefined;
  const { text: passage, matches } = passageAround(first.text, first.all);
  return { passage, matches, match_count: places.reduce((sum, { all }) => sum + all.length, 0) };
}
