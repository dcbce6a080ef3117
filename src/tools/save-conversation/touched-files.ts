import type { ToolResultEntry } from "../../format/entries.ts";
import { textOf } from "./fields.ts";

/** opencode's tools that change the file that `filePath` names. */
const CHANGING_TOOLS = new Set(["edit", "write", "multiedit"]);
const PATCHING_TOOLS = new Set(["apply_patch", "patch"]);
const READING_TOOLS = new Set(["read"]);

/** The files that a successful call changed, as far as its input tells. */
export function changedFiles({ tool, input }: ToolResultEntry): string[] {
  if (CHANGING_TOOLS.has(tool)) return listed(textOf(input, "filePath"));
  return PATCHING_TOOLS.has(tool) ? filesOfPatch(textOf(input, "patchText") ?? "") : [];
}

/** The files that a successful call read. */
export function readFiles({ tool, input }: ToolResultEntry): string[] {
  return READING_TOOLS.has(tool) ? listed(textOf(input, "filePath")) : [];
}

/** The files in a patch of the kind that begins with `*** Begin Patch`. */
function filesOfPatch(patch: string): string[] {
  const lines = patch.matchAll(/^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+?)\s*$/gm);
  return [...lines].map(([, path = ""]) => path);
}

function listed(path: string | undefined): string[] {
  return path === undefined ? [] : [path];
}
