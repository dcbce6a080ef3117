/** Headers and entries as sections of a markdown transcript. Pure; docs/format.md describes what is written. */
import type { MarkdownEntryOptions, MarkdownHeaderOptions } from "./encode-options.ts";
import type { TranscriptEntry, TranscriptHeader } from "./entries.ts";
import { commentJson } from "./json-text.ts";
import { specialKey } from "./keys.ts";
import { assistantSection, eventSection, userSection } from "./message-sections.ts";
import { SectionBuilder } from "./section-builder.ts";
import { COMMENT_END, HEADER_COMMENT, MARKDOWN_FORMAT, SECTION_END, TITLE_START } from "./sections.ts";
import { toolResultSection, toolUseSection } from "./tool-sections.ts";
import { encodeInline, link, visibleName } from "./visible.ts";

/** The head of a new file. */
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

/** One entry as a section. Sections in order after a header are a transcript. */
export function encodeMarkdownEntry(entry: TranscriptEntry, options: MarkdownEntryOptions): string {
  const section = new SectionBuilder(entry);
  section.note("key", specialKey(entry));
  switch (entry.type) {
    case "user":
      return userSection(section, entry, options);
    case "assistant":
      return assistantSection(section, entry, "Assistant Message");
    case "reasoning":
      return assistantSection(section, entry, "Reasoning");
    case "tool_use":
      return toolUseSection(section, entry, options);
    case "tool_result":
      return toolResultSection(section, entry, options);
    case "session_event":
      return eventSection(section, entry);
  }
}
