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
import { dataIn } from "./told-by-text.ts";
import { isObject } from "./entry-guards.ts";
import { encodeHeaderComment } from "./comments.ts";
import { fencedJson } from "./json-text.ts";
import { SectionBuilder } from "./section-builder.ts";
import { SECTION_END, TITLE_START } from "./sections.ts";
import {
  exitCodeIn,
  exitCodeLine,
  exitIn,
  fullOutputIn,
  fullOutputLine,
  headerFieldsIn,
  headerLines,
  subagentIn,
  subagentLine,
} from "./shown-lines.ts";
import { link, visibleName, visibleLabel } from "./visible.ts";
import { cutOutput, needsEscapes, outputText } from "./output-text.ts";

/** Returns the header of a new file. */
export function encodeMarkdownHeader(header: TranscriptHeader, { filePath }: MarkdownHeaderOptions): string {
  const title = TITLE_START + visibleName(header.sessionID);
  const list = headerLines(header, filePath).join("\n");
  const shown = new Map<string, unknown>(Object.entries(headerFieldsIn(`${title}\n${list}`)));
  const hidden = Object.entries(header).filter(([name, value]) => shown.get(name) !== value);
  const blocks = [title, list, encodeHeaderComment(Object.fromEntries(hidden))];
  return blocks.filter((block) => block !== "").join("\n\n") + SECTION_END;
}

/** Returns an entry as a section. A header followed by sections in order is a transcript. */
export function encodeMarkdownEntry(entry: TranscriptEntry, options: MarkdownEntryOptions): string {
  const section = new SectionBuilder(entry);
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
  section.fence(fencedJson(entry.input), "json");
  showSubagent(section, entry.subagent, options);
  section.notes(entry, "unfinished", "continues");
}

function addToolResult(section: SectionBuilder, entry: ToolResultEntry, options: MarkdownEntryOptions): void {
  section.callID(entry.callID);
  if (entry.title !== undefined) section.title(entry.title);
  showStatus(section, entry);
  section.note("unfinished", entry.unfinished);
  showSubagent(section, entry.subagent, options);
  section.line("### Output");
  showOutput(section, entry.output, options);
  section.note("outputMissing", entry.outputMissing);
  showAttachments(section, entry.attachments, options);
  noteInputAndMetadata(section, entry, options);
  section.note("continues", entry.continues);
}

/** Shows what the heading does not say of the end of a call. An exit code is shown if the host reported no failure. */
function showStatus(section: SectionBuilder, entry: ToolResultEntry): void {
  const { status, continues, hostStatus, exitCode } = entry;
  const isInHeading = continues === undefined && (status === "completed" || status === "error");
  if (status === undefined) section.note("status", null);
  else if (!isInHeading) section.line(`**Status**: ${status}`);
  const isShown = exitCode !== undefined && exitCode !== 0 && exitCodeIn(exitCodeLine(exitCode)) === exitCode;
  if (isShown) section.line(exitCodeLine(exitCode));
  else if (exitCode !== exitIn(entry.metadata)) section.note("exitCode", exitCode ?? null);
  if (!isShown) section.note("hostStatus", hostStatus);
  else if (hostStatus === undefined) section.note("hostStatus", null);
}

function noteInputAndMetadata(section: SectionBuilder, entry: ToolResultEntry, options: MarkdownEntryOptions): void {
  if (typeof entry.output === "string") section.texts.add("output", entry.output);
  if (entry.title !== undefined) section.texts.add("title", entry.title);
  if (options.inputIsKnown !== true) section.noteWithTexts("input", entry.input);
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
    if (isText) section.output(text);
    else section.fence(fencedJson(output), "json");
    return;
  }
  section.beginningOfOutput(cutOutput(text, maxInlineChars), isText ? "" : "json");
  const line = fullOutputLine(outputPath, text.length, options.filePath);
  section.line(line);
  if (!isDeepStrictEqual(fullOutputIn(line), { path: outputPath, chars: text.length })) {
    section.note("outputPath", outputPath);
    section.note("outputChars", text.length);
  }
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
  if (entry.text !== undefined) {
    const told = dataIn(entry.name, entry.text);
    const isWholeUsage = entry.name === "usage" && isDeepStrictEqual(told, entry.data);
    if (isWholeUsage && section.usage(entry.text)) return;
    section.content(entry.text);
    if (told !== undefined && entry.data === undefined) return section.note("noData", true);
    if (told !== undefined && isDeepStrictEqual(told, entry.data)) return;
  }
  if (entry.data !== undefined && (entry.text === undefined || !TOLD_BY_TEXT.has(entry.name))) {
    section.line("### Data");
    section.fence(fencedJson(entry.data), "json");
  } else {
    section.noteWithTexts("told", entry.data);
  }
}

// Lines of a section that link to other files.

function showSubagent(
  section: SectionBuilder,
  subagent: SubagentLink | undefined,
  options: MarkdownEntryOptions,
): void {
  if (subagent === undefined) return;
  const line = subagentLine(subagent, options.filePath);
  section.line(line);
  if (!isDeepStrictEqual(subagentIn(line), subagent)) section.note("subagent", subagent);
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
