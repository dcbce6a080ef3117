/** Describes lists in the inputs of calls: tasks, and questions to the user. */
import { fieldOf } from "./json-fields.ts";

/** Returns a line for each item of a list of tasks or questions; undefined for any other value. */
export function listItems(value: unknown): string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const items = value.flatMap((each: unknown) => itemText(each) ?? []);
  return items.length === value.length ? items : undefined;
}

function itemText(value: unknown): string | undefined {
  const [question] = questionsIn({ questions: [value] });
  if (question !== undefined)
    return question.options.length === 0 ? question.question : `${question.question} (${question.options.join(" / ")})`;
  const [content, status] = [fieldOf(value, "content"), fieldOf(value, "status")];
  if (typeof content !== "string" || typeof status !== "string") return undefined;
  return `${status === "completed" ? "☑" : "☐"} ${content}${status === "in_progress" ? " (in progress)" : ""}`;
}

/** Returns the questions of a call to `question` of opencode or `AskUserQuestion` of Claude Code. */
export function questionsIn(input: unknown): { question: string; options: string[] }[] {
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
