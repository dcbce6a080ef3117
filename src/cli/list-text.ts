/** Sessions in a table. */
import { compact, dollars, duration } from "../html/quantities.ts";
import { FOREIGN } from "../sessions/session-ref.ts";
import type { CommandContext } from "./command.ts";
import { projectName } from "./short-paths.ts";
import type { ListRow } from "./schemas/list.ts";
import { shortIds } from "./short-ids.ts";
import { neutralLine } from "../neutral-text.ts";
import { table } from "./terminal/table.ts";
import { dayAndTime } from "./terminal/times.ts";
import { cut } from "./terminal/width.ts";

/** Where lines are not limited, titles still are. */
const MAX_TITLE_COLUMNS = 120;

/** `allIds`: of all sessions that there are, so that those shown are short and still mean one. */
export function listText(
  { colors, columns }: CommandContext,
  rows: readonly ListRow[],
  allIds: readonly string[],
): string {
  const ids = shortIds(allIds);
  const cells = rows.map((row) => [
    dayAndTime(row.problem === null ? row.ended : row.modified),
    neutralLine(ids.get(row.session_id) ?? row.session_id),
    String(row.turns),
    row.duration_ms === 0 ? "" : duration(row.duration_ms),
    row.cost_usd === null ? "?" : (row.cost_is_estimate ? "~" : "") + dollars(row.cost_usd),
    compact(row.tokens_out),
    row.source,
    cut(neutralLine(projectName(row.project ?? "")), 20),
    cut(
      (row.is_foreign ? `(${FOREIGN}) ` : "") +
        neutralLine(row.problem === null ? (row.title ?? row.prompt ?? "") : `(not read: ${row.problem})`),
      MAX_TITLE_COLUMNS,
    ),
  ]);
  return table(
    [
      { head: "TIME", paint: colors.dim },
      { head: "SESSION", paint: colors.yellow },
      { head: "TURNS", align: "right", drop: 2 },
      { head: "TOOK", align: "right", drop: 3 },
      { head: "COST", align: "right", drop: 1 },
      { head: "OUT", align: "right", drop: 6 },
      { head: "SOURCE", drop: 4 },
      { head: "PROJECT", drop: 5, paint: colors.blue },
      { head: "TITLE", flexible: true },
    ],
    cells,
    columns,
  );
}
