/** Head of the page: figures of the session. */
import type { ComponentChildren, JSX } from "preact";
import type { ParseError, TranscriptStats } from "../../parse/model.ts";
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
  const { metadata, errors } = session;
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
        {details("closed", [<span class="name">Statistics</span>], <dl class="facts">{shown}</dl>)}
        {actions}
      </div>
      {damageList(errors)}
    </header>
  );
}

/** Renders the damaged places, folded; null if there are none. */
export function damageList(errors: readonly ParseError[]): JSX.Element | null {
  if (errors.length === 0) return null;
  const places = errors
    .slice(0, MAX_ERRORS)
    .map(({ line_number: line, reason, recovered }) => (
      <li>{`Line ${count(line)}: ${oneLine(reason, MAX_VALUE_CHARS)}${recovered ? " Nothing was lost." : ""}`}</li>
    ));
  const more = errors.length - MAX_ERRORS;
  if (more > 0) places.push(<li>{`and ${counted(more, "more place")}`}</li>);
  const name = counted(errors.length, "damaged place");
  return details("closed", [<span class="name">{name}</span>], <ul class="tasks">{places}</ul>);
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

/** Returns the figures of a session that are known, as names and values, besides those of `gistOf`. */
function facts(session: PageSession, clock: Clock): [name: string, value: string][] {
  const { metadata, stats } = session;
  const { cwd, gitBranch, firstTimestamp, sessionId } = metadata;
  const models = Object.keys(stats.models);
  const found: [string, string][] = [
    ["Project", path(cwd, gitBranch)],
    ["Started", firstTimestamp === null ? "" : `${clock.dateAndTime(firstTimestamp)} ${clock.zone}`],
    [models.length > 1 ? "Models" : "Model", oneLine(models.join(", "), MAX_VALUE_CHARS)],
    ["Messages", `${count(stats.human_messages)} from the user, ${count(stats.assistant_messages)} from the assistant`],
    ["Tokens", tokens(stats)],
    ["Cost", cost(stats)],
    ["Thinking", withheld(stats)],
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

function redactions({ redactions }: TranscriptStats): string {
  return oneLine(
    Object.entries(redactions)
      .map(([kind, times]) => `${count(times)} ${kind}`)
      .join(", "),
    MAX_VALUE_CHARS,
  );
}
