/** The line that stands for a call as long as it is closed. */
import { isPatch, patchedFiles } from "./diff-view.ts";
import { oneLine } from "./excerpt.ts";

const MAX_CHARS = 200;

/** Fields that say what a call is about, the most telling first. */
const TELLING = [
  "command",
  "cmd",
  "file_path",
  "filePath",
  "notebook_path",
  "pattern",
  "query",
  "path",
  "url",
  "description",
  "skill",
  "name",
  "title",
  "subject",
  "prompt",
];

/** What a call is about, on one line; empty if nothing in its input says. Paths below `cwd` are given from there. */
export function callTarget(input: unknown, cwd: string | null): string {
  if (typeof input === "string") return oneLine(input, MAX_CHARS);
  if (typeof input !== "object" || input === null) return "";
  const fields = new Map<string, unknown>(Object.entries(input));
  for (const name of TELLING) {
    const text = textOf(fields.get(name));
    if (text !== "") return oneLine(withoutFolder(text, cwd), MAX_CHARS);
  }
  for (const value of fields.values()) {
    if (typeof value === "string" && isPatch(value)) {
      return oneLine(
        patchedFiles(value)
          .map((name) => withoutFolder(name, cwd))
          .join(", "),
        MAX_CHARS,
      );
    }
  }
  const [only] = fields.values();
  return fields.size === 1 ? oneLine(textOf(only), MAX_CHARS) : "";
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const isWords = Array.isArray(value) && value.every((word) => typeof word === "string");
  return isWords ? value.join(" ") : "";
}

function withoutFolder(text: string, cwd: string | null): string {
  if (cwd === null || cwd.length < 2 || !text.startsWith(cwd)) return text;
  const rest = text.slice(cwd.length);
  return /^[/\\]./.test(rest) ? rest.slice(1) : text;
}
