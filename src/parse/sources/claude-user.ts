/** What a `user` line of Claude Code is: its duty, and where its text comes from. */
import type { BlockDraft } from "../draft.ts";
import { isReminderText } from "../reminder.ts";
import { fieldsOf, textOf, type Fields } from "../json-fields.ts";
import type { MessageMetadata, UserKind } from "../model.ts";

/** Marks of a line that the program wrote; stream-json calls `isMeta` `isSynthetic`. */
const INJECTED = ["isMeta", "isSynthetic", "isCompactSummary", "isVisibleInTranscriptOnly"] as const;

/** Of these nobody typed a word. */
const NOT_TYPED: ReadonlySet<MessageMetadata["origin"]> = new Set([
  "compact_summary",
  "interruption",
  "notification",
  "command_output",
  "teammate",
]);

/** A tool's answer has its blocks, an injection its marks or its tags; all else a person sent. */
export function userKindOf(line: Fields, blocks: readonly BlockDraft[], origin: MessageMetadata["origin"]): UserKind {
  if (blocks.some(({ type }) => type === "tool_result")) return "tool_result";
  if (INJECTED.some((mark) => line[mark] === true) || NOT_TYPED.has(origin)) return "meta";
  return blocks.length > 0 && blocks.every(isReminder) ? "meta" : "human";
}

export function userOrigin(line: Fields, blocks: readonly BlockDraft[]): MessageMetadata {
  if (line["isCompactSummary"] === true) return { origin: "compact_summary" };
  if (isInterruption(blocks)) return { origin: "interruption" };
  const kind = textOf(fieldsOf(line, "origin") ?? {}, "kind");
  const text = blocks[0]?.type === "text" ? (blocks[0].text ?? "").trimStart() : "";
  if (kind === "task-notification") return { origin: "notification" };
  if (!text.startsWith("<")) return {};
  if (text.startsWith("<task-notification>")) return { origin: "notification" };
  if (text.startsWith("<teammate-message")) return { origin: "teammate" };
  if (/^<(?:local-command-(?:stdout|stderr)|bash-(?:stdout|stderr))>/.test(text)) return { origin: "command_output" };
  const command = commandIn(text);
  return command === undefined ? {} : { origin: "command", command };
}

/** What the program adds to a prompt, in a block of its own. */
function isReminder({ type, text = "" }: BlockDraft): boolean {
  return type === "text" && isReminderText(text);
}

/** `[Request interrupted by user]`, `… for tool use]`: written by the program when Escape was pressed. */
function isInterruption(blocks: readonly BlockDraft[]): boolean {
  return (
    blocks.length > 0 &&
    blocks.every(({ type, text }) => type === "text" && text?.startsWith("[Request interrupted by user") === true)
  );
}

/** The slash command or `!` line that the tags of a message stand for. */
function commandIn(text: string): string | undefined {
  if (!/^<(?:command-(?:name|message|args|contents)|bash-input)>/.test(text)) return undefined;
  const shell = tagged(text, "bash-input");
  if (shell !== undefined) return `!${shell}`;
  const name = tagged(text, "command-name") ?? tagged(text, "command-message") ?? "";
  const args = tagged(text, "command-args") ?? "";
  return `${name.startsWith("/") ? name : `/${name}`}${args === "" ? "" : ` ${args}`}`;
}

function tagged(text: string, tag: string): string | undefined {
  const start = text.indexOf(`<${tag}>`);
  const end = text.indexOf(`</${tag}>`, start);
  return start === -1 || end === -1 ? undefined : text.slice(start + tag.length + 2, end).trim();
}
