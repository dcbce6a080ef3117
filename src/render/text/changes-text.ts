/** Formats what a session did to files: a diff for each. */
import { neutralBlock, neutralLine } from "../../neutral-text.ts";
import { counted } from "../../quantities.ts";
import type { FileChange, FileChanges } from "../../queries/file-changes.ts";
import { paintedDiff, type TextStyle } from "./text-style.ts";

/** Formats the changes of a file as one diff. Paths below `folder` are relative to it. */
export function fileDiffText(file: FileChanges, folder: string | null, { colors }: Pick<TextStyle, "colors">): string {
  const { path, changes } = file;
  const head =
    path === null
      ? ["Commands whose files are not known"]
      : headOf(relative(path, folder), changes.at(-1)?.kind === "deleted");
  const lines = changes.flatMap((change) => changeLines(change, path === null, folder));
  return [
    ...head.map((line) => colors.bold(neutralLine(line))),
    ...lines.map((line) => paintedDiff(neutralBlock(line), line, colors)),
  ].join("\n");
}

function headOf(path: string, isGone: boolean): string[] {
  const [before, after] = path.startsWith("/") ? [path, path] : [`a/${path}`, `b/${path}`];
  return [`--- ${before}`, `+++ ${isGone ? "/dev/null" : after}`];
}

/** Puts the call beside the places of its diff; a command is one line. */
function changeLines(change: FileChange, isUnnamed: boolean, folder: string | null): string[] {
  const { kind, diff, command, moved_to: movedTo } = change;
  const by = callText(change);
  if (kind === "command") return [isUnnamed ? `${by}: ${flat(command)}` : `@@ ${by}: ${flat(command)} @@`];
  const moved = movedTo === null ? [] : [`@@ ${by}: moved to ${relative(movedTo, folder)} @@`];
  if (diff === "") return moved.length > 0 ? moved : [`@@ ${by}${kind === "deleted" ? ": deleted" : ""} @@`];
  const lines = diff.split("\n").map((line) => {
    if (/^@@ -\d/.test(line)) return `${line} ${by}`;
    const [, of] = /^@@ ?(.*?)(?: @@)?$/.exec(line) ?? [];
    const what = of === "" && kind === "written" ? "the whole file" : of;
    return what === undefined ? line : `@@ ${by}${what === "" ? "" : `: ${what}`} @@`;
  });
  return [...moved, ...lines];
}

function callText({ line_number: line, tool_name: tool, subagent }: FileChange): string {
  const of = subagent === null ? "" : ` of ${subagent}`;
  return `[${line ?? "?"}${of}] ${tool ?? "unknown tool"}`;
}

function flat(command: string | null): string {
  return (command ?? "").replaceAll(/\s+/g, " ").trim();
}

function relative(path: string, folder: string | null): string {
  return folder !== null && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

/** Sums up: `2 files changed by 5 calls, 12 lines added, 3 removed`. */
export function changesSum(files: readonly FileChanges[]): string {
  const changes = files.flatMap((file) => file.changes);
  const lines = changes.flatMap(({ diff }) => diff.split("\n"));
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  const calls = new Set(
    changes.map(({ session_id: id, line_number: line, tool_use_id: call }) => `${id} ${line} ${call}`),
  );
  const named = files.filter(({ path }) => path !== null).length;
  return `${counted(named, "file")} changed by ${counted(calls.size, "call")}, ${counted(count("+"), "line")} added, ${count("-")} removed`;
}
