/** Lines of a transcript that people read and the parser too, so that the comment need not repeat them. */
import { posix } from "node:path";
import { count } from "../../quantities.ts";
import type { SubagentLink, TranscriptHeader } from "./entry-types.ts";
import { isObject } from "./entry-guards.ts";
import { decodeInline, encodeInline, link, visibleName } from "./visible.ts";

/** `**Exit code**: 3`, for a command that failed. */
export function exitCodeLine(exitCode: number): string {
  return `**Exit code**: ${exitCode}`;
}

export function exitCodeIn(line: string): number | undefined {
  const [, code] = /^\*\*Exit code\*\*: (-?\d+)$/.exec(line) ?? [];
  return code === undefined ? undefined : Number(code);
}

/** Returns the exit code in the metadata of a result, which need not be said twice. */
export function exitOf(metadata: unknown): number | undefined {
  return isObject(metadata) && typeof metadata["exit"] === "number" ? metadata["exit"] : undefined;
}

/** `**Subagent**: [ses_2](ses_1/ses_2.md)` */
export function subagentLine({ sessionID, path }: SubagentLink, filePath: string): string {
  const name = visibleName(sessionID);
  return `**Subagent**: ${path === undefined ? name : link(name, filePath, path)}`;
}

export function subagentIn(line: string): SubagentLink | undefined {
  const [, name, url, alone] = /^\*\*Subagent\*\*: (?:\[([\w.:/@+=-]+)\]\((\S+)\)|([\w.:/@+=-]+))$/.exec(line) ?? [];
  if (alone !== undefined) return { sessionID: alone };
  const path = url === undefined ? undefined : pathIn(url);
  return name === undefined || path === undefined ? undefined : { sessionID: name, path };
}

/** `**Full output**: [call_1.txt](ses_1/outputs/call_1.txt) (10,292 characters)` */
export function fullOutputLine(path: string, chars: number, filePath: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return `**Full output**: ${link(name, filePath, path)} (${count(chars)} characters)`;
}

export function fullOutputIn(line: string): { path: string; chars: number } | undefined {
  const [, url, chars] = /^\*\*Full output\*\*: \[.*\]\((\S+)\) \(([\d,]+) characters\)$/.exec(line) ?? [];
  const path = url === undefined ? undefined : pathIn(url);
  return path === undefined || chars === undefined ? undefined : { path, chars: Number(chars.replaceAll(",", "")) };
}

/** Returns the path that a link leads to, for a file in the transcripts folder or in a folder there. */
function pathIn(url: string): string | undefined {
  try {
    return posix.normalize(decodeURIComponent(url)).replace(/^\.\.\//, "");
  } catch {
    return undefined;
  }
}

/** Returns the list at the beginning of a transcript. */
export function headerLines(header: TranscriptHeader, filePath: string): string[] {
  const { title, created, directory, parentID, parentPath } = header;
  const lines: string[] = [];
  if (title !== undefined) lines.push(`- **Title**: ${encodeInline(title)}`);
  if (created !== undefined) lines.push(`- **Started**: ${encodeInline(created)}`);
  if (directory !== undefined) lines.push(`- **Directory**: ${encodeInline(directory)}`);
  if (parentID !== undefined) {
    const name = visibleName(parentID);
    lines.push(`- **Parent**: ${parentPath === undefined ? name : link(name, filePath, parentPath)}`);
  }
  return lines;
}

/** Returns the fields of a header that its title and its list show. */
export function headerFieldsIn(text: string): Partial<TranscriptHeader> {
  const fields: Partial<TranscriptHeader> = {};
  for (const line of text.split(/\r?\n/)) {
    const [, sessionID] = /^# Transcript: (\S.*)$/.exec(line) ?? [];
    if (sessionID !== undefined) fields.sessionID = sessionID;
    const [, name, shown = ""] = /^- \*\*(Title|Started|Directory|Parent)\*\*: (.*)$/.exec(line) ?? [];
    const value = name === undefined ? undefined : decodeInline(shown);
    if (value === undefined) continue;
    if (name === "Title") fields.title = value;
    if (name === "Started") fields.created = value;
    if (name === "Directory") fields.directory = value;
    if (name === "Parent") Object.assign(fields, parentIn(shown));
  }
  return fields;
}

function parentIn(shown: string): Partial<TranscriptHeader> {
  const { sessionID, path } = subagentIn(`**Subagent**: ${shown}`) ?? {};
  return {
    ...(sessionID === undefined ? {} : { parentID: sessionID }),
    ...(path === undefined ? {} : { parentPath: path }),
  };
}
