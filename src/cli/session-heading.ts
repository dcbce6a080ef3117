/** The lines above a session's text: which one it is. */
import type { ParseResult } from "../parse/model.ts";
import { FOREIGN, type SessionRef } from "../sessions/session-ref.ts";
import type { CommandContext } from "./command.ts";
import { projectName } from "./short-paths.ts";
import { idOf } from "./session-input.ts";
import { neutralLine } from "../neutral-text.ts";
import { dayAndTime } from "./terminal/times.ts";
import { cut } from "./terminal/width.ts";
import { count, duration } from "../html/quantities.ts";

/** Its title, then a line of facts, then an empty line. */
export function sessionHeading({ colors, columns }: CommandContext, ref: SessionRef, result: ParseResult): string {
  const { metadata, stats } = result;
  const title = neutralLine(metadata.title ?? ref.title ?? stats.initial_prompt ?? "");
  const project = metadata.cwd ?? ref.project;
  const facts = [
    dayAndTime(metadata.firstTimestamp),
    stats.duration_ms > 0 ? duration(stats.duration_ms) : "",
    `${count(stats.total_messages)} messages`,
    project === null ? "" : neutralLine(projectName(project)),
    neutralLine(idOf(ref, result)),
    ref.isForeign ? FOREIGN : "",
  ];
  const lines = [
    colors.bold(cut(title, Math.min(columns, 100))),
    colors.dim(cut(facts.filter(Boolean).join(" · "), columns)),
  ];
  return `${lines.filter((line) => line !== "").join("\n")}\n\n`;
}
