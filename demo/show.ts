/** Shows the files of the demo. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** Formats a folder as an indented tree with sizes; `remark` describes a file. */
export async function tree(folder: string, remark: (name: string) => string, indent = "  "): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const lines: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) lines.push(`${indent}${entry.name}/`, ...(await tree(path, remark, `${indent}  `)));
    else
      lines.push(
        `${`${indent}${entry.name}`.padEnd(54)}${size((await stat(path)).size)}  ${remark(entry.name)}`.trimEnd(),
      );
  }
  return lines;
}

function size(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`.padStart(9);
}

/** Formats the beginning of a markdown file without its comments, with a margin. */
export async function beginning(path: string, maxLines: number): Promise<string[]> {
  const text = (await readFile(path, "utf8")).trimEnd();
  const visible = text.replace(/^<!-- .* -->\n\n/gm, "").split("\n");
  const shown = visible.slice(0, maxLines).map((line) => `  | ${line}`.trimEnd());
  return visible.length > maxLines ? [...shown, `  | … and ${visible.length - maxLines} more lines`] : shown;
}
