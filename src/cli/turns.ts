/** A conversation in turns: what a person said, and all that follows until they speak again. */
import { withoutOutputTags } from "../calls/result-texts.ts";
import type { ParsedContentBlock, ParseResult, TranscriptMessage } from "../parse/model.ts";
import { isPrompt } from "../parse/prompts.ts";

export { isPrompt };

export interface MessageView {
  message: TranscriptMessage;
  blocks: readonly ParsedContentBlock[];
}

export interface Turn {
  /** From 1; 0 is what stands before a person says anything. */
  number: number;
  /** What the person said; undefined in turn 0. */
  prompt: MessageView | undefined;
  /** All messages, the prompt included. */
  messages: readonly MessageView[];
}

export function turnsOf(result: Pick<ParseResult, "messages" | "content_blocks">): Turn[] {
  const blocks = Map.groupBy(result.content_blocks, ({ message_id }) => message_id);
  const isSubagent = result.messages.every(({ is_sidechain }) => is_sidechain);
  const turns: { number: number; prompt: MessageView | undefined; messages: MessageView[] }[] = [];
  for (const message of result.messages) {
    const view: MessageView = { message, blocks: blocks.get(message.id) ?? [] };
    const begins = isPrompt(message) && (isSubagent || !message.is_sidechain);
    const last = turns.at(-1);
    if (last === undefined || begins) {
      turns.push({ number: begins ? (last?.number ?? 0) + 1 : 0, prompt: begins ? view : undefined, messages: [view] });
    } else last.messages.push(view);
  }
  return turns;
}

/** What a message says, in one text; of a command, what was typed. */
export function saidIn({ message, blocks }: MessageView): string {
  if (message.metadata.command !== undefined) return message.metadata.command;
  return blocks.flatMap(({ content_text }) => (content_text === null ? [] : [content_text])).join("\n\n");
}

/** What a command printed; empty if that is nothing. */
export function printedIn(view: MessageView): string {
  return withoutOutputTags(saidIn(view)).trim();
}

/** Whether there is something to read before the first prompt: often it is only the program's notes to the model. */
export function hasContent({ number, messages }: Turn): boolean {
  return number > 0 || messages.some(isReadable);
}

function isReadable(view: MessageView): boolean {
  const { message_type: type, user_kind: kind, metadata } = view.message;
  if (type === "assistant" || kind === "tool_result") return true;
  if (type === "system") return metadata.subtype === "api_error" || metadata.subtype === "error";
  return (kind !== "meta" || metadata.origin !== undefined) && printedIn(view) !== "";
}

/** The last `count` turns; all if it is undefined. */
export function lastTurns(turns: readonly Turn[], count: number | undefined): readonly Turn[] {
  return count === undefined ? turns : turns.slice(-count);
}
