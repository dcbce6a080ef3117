/** What a call changed in a file. */
import { answerText, type Said, type Turn } from "./conversation.ts";

export interface Change {
  said: Said;
  path: string;
  /** What stood there; empty for a file that is written as a whole. */
  removed: string;
  added: string;
}

const CHANGING =
  /^(?:edit|multi_?edit|write(?:_file)?|notebook_?edit|patch|apply_?patch|str_replace\w*|create(?:_file)?)$/i;
const HERE_DOCUMENT =
  /\b(?:cat|tee)\b[^\n<>|]*>>?\s*["']?([\w@./ -]+?)["']?\s*<<-?\s*(["']?)(\w+)\2|\bcat\s*<<-?\s*["']?\w+["']?\s*>>?\s*["']?([\w@./-]+)/;
/** Texts are compared by their beginnings. */
const MAX_CHARS = 16_000;

/** Undefined if it is no call that changed a file. */
export function changeOf(said: Said): Change | undefined {
  const { call } = said;
  if (call?.status !== "completed") return undefined;
  const input = fieldsOf(call.tool_input);
  if (!CHANGING.test(call.tool_name ?? "")) return writtenByShell(said, textOf(input, ["command", "cmd"]));
  const edits = Array.isArray(input["edits"]) ? input["edits"].map(fieldsOf) : [];
  const patch = linesOfPatch(textOf(input, ["patchText", "patch", "input"]));
  return {
    said,
    path: textOf(input, ["file_path", "filePath", "path", "notebook_path"]) || patch.path,
    removed: cut(
      [input, ...edits].map((each) => textOf(each, ["old_string", "oldString", "old_str"])),
      patch.removed,
    ),
    added: cut(
      [input, ...edits].map((each) => textOf(each, ["new_string", "newString", "new_str", "content", "new_source"])),
      patch.added,
    ),
  };
}

/** What a command writes into a file from a here-document. */
function writtenByShell(said: Said, command: string): Change | undefined {
  const found = HERE_DOCUMENT.exec(command.slice(0, 4 * MAX_CHARS));
  const path = found?.[1] ?? found?.[4];
  if (found === null || path === undefined) return undefined;
  return { said, path, removed: "", added: command.slice(found.index + found[0].length, found.index + MAX_CHARS) };
}

export function changesIn(said: readonly Said[]): Change[] {
  return said.flatMap((each) => changeOf(each) ?? []);
}

/** What a turn ends with after changes: it tells what was done. */
export function reportOf({ said }: Turn): Said | undefined {
  const last = said.findLast((each) => answerText(each) !== undefined && !each.message.is_sidechain);
  return last !== undefined && said.some((each) => each.at < last.at && changeOf(each) !== undefined)
    ? last
    : undefined;
}

function cut(texts: readonly string[], more: string): string {
  return [...texts, more]
    .filter((text) => text !== "")
    .join("\n")
    .slice(0, MAX_CHARS);
}

function linesOfPatch(patch: string): { path: string; removed: string; added: string } {
  const lines = patch.slice(0, 4 * MAX_CHARS).split("\n");
  const marked = (mark: string): string =>
    lines
      .filter((line) => line.startsWith(mark) && !line.startsWith(mark.repeat(3)))
      .map((line) => line.slice(1))
      .join("\n");
  const path = /^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\+\+\+ (?:b\/)?(.+)$/m.exec(patch);
  return { path: path?.[1] ?? path?.[2] ?? "", removed: marked("-"), added: marked("+") };
}

export function fieldsOf(input: unknown): Record<string, unknown> {
  return typeof input === "object" && input !== null ? { ...input } : {};
}

export function textOf(fields: Record<string, unknown>, keys: readonly string[]): string {
  for (const key of keys) {
    const value = fields[key];
    if (typeof value === "string") return value;
  }
  return "";
}
