import type { ProjectLabels } from "../agent.ts";

/** Longer names of project folders are cut, and end in a hash that cannot be computed here. */
const MAX_ENCODED = 200;

/** Returns Claude Code's name for a project's folder. Several projects can share one. */
function encodedProject(folder: string): string {
  return folder.replace(/[^a-zA-Z0-9]/g, "-").slice(0, MAX_ENCODED);
}

export const claudeLabels: ProjectLabels = {
  ofFolder: (label, folder) => {
    const encoded = encodedProject(folder);
    // A root folder ends with a separator.
    const inside = /[\\/]$/.test(folder) ? encoded : `${encoded}-`;
    if (label === encoded || (encoded.length === MAX_ENCODED && label.startsWith(inside))) return "yes";
    return label.startsWith(inside) ? "maybe" : "no";
  },
  ofName: (label, name) => {
    const encoded = encodedProject(name);
    if (label === encoded) return "yes";
    return `-${label}`.endsWith(`-${encoded}`) || label.length >= MAX_ENCODED ? "maybe" : "no";
  },
};
