/** Lines of a section that link to other files. The exact facts stand in the comment. */
import type { MarkdownEntryOptions } from "./encode-options.ts";
import type { Attachment, SubagentLink } from "./entries.ts";
import type { SectionBuilder } from "./section-builder.ts";
import { groupDigits, link, visibleLabel, visibleName } from "./visible.ts";

export function showSubagent(
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

export function showAttachments(
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
  if (bytes !== undefined) facts.push(`${groupDigits(bytes)} bytes`);
  if (missing !== undefined) facts.push(`not kept: ${visibleLabel(missing)}`);
  return `**Attachment**: ${shown} (${facts.join(", ")})`;
}
