/** Encodes headers and entries as markdown. Pure; docs/format.md describes the format. */
import type {
  TranscriptEntry,
  TranscriptHeader,
  ToolResultEntry,
  ToolUseEntry,
  AssistantMessageEntry,
  ReasoningEntry,
  SessionEventEntry,
  UserMessageEntry,
  Attachment,
  SubagentLink,
} from "./entry-types.ts";
import { isDeepStrictEqual } from "node:util";
import { count } from "../../quantities.ts";
import { usageIn } from "./usage-text.ts";
import { isObject } from "./entry-guards.ts";
import { commentJson, fencedJson } from "./json-text.ts";
import { specialKey } from "./keys.ts";
import { SectionBuilder } from "./section-builder.ts";
import { COMMENT_END, HEADER_COMMENT, MARKDOWN_FORMAT, SECTION_END, TITLE_START } from "./sections.ts";
import { encodeInline, link, visibleName, visibleLabel } from "./visible.ts";
import { cutOutput, needsEscapes, outputText } from "./output-text.ts";

/** Returns the header of a new file. */
export function encodeMarkdownHeader(header: TranscriptHeader, options: MarkdownHeaderOptions): string {
  const { sessionID, title, created, directory, parentID, parentPath } = header;
  const lines: string[] = [];
  if (title !== undefined) lines.push(`- **Title**: ${encodeInline(title)}`);
  if (created !== undefined) lines.push(`- **Started**: ${encodeInline(created)}`);
  if (directory !== undefined) lines.push(`- **Directory**: ${encodeInline(directory)}`);
  if (parentID !== undefined) {
    const name = visibleName(parentID);
    lines.push(`- **Parent**: ${parentPath === undefined ? name : link(name, options.filePath, parentPath)}`);
  }
  const comment = HEADER_COMMENT + commentJson({ format: MARKDOWN_FORMAT, ...header }) + COMMENT_END;
  const blocks = [TITLE_START + visibleName(sessionID), lines.join("\n"), comment];
  return blocks.filter((block) => block !== "").join("\n\n") + SECTION_END;
}

/** Returns an entry as a section. A header followed by sections in order is a transcript. */
export function encodeMarkdownEntry(entry: TranscriptEntry, options: MarkdownEntryOptions): string {
  const section = new SectionBuilder(entry);
  section.note("key", specialKey(entry));
  switch (entry.type) {
    case "user":
      addUser(section, entry, options);
      break;
    case "assistant":
    case "reasoning":
      addAssistant(section, entry);
      break;
    case "tool_use":
      addToolUse(section, entry, options);
      break;
    case "tool_result":
      addToolResult(section, entry, options);
      break;
    case "session_event":
      addEvent(section, entry);
  }
  return section.toMarkdown();
}

// Sections of tool calls and results.

const DEFAULT_MAX_INLINE_CHARS = 5000;

function addToolUse(section: SectionBuilder, entry: ToolUseEntry, options: MarkdownEntryOptions): void {
  section.callID(entry.callID);
  section.line("### Input");
  section.fence("input", fencedJson(entry.input), "json");
  showSubagent(section, entry.subagent, options);
  section.notes(entry, "unfinished", "continues");
}

function addToolResult(section: SectionBuilder, entry: ToolResultEntry, options: MarkdownEntryOptions): void {
  section.callID(entry.callID);
  if (entry.title !== undefined) section.title(entry.title);
  const noted = notedStatus(entry);
  section.note("status", noted);
  section.notes(entry, "hostStatus", "exitCode", "unfinished");
  if (noted) section.line(`**Status**: ${noted}`);
  if (entry.exitCode !== undefined && entry.exitCode !== 0) section.line(`**Exit code**: ${entry.exitCode}`);
  showSubagent(section, entry.subagent, options);
  section.line("### Output");
  showOutput(section, entry.output, options);
  section.note("outputMissing", entry.outputMissing);
  showAttachments(section, entry.attachments, options);
  noteInputAndMetadata(section, entry, options);
  section.note("continues", entry.continues);
}

/** Returns the status unless the heading says it; null for an entry without one. */
function notedStatus({ status, continues }: ToolResultEntry): string | null | undefined {
  if (continues !== undefined || status === "interrupted" || status === "rejected") return status;
  return status === undefined ? null : undefined;
}

function noteInputAndMetadata(section: SectionBuilder, entry: ToolResultEntry, options: MarkdownEntryOptions): void {
  if (typeof entry.output === "string") section.texts.add("output", entry.output);
  if (entry.title !== undefined) section.texts.add("title", entry.title);
  if (options.inputIsKnown !== true || entry.continues !== undefined) section.noteWithTexts("input", entry.input);
  section.noteWithTexts("metadata", entry.metadata, {
    heading: "### Diff",
    info: "diff",
    shows: (text, key) => (key === "diff" || key === "patch") && text.includes("\n"),
  });
}

function showOutput(section: SectionBuilder, output: unknown, options: MarkdownEntryOptions): void {
  const text = outputText(output);
  const isText = typeof output === "string";
  if (!isText) section.note("json", true);
  const { outputPath, maxInlineChars = DEFAULT_MAX_INLINE_CHARS } = options;
  if (outputPath === undefined || text.length <= maxInlineChars) {
    if (isText) section.textFence("output", text, "");
    else section.fence("output", fencedJson(output), "json");
    return;
  }
  section.beginningOfOutput(cutOutput(text, maxInlineChars), isText ? "" : "json");
  const name = outputPath.slice(outputPath.lastIndexOf("/") + 1);
  const size = `${count(text.length)} characters`;
  section.line(`**Full output**: ${link(name, options.filePath, outputPath)} (${size})`);
  section.note("outputPath", outputPath);
  section.note("outputChars", text.length);
  if (needsEscapes(text)) section.note("outputEscaped", true);
}

// Sections of user messages, assistant texts, reasoning and session events.

/** Length from which text of a user message that the user did not write is shown, in any part. */
const LONG_TEXT_LENGTH = 200;

function addUser(section: SectionBuilder, entry: UserMessageEntry, options: MarkdownEntryOptions): void {
  section.content(entry.content);
  section.notes(entry, "agent", "model");
  showAttachments(section, entry.attachments, options);
  const textPart = textPartID(entry);
  if (textPart !== undefined) return section.note("textPart", textPart);
  section.noteWithTexts("parts", entry.parts, {
    heading: "### Added by the host",
    info: "text",
    shows: (text, key, owner) => text.length >= LONG_TEXT_LENGTH || (key === "text" && isTextPart(owner)),
  });
}

/** Returns the id of the only part, if that is the message's text and nothing else. */
function textPartID({ content, parts }: UserMessageEntry): string | undefined {
  const [part, ...others] = parts;
  if (others.length > 0 || !isObject(part) || typeof part["id"] !== "string") return undefined;
  const isText = part["type"] === "text" && part["text"] === content && Object.keys(part).length === 3;
  return isText ? part["id"] : undefined;
}

function isTextPart(part: object | undefined): boolean {
  return part !== undefined && "type" in part && part.type === "text";
}

function addAssistant(section: SectionBuilder, entry: AssistantMessageEntry | ReasoningEntry): void {
  section.content(entry.content);
  const line = smallPrint(entry);
  if (line !== "") section.line(line);
  section.notes(entry, "agent", "model", "interrupted", "unfinished", "continues");
}

/** Returns `*continues the text above · interrupted*`, or nothing for a whole text. */
function smallPrint(entry: AssistantMessageEntry | ReasoningEntry): string {
  const facts: string[] = [];
  if (entry.continues === "append") facts.push("continues the text above");
  if (entry.continues === "replace") facts.push("replaces the text above");
  if (entry.interrupted === true) facts.push("interrupted");
  return facts.length === 0 ? "" : `*${facts.join(" · ")}*`;
}

/** Events whose text says the same as their data, which is therefore in the comment. */
const TOLD_BY_TEXT = new Set(["usage", "todo", "patch", "removed", "revert", "retry", "error"]);

function addEvent(section: SectionBuilder, entry: SessionEventEntry): void {
  section.note("eventID", entry.eventID);
  if (entry.text !== undefined) section.content(entry.text);
  if (entry.name === "usage" && entry.text !== undefined) {
    const told = usageIn(entry.text);
    if (told !== undefined && entry.data === undefined) return section.note("noData", true);
    if (told !== undefined && isDeepStrictEqual(told, entry.data)) return;
  }
  if (entry.data !== undefined && (entry.text === undefined || !TOLD_BY_TEXT.has(entry.name))) {
    section.fence("data", fencedJson(entry.data), "json");
  } else {
    section.noteWithTexts("told", entry.data);
  }
}

// Lines of a section that link to other files. The exact values are in the comment.

function showSubagent(
  section: SectionBuilder,
  subagent: SubagentLink | undefined,
  options: MarkdownEntryOptions,
): void {
  if (subagent === undefined) return;
  const { sessionID, path } = subagent;
  const name = visibleName(sessionID);
  section.line(`**Subagent**: ${path === undefined ? name : link(name, options.filePath, path)}`);
  section.note("subagent", subagent);
}

function showAttachments(
  section: SectionBuilder,
  attachments: Attachment[] | undefined,
  options: MarkdownEntryOptions,
): void {
  if (attachments === undefined) return;
  for (const attachment of attachments) section.line(attachmentLine(attachment, options.filePath));
  section.note("attachments", attachments);
}

/** `**Attachment**: [name](path) (image/png, 12,345 bytes)` */
function attachmentLine({ filename, path, url, mime, bytes, missing }: Attachment, filePath: string): string {
  const name = filename ?? path?.slice(path.lastIndexOf("/") + 1) ?? url ?? "file";
  const shown = path === undefined ? visibleLabel(name) : link(name, filePath, path);
  const facts = [visibleLabel(mime)];
  if (bytes !== undefined) facts.push(`${count(bytes)} bytes`);
  if (missing !== undefined) facts.push(`not kept: ${visibleLabel(missing)}`);
  return `**Attachment**: ${shown} (${facts.join(", ")})`;
}

export interface MarkdownHeaderOptions {
  /** Path of the file being written, relative to the transcripts folder, with forward slashes. Links are relative to it. */
  filePath: string;
}

export interface MarkdownEntryOptions extends MarkdownHeaderOptions {
  /** Path, relative to the transcripts folder, of a file with this result's full `outputFileText`, if there is one. */
  outputPath?: string;
  /** Maximum length of an inline output in UTF-16 units, if `outputPath` has the full text. Default 5,000. */
  maxInlineChars?: number;
  /**
   * The file has the call with an equal `input`, which readers give to the result. Default false: the input is in the
   * result's comment.
   */
  inputIsKnown?: boolean;
}
