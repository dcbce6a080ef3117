/** Sections of tool calls and their results. */
import type { MarkdownEntryOptions } from "./encode-options.ts";
import type { ToolResultEntry, ToolUseEntry } from "./entries.ts";
import { fencedJson } from "./json-text.ts";
import { showAttachments, showSubagent } from "./linked-lines.ts";
import { cutOutput, needsEscapes, outputText } from "./output-text.ts";
import { TextReferences } from "./references.ts";
import type { SectionBuilder } from "./section-builder.ts";
import { REPLACEMENT_NAMES } from "./sections.ts";
import { groupDigits, link } from "./visible.ts";

const DEFAULT_MAX_INLINE_CHARS = 5000;

export function toolUseSection(section: SectionBuilder, entry: ToolUseEntry, options: MarkdownEntryOptions): string {
  section.callID(entry.callID);
  section.line("### Input");
  section.fence("input", fencedJson(entry.input), "json");
  showSubagent(section, entry.subagent, options);
  section.note("unfinished", entry.unfinished);
  return sectionOf(section, entry, "Tool Use");
}

export function toolResultSection(
  section: SectionBuilder,
  entry: ToolResultEntry,
  options: MarkdownEntryOptions,
): string {
  section.callID(entry.callID);
  if (entry.title !== undefined) section.title(entry.title);
  section.note("status", entry.status);
  section.note("hostStatus", entry.hostStatus);
  section.note("exitCode", entry.exitCode);
  section.note("unfinished", entry.unfinished);
  if (entry.status !== undefined && (entry.status === "interrupted" || entry.continues !== undefined)) {
    section.line(`**Status**: ${entry.status}`);
  }
  if (entry.exitCode !== undefined && entry.exitCode !== 0) section.line(`**Exit code**: ${entry.exitCode}`);
  showSubagent(section, entry.subagent, options);
  section.line("### Output");
  showOutput(section, entry.output, options);
  section.note("outputMissing", entry.outputMissing);
  showAttachments(section, entry.attachments, options);
  noteInputAndMetadata(section, entry, options);
  const failed = entry.status === "error" || entry.status === "interrupted";
  return sectionOf(section, entry, failed ? "Tool Error" : "Tool Result");
}

function sectionOf(section: SectionBuilder, { type, tool, continues }: ToolUseEntry | ToolResultEntry, kind: string) {
  if (continues === undefined) return section.toMarkdown(kind, { field: "tool", value: tool });
  section.note("continues", continues);
  section.note("tool", tool);
  return section.toMarkdown("Session Event", { field: "name", value: REPLACEMENT_NAMES[type] });
}

function noteInputAndMetadata(section: SectionBuilder, entry: ToolResultEntry, options: MarkdownEntryOptions): void {
  const texts = new TextReferences();
  if (typeof entry.output === "string") texts.add("output", entry.output);
  if (entry.title !== undefined) texts.add("title", entry.title);
  if (options.inputIsKnown === true && entry.continues === undefined) section.note("sameInput", true);
  else section.noteWithTexts("input", entry.input, texts);
  section.noteWithTexts("metadata", entry.metadata, texts, {
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
  const size = `${groupDigits(text.length)} characters`;
  section.line(`**Full output**: ${link(name, options.filePath, outputPath)} (${size})`);
  section.note("outputPath", outputPath);
  section.note("outputChars", text.length);
  if (needsEscapes(text)) section.note("outputEscaped", true);
}
