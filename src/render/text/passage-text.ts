/** Formats passages that a search found, and says how they match. */
import { withoutOutputTags } from "../../calls/result-texts.ts";
import { neutralBlock, neutralLine } from "../../neutral-text.ts";
import type { Found } from "../../queries/find-passages.ts";
import type { TextStyle } from "./text-style.ts";

export interface ShownPassage {
  /** Null or 0 for a title that is on no line. */
  line_number: number | null;
  role: string;
  block_type: string;
  tool_name: string | null;
  passage: string;
  matches: readonly (readonly [start: number, end: number])[];
  match_count: number;
  superseded: boolean;
  /** For a call with the file that was looked for: it changed it. */
  changes_file?: boolean | null;
  /** Words that it lacks. */
  missing?: readonly string[];
}

/** Formats a passage. `facts` are put beside its line: the time, and where it is from. */
export function passageText(row: ShownPassage, facts: readonly string[], { colors }: TextStyle): string {
  const { line_number: line, match_count: count, missing = [] } = row;
  const marks = [
    row.changes_file === true ? "changed" : "",
    ...facts,
    row.superseded ? "superseded" : "",
    count > 1 ? `${count} matches` : "",
    missing.length === 0 ? "" : `without ${missing.map((word) => JSON.stringify(word)).join(" and ")}`,
  ];
  const shown = [sideOf(row), ...marks].filter((fact) => fact !== "").map((fact) => neutralLine(fact));
  const head = `[${colors.yellow(line === 0 || line === null ? "-" : String(line))}] ${shown.join(", ")}`;
  return `${head}: ${marked(row, (match) => colors.bold(colors.red(match)))}`;
}

function sideOf({ role, block_type: type, tool_name: tool }: ShownPassage): string {
  if (type === "thinking" || type === "title") return type;
  return role === "tool" ? `${type === "tool_use" ? "call" : "result"} ${tool ?? ""}`.trimEnd() : role;
}

/** Returns the passage on one line with its matches painted. */
function marked({ passage, matches, role }: ShownPassage, paint: (match: string) => string): string {
  const own = (text: string): string => (role === "system" ? withoutOutputTags(text) : text);
  const line = (text: string): string => neutralBlock(own(text)).replaceAll(/[\n\t]/g, " ");
  let shown = "";
  let done = 0;
  for (const [start, end] of matches) {
    shown += line(passage.slice(done, start)) + paint(line(passage.slice(start, end)));
    done = end;
  }
  return shown + line(passage.slice(done));
}

/** Returns a sentence if no passage has the words as they were typed; otherwise nothing. */
export function matchText(
  passages: readonly { missing: readonly string[] }[],
  { phrases }: Pick<Found["result"], "phrases">,
): string {
  if (phrases > 0 || passages.length === 0) return "";
  return passages.some(({ missing }) => missing.length === 0)
    ? "No passage has the phrase; these have all the words."
    : "No passage has all the words; these have most of them.";
}

/** Returns a suggestion for a search that found nothing. */
export function nothingFoundText({ absent, present }: Found["words"]): string {
  if (absent.length > 0 && present.length > 0)
    return `No passage has ${absent.join(" or ")}. Try the rest: ${present.join(" ")}.`;
  return present.length > 0
    ? "Each word is found, but never together with the others: try fewer words."
    : "Try another word, or the beginning of one.";
}
