import type { ToolResultEntry } from "../../format/entries.ts";

/** opencode's tools that change the file that `filePath` names. */
const CHANGING_TOOLS = new Set(["edit", "write", "multiedit"]);
const READING_TOOLS = new Set(["read"]);

/** The files that a successful call changed, as far as its input tells. */
export function changedFiles({ tool, input }: ToolResultEntry): string[] {
  if (CHANGING_TOOLS.has(tool)) return textIn(input, "filePath");
  return tool === "apply_patch" || tool === "patch" ? textIn(input, "patchText").flatMap(filesOfPatch) : [];
}

/** The files that a successful call read. */
export function readFiles({ tool, input }: ToolResultEntry): string[] {
  return READING_TOOLS.has(tool) ? textIn(input, "filePath") : [];
}

/** The files in a patch of the kind that begins with `*** Begin Patch`. */
function filesOfPatch(patch: string): string[] {
  const lines = patch.matchAll(/^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+?)\s*$/gm);
  return [...lines].map(([, path = ""]) => path);
}

function textIn(value: unknown, key: string): string[] {
  const text: unknown = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  return typeof text === "string" ? [text] : [];
}
