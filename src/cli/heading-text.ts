/** Formats the heading of a session. */
import type { Conversation } from "../queries/read-session.ts";
import { resumeOf } from "../sessions/resume.ts";
import { FOREIGN, type SessionRef } from "../sessions/session-ref.ts";
import type { CommandContext } from "./command.ts";
import { projectName } from "./session-names.ts";
import { neutralLine } from "../neutral-text.ts";
import { counted, dayAndTime, duration } from "../quantities.ts";
import { cut } from "./terminal/width.ts";

/** Returns the title, a line of facts, how to resume the session, and an empty line. */
export function sessionHeading(
  { colors, columns }: CommandContext,
  ref: SessionRef,
  { id, metadata, stats }: Conversation,
): string {
  const title = neutralLine(metadata.title ?? ref.title ?? stats.initial_prompt ?? "");
  const project = metadata.cwd ?? ref.project;
  const facts = [
    dayAndTime(metadata.firstTimestamp),
    stats.duration_ms > 0 ? duration(stats.duration_ms) : "",
    counted(stats.total_messages, "message"),
    project === null ? "" : neutralLine(projectName(project)),
    neutralLine(id),
    ref.isForeign ? FOREIGN : "",
    ref.archived === null
      ? ""
      : `from the store${ref.archived.host === null ? "" : `, ${neutralLine(ref.archived.host)}`}`,
  ];
  const resume = resumeOf(ref, metadata.cwd);
  const hasAgent = ref.archived !== null || (ref.source !== "file" && ref.source !== "stdin");
  const resuming =
    "command" in resume
      ? // A command stays whole, so that it can be copied.
        `resume: ${neutralLine(resume.command)}`
      : cut(neutralLine(`cannot be resumed: ${resume.reason}`), columns);
  const lines = [
    colors.bold(cut(title, Math.min(columns, 100))),
    colors.dim(cut(facts.filter(Boolean).join(" · "), columns)),
    hasAgent ? colors.dim(resuming) : "",
  ];
  return `${lines.filter((line) => line !== "").join("\n")}\n\n`;
}
