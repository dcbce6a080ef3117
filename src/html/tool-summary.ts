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
  const questions = questionsIn(input);
  if (questions.length > 0) return oneLine(questions.map(({ question }) => question).join(" / "), MAX_CHARS);
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

export interface Question {
  question: string;
  /** What could be chosen. */
  options: string[];
}

/** What a call asks the person, as `question` of opencode and `AskUserQuestion` of Claude Code do. */
export function questionsIn(input: unknown): Question[] {
  const all = fieldOf(input, "questions");
  if (!Array.isArray(all)) return [];
  return all.flatMap((each: unknown) => {
    const question = fieldOf(each, "question");
    if (typeof question !== "string") return [];
    const options = fieldOf(each, "options");
    const labels = Array.isArray(options) ? options.map((option: unknown) => fieldOf(option, "label")) : [];
    return [{ question, options: labels.filter((label) => typeof label === "string") }];
  });
}

/** What the person answered, as the result says it: `"Question"="Answer"`, or in other words. */
export function answersIn(result: string): string {
  const pairs = [...result.matchAll(/"[^"\n]*"="([^"\n]*)"/g)].map(([, answer = ""]) => answer);
  return pairs.length > 0 ? pairs.join(", ") : result;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
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
