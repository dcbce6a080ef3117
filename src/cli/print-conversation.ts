/** A conversation, printed for a person to read. */
import type { ParseResult } from "../parse/model.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import { callsByBlock } from "./calls-by-block.ts";
import type { CommandContext, CommandOptions } from "./command.ts";
import { messageText, type ConversationStyle } from "./conversation-text.ts";
import { flag } from "./option-values.ts";
import { sessionHeading } from "./session-heading.ts";
import type { MessageView, Turn } from "./turns.ts";

/** Prints the turns as text. Resolves to how many messages were printed. */
export async function printConversation(
  context: CommandContext,
  ref: SessionRef,
  result: ParseResult,
  turns: readonly Turn[],
  options: CommandOptions,
): Promise<number> {
  const style: ConversationStyle = {
    colors: context.colors,
    columns: context.columns,
    withTools: flag(options, "withTools"),
    withThinking: flag(options, "withThinking"),
    summary: flag(options, "summary"),
    calls: callsByBlock(result.tool_calls),
  };
  if (result.messages.length > 0) await context.out(sessionHeading(context, ref, result));
  let printed = 0;
  let previous: MessageView["message"] | undefined;
  for (const { messages } of turns) {
    for (const view of messages) {
      const text = messageText(view, style, previous);
      if (text === "") continue;
      if (view.message.message_type === "assistant") previous = view.message;
      await context.out(text);
      printed += 1;
    }
  }
  return printed;
}
