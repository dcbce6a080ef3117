/** Prompts of a person among all `user` messages, and the turns that they begin. */
import type { ParsedContentBlock, ParseResult, TranscriptMessage } from "./model.ts";
import { isReminderText } from "./prompts.ts";

/** Origins of `user` messages that a person did not say. */
const NOT_SAID = new Set<unknown>(["command_output", "notification", "interruption", "compact_summary"]);

/** Returns whether a person said it, as a prompt or a command. */
export function isPrompt({ user_kind, metadata }: Pick<TranscriptMessage, "user_kind" | "metadata">): boolean {
  return user_kind === "human" && !NOT_SAID.has(metadata.origin);
}

/** Returns the label of the speaker. A subagent's prompt comes from the agent that started it. */
export function speakerOf(message: TranscriptMessage, toSubagent: boolean): string {
  const { message_type: type, user_kind: kind, metadata } = message;
  if (type === "assistant") return metadata.is_api_error === true ? "API error" : "Assistant";
  if (type === "summary") return "Summary";
  if (type === "system") return "Event";
  if (kind === "tool_result") return "Tool";
  const isTyped = kind === "human" && metadata.origin !== "command_output" && metadata.origin !== "notification";
  if (!isTyped) return "Program";
  return toSubagent ? "Prompt" : "User";
}

/** Returns whether the message begins a turn. `isSubagent`: the whole session is a subagent's, so its prompts count too. */
export function beginsTurn(
  message: Pick<TranscriptMessage, "user_kind" | "metadata" | "is_sidechain">,
  isSubagent: boolean,
): boolean {
  return isPrompt(message) && (isSubagent || !message.is_sidechain);
}

/** Message with its blocks. */
export interface MessageView {
  message: TranscriptMessage;
  blocks: readonly ParsedContentBlock[];
}

/** Returns the text of a message; for a command, the typed text. */
export function saidIn({ message, blocks }: MessageView): string {
  if (message.metadata.command !== undefined) return message.metadata.command;
  const texts = blocks.flatMap(({ content_text }) => (content_text === null ? [] : [content_text]));
  const said = texts.filter((text) => !isReminderText(text));
  return (said.length > 0 ? said : texts).join("\n\n");
}

/** A user message and everything up to the next one. */
export interface Turn {
  /** From 1; 0 before the first user message. The first of a part of a conversation may be the rest of one. */
  number: number;
  /** The user's message; undefined if it is not among the messages. */
  prompt: MessageView | undefined;
  /** All messages, including the prompt. */
  messages: readonly MessageView[];
}

/** `before`: number of turns before the first message, if these are a part of a conversation. */
export function turnsOf(
  { messages, content_blocks }: Pick<ParseResult, "messages" | "content_blocks">,
  before = 0,
): Turn[] {
  const blocks = Map.groupBy(content_blocks, ({ message_id }) => message_id);
  const isSubagent = messages.every(({ is_sidechain }) => is_sidechain);
  const turns: { number: number; prompt: MessageView | undefined; messages: MessageView[] }[] = [];
  for (const message of messages) {
    const view: MessageView = { message, blocks: blocks.get(message.id) ?? [] };
    const begins = beginsTurn(message, isSubagent);
    const last = turns.at(-1);
    if (last === undefined || begins) {
      turns.push({
        number: (last?.number ?? before) + (begins ? 1 : 0),
        prompt: begins ? view : undefined,
        messages: [view],
      });
    } else last.messages.push(view);
  }
  return turns;
}
