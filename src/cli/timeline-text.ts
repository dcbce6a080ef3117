/** The turns of a session in a table. */
import { duration } from "../html/quantities.ts";
import type { ParseResult } from "../parse/model.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import type { CommandContext } from "./command.ts";
import type { TimelineRow } from "./schemas/timeline.ts";
import { sessionHeading } from "./session-heading.ts";
import { TOKEN_COLUMNS, tokenCells } from "./stats-text.ts";
import { neutralLine } from "../neutral-text.ts";
import { table } from "./terminal/table.ts";
import { dayAndTime } from "./terminal/times.ts";
import { cut } from "./terminal/width.ts";

/** Widest list of tools in a table; on a terminal a quarter of it. */
const MAX_TOOLS_COLUMNS = 32;
/** Where lines are not limited, a prompt still is. */
const MAX_PROMPT_COLUMNS = 200;

export function timelineText(
  context: CommandContext,
  ref: SessionRef,
  result: ParseResult,
  rows: readonly TimelineRow[],
): string {
  const { colors, columns } = context;
  const cells = rows.map((row) => [
    String(row.turn),
    dayAndTime(row.timestamp),
    row.duration_ms === 0 ? "" : duration(row.duration_ms),
    ...tokenCells(row),
    cut(toolsCell(row), Math.min(MAX_TOOLS_COLUMNS, columns / 4)),
    cut(neutralLine(row.prompt ?? "(before the first prompt)"), MAX_PROMPT_COLUMNS),
  ]);
  const shown = table(
    [
      { head: "TURN", align: "right" },
      { head: "TIME", paint: colors.dim },
      { head: "TOOK", align: "right", drop: 1 },
      ...TOKEN_COLUMNS,
      { head: "TOOLS", drop: 2, paint: colors.blue },
      { head: "PROMPT", flexible: true },
    ],
    cells,
    columns,
  );
  return sessionHeading(context, ref, result) + shown;
}

function toolsCell({ tools, tool_errors: errors }: TimelineRow): string {
  const named = Object.entries(tools).toSorted(([, a], [, b]) => b - a);
  const failed = errors === 0 ? "" : `${errors} failed: `;
  return neutralLine(failed + named.map(([name, count]) => (count === 1 ? name : `${name} ${count}`)).join(", "));
}
