/** Head of the page: figures of the session. */
import type { ComponentChildren, JSX } from "preact";
import type { ModelStats, ParseError, ToolStats, TranscriptStats } from "../../parse/model.ts";
import type { Clock } from "./view.ts";
import { oneLine } from "../../neutral-text.ts";
import type { PageSession } from "./outline.ts";
import { details } from "./page-texts.tsx";
import { FailedCount, type TurnRow } from "./turn-list.tsx";
import { compact, count, counted, dollars, duration } from "../../quantities.ts";

const MAX_TITLE_CHARS = 160;
const MAX_PROMPT_CHARS = 90;
const MAX_VALUE_CHARS = 300;
const MAX_ERRORS = 200;

export function titleOf({ stats, metadata }: PageSession): string {
  const given = oneLine(metadata.title ?? "", MAX_TITLE_CHARS);
  const prompt = oneLine(stats.initial_prompt ?? "", MAX_PROMPT_CHARS);
  return given || prompt || oneLine(metadata.sessionId ?? "", MAX_TITLE_CHARS) || "Session";
}

interface OverviewParts {
  turns: readonly TurnRow[];
  /** What is known about the session from elsewhere, instead of its folder. */
  about?: ComponentChildren;
  /** Links and forms beside the figures. */
  actions?: ComponentChildren;
}

/** Renders the head of the page. */
export function overview(session: PageSession, clock: Clock, { turns, about, actions }: OverviewParts): JSX.Element {
  const { stats, metadata, errors } = session;
  const shown = facts(session, clock).map(([name, value]) => (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  ));
  return (
    <header class="overview">
      <h1 dir="auto">{titleOf(session)}</h1>
      <p class="gist">
        {about ?? <span>{path(metadata.cwd, metadata.gitBranch)}</span>}
        {gistOf(session, clock, turns).map((part) => (
          <span>{part}</span>
        ))}
      </p>
      <div class="actions">
        {details(
          "closed",
          [<span class="name">Statistics</span>],
          <dl class="facts">{shown}</dl>,
          <div class="tables">
            {modelsTable(stats.models)}
            {toolsTable(stats.tools)}
          </div>,
        )}
        {actions}
      </div>
      {damageTable(errors)}
    </header>
  );
}

function modelsTable(models: Record<string, ModelStats>): JSX.Element | null {
  const rows = Object.entries(models).map(([name, stats]) => [
    oneLine(name, 80),
    count(stats.messages),
    count(stats.tokens_in),
    count(stats.cache_read),
    count(stats.cache_write),
    count(stats.tokens_out),
    stats.cost_usd === null ? "unknown" : (stats.cost_is_estimate ? "~" : "") + dollars(stats.cost_usd),
  ]);
  return figuresTable("Tokens by model", ["Model", "Messages", "In", "Cache read", "Cache write", "Out", "Cost"], rows);
}

function toolsTable(tools: Record<string, ToolStats>): JSX.Element | null {
  const byUse = Object.entries(tools).toSorted(([, a], [, b]) => b.calls - a.calls);
  const rows = byUse.map(([name, { calls, errors }]) => [oneLine(name, 80), count(calls), count(errors)]);
  return figuresTable("Calls by tool", ["Tool", "Calls", "Failed"], rows);
}

export function damageTable(errors: readonly ParseError[]): JSX.Element | null {
  const rows = errors
    .slice(0, MAX_ERRORS)
    .map((error) => [
      count(error.line_number),
      `${oneLine(error.reason, MAX_VALUE_CHARS)}${error.recovered ? " Nothing was lost." : ""}`,
    ]);
  if (errors.length > MAX_ERRORS) rows.push(["", `and ${counted(errors.length - MAX_ERRORS, "more place")}`]);
  return figuresTable(counted(errors.length, "damaged place"), ["Line", "What is wrong"], rows);
}

/** Renders a collapsed table; null if it has no rows. */
function figuresTable(name: string, head: readonly string[], rows: readonly (readonly string[])[]): JSX.Element | null {
  if (rows.length === 0) return null;
  const cells = (row: readonly string[]): JSX.Element[] =>
    row.map((cell, index) => (index === 0 ? <th scope="row">{cell}</th> : <td>{cell}</td>));
  const top = (
    <tr>
      {head.map((cell) => (
        <th scope="col">{cell}</th>
      ))}
    </tr>
  );
  const body = rows.map((row) => <tr>{cells(row)}</tr>);
  const table = (
    <table class="figures">
      <thead>{top}</thead>
      <tbody>{body}</tbody>
    </table>
  );
  return details("closed", [<span class="name">{name}</span>], <div class="scroll">{table}</div>);
}

/** Returns what says most about a session. */
function gistOf({ metadata, stats }: PageSession, clock: Clock, turns: readonly TurnRow[]): ComponentChildren[] {
  const first = turns.find(({ failure }) => failure !== null)?.failure ?? null;
  const { firstTimestamp: start } = metadata;
  const { cost_estimate_usd: sum, cost_is_estimate: isEstimate, tokens_out_is_lower_bound: isLowerBound } = stats;
  const costText = sum === null ? "" : `${isLowerBound ? "at least " : ""}${isEstimate ? "about " : ""}${dollars(sum)}`;
  return [
    start === null ? "" : clock.dateAndTime(start),
    stats.duration_ms === 0 ? "" : duration(stats.duration_ms),
    stats.tool_use_count === 0 ? "" : counted(stats.tool_use_count, "call"),
    stats.tool_error_count === 0 ? "" : <FailedCount count={stats.tool_error_count} first={first} />,
    costText,
  ].filter((part) => part !== "");
}

/** Returns the figures of a session that are known, as names and values. */
function facts(session: PageSession, clock: Clock): [name: string, value: ComponentChildren][] {
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
    ["Origin", oneLine(session.origin ?? "", MAX_VALUE_CHARS)],
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
    stats.tool_error_count === 0 ? null : <strong class="failed">{`${count(stats.tool_error_count)} failed`}</strong>;
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

/** Returns the figures of the session's subagents at any depth, as those above are its own. */
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
