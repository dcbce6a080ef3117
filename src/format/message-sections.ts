/** Sections of what people, models and the host said: user messages, assistant texts, reasoning, session events. */
import type { MarkdownEntryOptions } from "./encode-options.ts";
import type { AssistantMessageEntry, ReasoningEntry, SessionEventEntry, UserMessageEntry } from "./entries.ts";
import { fencedJson } from "./json-text.ts";
import { showAttachments } from "./linked-lines.ts";
import { TextReferences } from "./references.ts";
import type { SectionBuilder } from "./section-builder.ts";
import { groupDigits, visibleName } from "./visible.ts";

/** A text in a user message that the user did not write is shown from this length on, whatever part it is in. */
const LONG_TEXT_LENGTH = 200;

export function userSection(section: SectionBuilder, entry: UserMessageEntry, options: MarkdownEntryOptions): string {
  section.content(entry.content);
  section.note("agent", entry.agent);
  section.note("model", entry.model);
  showAttachments(section, entry.attachments, options);
  const texts = new TextReferences();
  texts.add("content", entry.content);
  section.noteWithTexts("parts", entry.parts, texts, {
    heading: "### Added by the host",
    info: "text",
    shows: (text, key, owner) => text.length >= LONG_TEXT_LENGTH || (key === "text" && isTextPart(owner)),
  });
  return section.toMarkdown("User Message");
}

function isTextPart(part: object | undefined): boolean {
  return part !== undefined && "type" in part && part.type === "text";
}

export function assistantSection(
  section: SectionBuilder,
  entry: AssistantMessageEntry | ReasoningEntry,
  kind: string,
): string {
  section.content(entry.content);
  const line = smallPrint(entry);
  if (line !== "") section.line(line);
  section.note("agent", entry.agent);
  section.note("model", entry.model);
  section.note("tokens", entry.tokens);
  section.note("cost", entry.cost);
  section.note("interrupted", entry.interrupted);
  section.note("unfinished", entry.unfinished);
  section.note("continues", entry.continues);
  return section.toMarkdown(kind);
}

/** `*interrupted · provider/model · 1,234 in · 56 out · $0.0012*`, or nothing where no more than a model is known. */
function smallPrint(entry: AssistantMessageEntry | ReasoningEntry): string {
  const facts: string[] = [];
  if (entry.continues === "append") facts.push("continues the text above");
  if (entry.continues === "replace") facts.push("replaces the text above");
  if (entry.interrupted === true) facts.push("interrupted");
  const hasUsage = entry.tokens !== undefined || entry.cost !== undefined;
  if (hasUsage && entry.model !== undefined) facts.push(visibleName(entry.model));
  if (entry.tokens !== undefined) {
    const { input, output, reasoning, cacheRead } = entry.tokens;
    facts.push(`${groupDigits(input)} in`, `${groupDigits(output)} out`);
    if (reasoning !== undefined && reasoning > 0) facts.push(`${groupDigits(reasoning)} reasoning`);
    if (cacheRead !== undefined && cacheRead > 0) facts.push(`${groupDigits(cacheRead)} from cache`);
  }
  if (entry.cost !== undefined) facts.push(visibleCost(entry.cost));
  return facts.length === 0 ? "" : `*${facts.join(" · ")}*`;
}

function visibleCost(dollars: number): string {
  return dollars > 0 && dollars < 0.0001 ? "under $0.0001" : `$${dollars.toFixed(4)}`;
}

/** Events whose text tells a person all that their data tells a program: the data stands in the comment. */
const TOLD_BY_TEXT = new Set(["usage", "todo", "patch", "removed", "revert"]);

export function eventSection(section: SectionBuilder, entry: SessionEventEntry): string {
  section.note("eventID", entry.eventID);
  if (entry.text !== undefined) section.content(entry.text);
  if (entry.data !== undefined && (entry.text === undefined || !TOLD_BY_TEXT.has(entry.name))) {
    section.fence("data", fencedJson(entry.data), "json");
  } else {
    const texts = new TextReferences();
    if (entry.text !== undefined) texts.add("content", entry.text);
    section.noteWithTexts("told", entry.data, texts);
  }
  return section.toMarkdown("Session Event", { field: "name", value: entry.name });
}
