import { structuredPatch } from "diff";
import { h, type JSX } from "preact";

/** Above this many changed lines, finding the shortest list of changes takes too long. */
const MAX_CHANGED_LINES = 1_000;
const CONTEXT_LINES = 3;

/** What an edit changes, line by line. */
export function DiffView({ before, after }: { before: string; after: string }): JSX.Element {
  return h("pre", { class: "diff" }, ...changes(before, after).map((line, index) => lineView(line, index)));
}

/** A patch that a tool was given, as it stands. */
export function PatchView({ text }: { text: string }): JSX.Element {
  return h("pre", { class: "diff" }, ...text.split("\n").map((line, index) => lineView(line, index)));
}

/** Whether a text is a patch: of `diff`, of git, or in the form that some models were taught. */
export function isPatch(text: string): boolean {
  return /^(?:\*\*\* Begin Patch|diff --git |--- .*\n\+\+\+ )/.test(text);
}

/** The files that a patch changes. */
export function patchedFiles(patch: string): string[] {
  const names = patch.matchAll(/^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ (?:b\/)?)(.+)$/gm);
  return Array.from(names, ([, name = ""]) => name.trim());
}

/** Lines that begin with `+`, `-` or a space; `@` between parts that are apart. */
function changes(before: string, after: string): string[] {
  const patch = structuredPatch("", "", before, after, "", "", {
    context: CONTEXT_LINES,
    maxEditLength: MAX_CHANGED_LINES,
  });
  if (patch === undefined) return [...marked(before, "-"), ...marked(after, "+")];
  return patch.hunks.flatMap((hunk, index) => [
    ...(index === 0 ? [] : ["@"]),
    // "\ No newline at end of file" says nothing of a piece of a file.
    ...hunk.lines.filter((line) => !line.startsWith("\\")),
  ]);
}

function marked(text: string, sign: string): string[] {
  return text === "" ? [] : text.split("\n").map((line) => sign + line);
}

function lineView(line: string, key: number): JSX.Element {
  if (line.startsWith("+")) return h("ins", { key }, `${line}\n`);
  if (line.startsWith("-")) return h("del", { key }, `${line}\n`);
  return h("span", { key }, line === "@" ? "⋯\n" : `${line}\n`);
}
