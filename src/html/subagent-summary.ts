import { h, type JSX } from "preact";
import type { TranscriptStats } from "../parse/model.ts";
import { oneLine } from "./excerpt.ts";
import { counted, dollars, duration } from "./quantities.ts";

const MAX_TITLE_CHARS = 160;

interface SubagentSummaryProps {
  /** Its title, its prompt or its id; may be empty. */
  title: string;
  /** Null if nothing was counted for it alone. */
  stats: TranscriptStats | null;
}

/** The line that stands for a subagent's session as long as it is closed. */
export function SubagentSummary({ title, stats }: SubagentSummaryProps): JSX.Element {
  return h(
    "summary",
    null,
    h("span", { class: "tool" }, "Subagent"),
    h("span", { class: "target" }, oneLine(title, MAX_TITLE_CHARS)),
    stats === null ? null : h("span", { class: "ending" }, figures(stats)),
  );
}

function figures(stats: TranscriptStats): string {
  const parts = [counted(stats.total_messages, "message"), counted(stats.tool_use_count, "call")];
  if (stats.tool_error_count > 0) parts.push(`${stats.tool_error_count} failed`);
  if (stats.duration_ms > 0) parts.push(duration(stats.duration_ms));
  if (stats.cost_estimate_usd !== null)
    parts.push((stats.cost_is_estimate ? "~" : "") + dollars(stats.cost_estimate_usd));
  return parts.join(", ");
}
