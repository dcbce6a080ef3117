/** Lines of a transcript that people read and the parser too, so that the comment need not repeat them. */
import { posix } from "node:path";
import { count } from "../../quantities.ts";
import { isObject } from "./entry-guards.ts";
import type { SubagentLink, TranscriptHeader } from "./entry-types.ts";
import { given } from "../../given.ts";
import { decodeInline, encodeInline, link, visibleName } from "./visible.ts";

/** `**Exit code**: 3`, for a command that failed. */
export function exitCodeLine(exitCode: number): string {
  return `**Exit code**: ${exitCode}`;
}

export function exitCodeIn(line: string): number | undefined {
  const [, code] = /^\*\*Exit code\*\*: (-?\d+)$/.exec(line) ?? [];
  return code === undefined ? undefined : Number(code);
}

/** Returns the exit code of a result in its metadata, which it has unless its section says another one. */
export function exitIn(metadata: unknown): number | undefined {
  return isObject(metadata) && typeof metadata["exit"] === "number" ? metadata["exit"] : undefined;
}

/** `**Subagent**: [ses_2](ses_1/ses_2.md)` */
export function subagentLine(subagent: SubagentLink, filePath: string): string {
  return SUBAGENT + linkTo(subagent, filePath);
}

export function subagentIn(line: string): SubagentLink | undefined {
  return line.startsWith(SUBAGENT) ? linkedSession(line.slice(SUBAGENT.length)) : undefined;
}

const SUBAGENT = "**Subagent**: ";

function linkTo({ sessionID, path }: SubagentLink, filePath: string): string {
  const name = visibleName(sessionID);
  return path === undefined ? name : link(name, filePath, path);
}

function linkedSession(shown: string): SubagentLink | undefined {
  const [, name, url, alone] = /^(?:\[([\w.:/@+=-]+)\]\((\S+)\)|([\w.:/@+=-]+))$/.exec(shown) ?? [];
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

/** Fields of a header with a line of their own, and their labels. */
const HEADER_LINES = [
  ["title", "Title"],
  ["created", "Started"],
  ["directory", "Directory"],
  ["host", "Host"],
  ["recorder", "Recorder"],
] as const;

/** Returns the list at the beginning of a transcript. */
export function headerLines(header: TranscriptHeader, filePath: string): string[] {
  const lines = HEADER_LINES.flatMap(([field, label]) => {
    const value = header[field];
    return value === undefined ? [] : [`- **${label}**: ${encodeInline(value)}`];
  });
  const { parentID, parentPath } = header;
  if (parentID === undefined) return lines;
  return [...lines, `- **Parent**: ${linkTo({ sessionID: parentID, ...given({ path: parentPath }) }, filePath)}`];
}

/** Returns the fields of a header that its title and its list show. */
export function headerFieldsIn(text: string): Partial<TranscriptHeader> {
  const fields: Partial<TranscriptHeader> = {};
  for (const line of text.split(/\r?\n/)) {
    const [, sessionID] = /^# Transcript: (\S.*)$/.exec(line) ?? [];
    if (sessionID !== undefined) fields.sessionID = sessionID;
    const [, label, shown = ""] = /^- \*\*(\w+)\*\*: (.*)$/.exec(line) ?? [];
    const [field] = HEADER_LINES.find((each) => each[1] === label) ?? [];
    const value = field === undefined ? undefined : decodeInline(shown);
    if (field !== undefined && value !== undefined) fields[field] = value;
    if (label === "Parent") Object.assign(fields, parentIn(shown));
  }
  return fields;
}

function parentIn(shown: string): Partial<TranscriptHeader> {
  const { sessionID, path } = linkedSession(shown) ?? {};
  return {
    ...(sessionID === undefined ? {} : { parentID: sessionID }),
    ...(path === undefined ? {} : { parentPath: path }),
  };
}
