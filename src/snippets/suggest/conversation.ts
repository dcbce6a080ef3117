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

export type Conversation = readonly Said[];

export function conversationOf(result: Pick<ParseResult, "messages" | "content_blocks" | "tool_calls">): Conversation {
  const blocks = Map.groupBy(result.content_blocks, ({ message_id }) => message_id);
  const calls = new Map(result.tool_calls.flatMap((call) => (call.use === null ? [] : [[call.use.block_id, call]])));
  const said: Said[] = [];
  let turn = 0;
  for (const message of result.messages) {
    if (isPrompt(message) && !message.is_sidechain) turn += 1;
    for (const block of blocks.get(message.id) ?? []) {
      said.push({ message, block, turn, at: said.length, call: calls.get(block.id) });
    }
  }
  return said;
}

/** The text of an answer of the assistant itself; undefined for anything else. */
export function answerText({ message, block }: Said): string | undefined {
  if (block.block_type !== "text" || message.message_type !== "assistant") return undefined;
  return message.metadata.is_api_error === true ? undefined : (block.content_text ?? undefined);
}

/** What a person typed, in their own words: no commands, no notes of the program, nothing that a model asked. */
export function typedText({ message, block }: Said): string | undefined {
  const { metadata, is_sidechain } = message;
  if (block.block_type !== "text" || !isPrompt(message) || is_sidechain || metadata.command !== undefined)
    return undefined;
  const text = (block.content_text ?? "").trim();
  // Texts of commands and skills stand in tags, or are pages of Markdown.
  const isLoaded =
    /^<[\w-]+>/.test(text) || /^#{1,3} \S/m.test(text) || text.startsWith("Base directory for this skill");
  return text === "" || isLoaded || isReminderText(text) ? undefined : text;
}

const CHANGING = /^(?:edit|multiedit|write|notebookedit|patch|apply_patch|str_replace\w*|create)$/i;

/** Whether it is a call that changed a file. */
export function isChange({ call }: Said): boolean {
  return call?.status === "completed" && CHANGING.test(call.tool_name ?? "");
}

export function isShell({ call }: Said): boolean {
  return call?.status === "completed" && /^(?:bash|shell|powershell|run_command)$/i.test(call.tool_name ?? "");
}
