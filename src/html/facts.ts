/** What is to be said of a session in figures, as names and values. */
import { h, type ComponentChildren } from "preact";
import type { TranscriptStats } from "../parse/model.ts";
import type { Clock } from "./clock.ts";
import { oneLine } from "./excerpt.ts";
import type { PageSession } from "./page-session.ts";
import { compact, count, counted, dollars, duration } from "./quantities.ts";

const MAX_VALUE_CHARS = 300;

/** Only what the session says; what it does not say is left out. */
export function facts(session: PageSession, clock: Clock): [name: string, value: ComponentChildren][] {
  const { metadata, stats } = session;
  const { cwd, gitBranch, firstTimestamp, sessionId } = metadata;
  const models = Object.keys(stats.models);
  const found: [string, ComponentChildren][] = [
    ["Project", path(cwd, gitBranch)],
    ["Started", firstTimestamp === null ? "" : `${clock.dateAndTime(firstTimestamp)} ${clock.zone}`],
    ["Duration", stats.duration_ms === 0 ? "" : duration(stats.duration_ms)],
    [models.length > 1 ? "Models" : "Model", oneLine(models.join(", "), MAX_VALUE_CHARS)],
    ["Messages", `${count(stats.human_messages)} from the user, ${count(stats.assistant_messages)} from the assistant`],
    ["Tool calls", calls(stats)],
    ["Tokens", tokens(stats)],
    ["Cost", cost(stats)],
    ["Thinking", withheld(stats)],
    ["Subagents", subagents(session)],
    ["Redacted", redactions(stats)],
    ["Session", sessionId === null ? "" : oneLine(sessionId, MAX_VALUE_CHARS)],
  ];
  return found.filter(([, value]) => value !== "");
}

function path(cwd: string | null, branch: string | null): string {
  const folder = oneLine(cwd ?? "", MAX_VALUE_CHARS);
  return branch === null || branch === "" ? folder : `${folder} on ${oneLine(branch, MAX_VALUE_CHARS)}`;
}

function calls(stats: TranscriptStats): ComponentChildren {
  if (stats.tool_use_count === 0) return "";
  const failed =
    stats.tool_error_count === 0 ? null : h("strong", { class: "failed" }, `${count(stats.tool_error_count)} failed`);
  const others: [number, string][] = [
    [stats.tool_rejected_count, "rejected"],
    [stats.tool_interrupted_count, "interrupted"],
    [stats.tool_pending_count, "without a result"],
  ];
  const rest = others.filter(([number]) => number > 0).map(([number, name]) => `, ${count(number)} ${name}`);
  return [count(stats.tool_use_count), failed === null ? null : ", ", failed, ...rest];
}

function tokens(stats: TranscriptStats): string {
  const read = stats.tokens_in + stats.cache_read + stats.cache_write;
  if (read + stats.tokens_out === 0) return "";
  const cached = stats.cache_read === 0 ? "" : ` (${compact(stats.cache_read)} of them from the cache)`;
  const atLeast = stats.tokens_out_is_lower_bound ? "at least " : "";
  return `${compact(read)} in${cached}, ${atLeast}${compact(stats.tokens_out)} out`;
}

function cost(stats: TranscriptStats): string {
  const unpriced = stats.unpriced_models.map((model) => oneLine(model, 80)).join(", ");
  if (stats.cost_estimate_usd === null) return unpriced === "" ? "" : `unknown: no price for ${unpriced}`;
  const atLeast = stats.tokens_out_is_lower_bound ? "at least " : "";
  const estimate = stats.cost_is_estimate ? " (estimate: some was recorded as 0, as with a subscription)" : "";
  const sum = `${atLeast}${dollars(stats.cost_estimate_usd)}${estimate}`;
  return unpriced === "" ? sum : `${sum}, without ${unpriced}, which has no known price`;
}

function withheld(stats: TranscriptStats): string {
  const all = counted(stats.thinking_blocks, "block");
  if (stats.withheld_thinking_blocks === 0) return "";
  return `${all}, ${count(stats.withheld_thinking_blocks)} of them withheld by the provider`;
}

/** The figures above are the session's own; those of its subagents, all the way down, stand here. */
function subagents({ children }: PageSession): string {
  const all = descendants(children);
  if (all.length === 0) return "";
  const costs = all.map(({ stats }) => stats.cost_estimate_usd).filter((value) => value !== null);
  const output = all.reduce((sum, { stats }) => sum + stats.tokens_out, 0);
  const about = all.some(({ stats }) => stats.cost_is_estimate) ? "~" : "";
  const sum = costs.length === 0 ? "" : `, ${about}${dollars(costs.reduce((a, b) => a + b, 0))}`;
  return `${count(all.length)}, not counted above: ${compact(output)} tokens out${sum}`;
}

function descendants(sessions: readonly PageSession[]): PageSession[] {
  return sessions.flatMap((session) => [session, ...descendants(session.children)]);
}

function redactions({ redactions }: TranscriptStats): string {
  return oneLine(
    Object.entries(redactions)
      .map(([kind, times]) => `${count(times)} ${kind}`)
      .join(", "),
    MAX_VALUE_CHARS,
  );
}
