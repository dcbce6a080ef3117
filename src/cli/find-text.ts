/** What a search found, for a person to read. */
import { withoutOutputTags } from "../calls/result-texts.ts";
import { FOREIGN, type SessionRef } from "../sessions/session-ref.ts";
import type { CommandContext } from "./command.ts";
import { projectName } from "./short-paths.ts";
import type { FindRow } from "./schemas/find.ts";
import { shownSource } from "./shown-source.ts";
import { neutralBlock, neutralLine } from "../neutral-text.ts";
import { dayAndTime } from "./terminal/times.ts";
import { cut, widthOf, wrap } from "./terminal/width.ts";

const INDENT = "    ";

/** The line above the passages of a session. */
export function findHeading({ colors, columns }: CommandContext, ref: SessionRef): string {
  const project = ref.project === null ? ref.projectLabel : projectName(ref.project);
  const mark = ref.isForeign ? FOREIGN : "";
  const facts = [mark, neutralLine(ref.title ?? ""), neutralLine(project), shownSource(ref)].filter(
    (fact) => fact !== "",
  );
  const id = cut(neutralLine(ref.id), columns);
  const room = columns - widthOf(id) - 2;
  return `${colors.bold(id)}${room < 8 ? "" : `  ${colors.dim(cut(facts.join(" · "), room))}`}\n`;
}

/** A passage with its place, and the command that opens it. */
export function passageText({ colors, columns }: CommandContext, row: FindRow): string {
  const who = row.role === "tool" ? `tool ${neutralLine(row.tool_name ?? "")}`.trimEnd() : row.role;
  const more = row.match_count > row.matches.length ? `${row.match_count} matches` : "";
  const line = row.line_number === null ? "" : `line ${colors.yellow(String(row.line_number))}`;
  const side = row.block_type === "title" ? "title" : who;
  const head = ["", line, dayAndTime(row.timestamp), side, more]
    .filter((part, at) => at === 0 || part !== "")
    .join("  ");
  const passage = marked(row, (match) => colors.bold(colors.red(match)));
  // The command stays on one line, so that it can be copied: a terminal breaks it by itself.
  return `${wrap(head, columns)}\n${wrap(passage, columns, INDENT)}\n${INDENT}${colors.dim(neutralLine(row.open))}\n\n`;
}

/** The passage on one line with its matches coloured. */
function marked({ passage, matches, role }: FindRow, paint: (match: string) => string): string {
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
