/** Prints a conversation with its heading. */
import { neutralLine, shortened } from "../neutral-text.ts";
import { counted, timesText } from "../quantities.ts";
import type { Conversation } from "../queries/read-session.ts";
import type { ToolCall } from "../parse/model.ts";
import type { MessageView } from "../parse/turns.ts";
import type { SessionRef } from "../places/session-ref.ts";
import type { CommandContext } from "./context.ts";
import { resumeOf } from "../sessions/resume.ts";
import { type ConversationStyle, messageText } from "../render/text/conversation-text.ts";
import { projectName } from "../render/text/session-text.ts";

/** Facts in the heading of a session. */
export interface HeadingFacts extends Pick<Conversation, "id" | "metadata"> {
  /** The number of messages is null if only a part was read. */
  stats: { total_messages: number | null; initial_prompt: string | null };
}

/** Messages of a session, or some of them, with their turns. */
export interface ConversationPart extends HeadingFacts {
  messages: readonly (MessageView & { turn: number })[];
  /** Calls by block; undefined to show calls and results where they are. */
  calls: ReadonlyMap<string, ToolCall> | undefined;
  /** Line of the entry that is marked; with one, all have line numbers. */
  marked: number | undefined;
}

/** Prints the messages. Resolves to their number. */
export async function printConversation(
  context: CommandContext,
  ref: SessionRef,
  part: ConversationPart,
  options: Partial<Pick<ConversationStyle, "withTools" | "withThinking" | "summary">>,
): Promise<number> {
  const style: ConversationStyle = {
    colors: context.colors,
    withTools: options.withTools ?? false,
    withThinking: options.withThinking ?? false,
    summary: options.summary ?? false,
    numbered: part.marked !== undefined,
    marked: part.marked,
    calls: part.calls,
  };
  if (part.stats.total_messages !== 0) await context.out(headingText(context, ref, part));
  let printed = 0;
  let previous: MessageView["message"] | undefined;
  for (const view of part.messages) {
    const text = messageText(view, style, previous);
    if (text === "") continue;
    if (view.message.message_type === "assistant") previous = view.message;
    await context.out(text);
    printed += 1;
  }
  return printed;
}

/** Returns the title, a line of facts, how to resume the session, and an empty line. */
export function headingText(
  { colors }: CommandContext,
  ref: SessionRef,
  { id, metadata, stats }: HeadingFacts,
): string {
  const title = neutralLine(metadata.title ?? ref.title ?? stats.initial_prompt ?? "");
  const project = metadata.cwd ?? ref.project;
  const facts = [
    timesText(metadata.firstTimestamp, metadata.lastTimestamp),
    stats.total_messages === null ? "" : counted(stats.total_messages, "message"),
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
