/** Prints a conversation with its heading. */
import { neutralLine, shortened } from "../neutral-text.ts";
import { counted, timesText } from "../quantities.ts";
import type { Conversation } from "../queries/read-session.ts";
import { callsByBlock } from "../parse/tool-calls.ts";
import type { MessageView, Turn } from "../parse/turns.ts";
import type { SessionRef } from "../places/session-ref.ts";
import type { CommandContext } from "./context.ts";
import { resumeOf } from "../sessions/resume.ts";
import { type ConversationStyle, messageText } from "../render/text/conversation-text.ts";
import { projectName } from "../render/text/passage-text.ts";

/** Prints the turns. Resolves to the number of messages printed. */
export async function printConversation(
  context: CommandContext,
  ref: SessionRef,
  conversation: Conversation,
  turns: readonly Turn[],
  options: Partial<Pick<ConversationStyle, "withTools" | "withThinking" | "summary">> & { line?: number },
): Promise<number> {
  const style: ConversationStyle = {
    colors: context.colors,
    withTools: options.withTools ?? false,
    withThinking: options.withThinking ?? false,
    summary: options.summary ?? false,
    numbered: options.line !== undefined,
    marked: options.line,
    // With line numbers, a call and its result are shown where they are.
    calls: options.line === undefined ? callsByBlock(conversation.tool_calls) : undefined,
  };
  if (conversation.messages.length > 0) await context.out(sessionHeading(context, ref, conversation));
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

/** Returns the title, a line of facts, how to resume the session, and an empty line. */
export function sessionHeading(
  { colors }: CommandContext,
  ref: SessionRef,
  { id, metadata, stats }: Conversation,
): string {
  const title = neutralLine(metadata.title ?? ref.title ?? stats.initial_prompt ?? "");
  const project = metadata.cwd ?? ref.project;
  const facts = [
    timesText(metadata.firstTimestamp, metadata.lastTimestamp),
    counted(stats.total_messages, "message"),
    project === null ? "" : neutralLine(projectName(project)),
    neutralLine(id),
    ref.archived === null
      ? ""
      : `from the store${ref.archived.host === null ? "" : `, ${neutralLine(ref.archived.host)}`}`,
  ];
  const resume = resumeOf(ref, metadata.cwd);
  const hasAgent = ref.archived !== null || (ref.place !== "file" && ref.place !== "stdin");
  const resuming = "command" in resume ? `resume: ${resume.command}` : `cannot be resumed: ${resume.reason}`;
  const lines = [
    colors.bold(shortened(title, 100)),
    colors.dim(facts.filter(Boolean).join(" · ")),
    hasAgent ? colors.dim(neutralLine(resuming)) : "",
  ];
  return `${lines.filter((line) => line !== "").join("\n")}\n\n`;
}
