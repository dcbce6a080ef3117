/** A parsed session as suggestions look at it: what was said and done, in order, in turns. */
import type { ParsedContentBlock, ParseResult, ToolCall, TranscriptMessage } from "../../parse/model.ts";
import { isPrompt } from "../../parse/prompts.ts";
import { isReminderText } from "../../parse/reminder.ts";

export interface Said {
  message: TranscriptMessage;
  block: ParsedContentBlock;
  /** Counts the prompts up to here. */
  turn: number;
  /** Place among all of the conversation. */
  at: number;
  /** Of a call: how it went. Of all else undefined. */
  call: ToolCall | undefined;
}

export interface Conversation {
  all: readonly Said[];
  /** In order; what stands before the first prompt is a turn too. */
  turns: readonly Turn[];
  /** By the number that `Said` has. */
  byTurn: ReadonlyMap<number, Turn>;
  byBlock: ReadonlyMap<string, Said>;
}

/** A prompt and all that was said and done until the next. */
export interface Turn {
  /** What a person typed; undefined for a command, for loaded texts and before the first prompt. */
  prompt: Said | undefined;
  said: readonly Said[];
}

export type ConversationRows = Pick<ParseResult, "messages" | "content_blocks" | "tool_calls">;

export function conversationOf(rows: ConversationRows): Conversation {
  const blocks = Map.groupBy(rows.content_blocks, ({ message_id }) => message_id);
  const calls = new Map(rows.tool_calls.flatMap((call) => (call.use === null ? [] : [[call.use.block_id, call]])));
  const all: Said[] = [];
  let turn = 0;
  for (const message of rows.messages) {
    if (isPrompt(message) && !message.is_sidechain) turn += 1;
    for (const block of blocks.get(message.id) ?? []) {
      all.push({ message, block, turn, at: all.length, call: calls.get(block.id) });
    }
  }
  const turns = [...Map.groupBy(all, (said) => said.turn)].map(([number, said]): [number, Turn] => [
    number,
    { prompt: said.find((each) => typedText(each) !== undefined), said },
  ]);
  return {
    all,
    turns: turns.map(([, turn]) => turn),
    byTurn: new Map(turns),
    byBlock: new Map(all.map((said) => [said.block.id, said])),
  };
}

/** The text of an answer of the assistant itself; undefined for anything else. */
export function answerText({ message, block }: Said): string | undefined {
  if (block.block_type !== "text" || message.message_type !== "assistant") return undefined;
  return message.metadata.is_api_error === true ? undefined : (block.content_text ?? undefined);
}

/** What the assistant said or thought; empty for anything else. */
export function reasoningText(said: Said): string {
  return answerText(said) ?? (said.block.block_type === "thinking" ? (said.block.thinking_text ?? "") : "");
}

/** What a person typed, in their own words: no commands, no notes of the program, nothing that a model asked. */
export function typedText({ message, block }: Said): string | undefined {
  const { metadata, is_sidechain } = message;
  if (block.block_type !== "text" || !isPrompt(message) || is_sidechain || metadata.command !== undefined)
    return undefined;
  const text = (block.content_text ?? "").trim();
  // Texts of commands and skills stand in tags, or are pages of Markdown.
  const isLoaded =
    /^<[\w-]+>/.test(text) || /^"?#{1,3} \S/m.test(text) || text.startsWith("Base directory for this skill");
  return text === "" || isLoaded || isReminderText(text) ? undefined : text;
}

/** What a call gave. */
export function resultOf({ call }: Said, { byBlock }: Conversation): Said | undefined {
  return call?.result ? byBlock.get(call.result.block_id) : undefined;
}
