/** Cost and tokens by day, project, model and agent, and how often tools failed. Drawn here, so that no script is needed. */
import { scaleBand, scaleLinear, scaleThreshold } from "d3-scale";
import { utcDay, utcMonth, utcSunday } from "d3-time";
import type { ComponentChildren, JSX } from "preact";
import { oneLine } from "../../../neutral-text.ts";
import { compact, count, counted, dollars, duration } from "../../../quantities.ts";
import type { UsageRow, UsageTotals } from "../../../parse/usage-ledger.ts";
import type { StatsSums } from "../../../queries/added-up.ts";
import { type Filters, sessionsAddress } from "./addresses.ts";
import { filterOptions, Frame, type Place } from "./frame.tsx";
import { lastPart } from "./sessions-page.tsx";

export interface FiguresData {
  /** By day. */
  sums: StatsSums;
  /** The last day shown, `2026-01-31`. */
  today: string;
  projects: readonly UsageRow[];
  models: readonly UsageRow[];
  agents: readonly UsageRow[];
}

/** Sums of the days on which something was said. */
type Days = ReadonlyMap<string, UsageTotals>;

/** Days of the bar charts. */
const RECENT_DAYS = 60;
const MAX_ROWS = 15;

export function FiguresPage({ data, place }: { data: FiguresData; place: Place }): JSX.Element {
  const { sums, today } = data;
  const days: Days = new Map(sums.rows.flatMap((row) => (row.key === null ? [] : [[row.key, row] as const])));
  const isEmpty = sums.sessions === 0;
  const remark = remarkOn(sums.total);
  return (
    <Frame
      place={place}
      title="Statistics"
      section="figures"
      command={`transcripts stats --by day${filterOptions(place)}`}
    >
      <h1>Statistics</h1>
      {isEmpty ? <p class="nothing">There are no sessions to count yet.</p> : null}
      {isEmpty ? null : (
        <>
          <dl class="totals">
            <Total name="Cost" value={sums.total.cost_usd === null ? "?" : dollars(sums.total.cost_usd)} />
            <Total name="Tokens" value={compact(tokensOf(sums.total))} />
            <Total name="Sessions" value={count(sums.sessions)} />
            <Total name="Prompts" value={count(sums.prompts)} />
            <Total name="Active" value={duration(sums.active_ms)} />
            <Total name="Calls that failed" value={percent(sums.tool_errors, sums.tool_calls)} />
          </dl>
          {remark === "" ? null : <p class="note">{remark}</p>}
          <YearMap days={days} today={today} place={place} />
          <div class="charts">
            <DayBars
              name="Cost per day"
              days={days}
              today={today}
              place={place}
              value={({ cost_usd: cost }) => cost ?? 0}
              show={dollars}
            />
            <DayBars name="Tokens per day" days={days} today={today} place={place} value={tokensOf} show={compact} />
          </div>
          <div class="charts">
            <Shares name="Projects" rows={costShares(data.projects, (project) => ({ project }))} place={place} />
            <Shares name="Models" rows={costShares(data.models, (model) => ({ model }))} place={place} />
            <Shares name="Agents" rows={costShares(data.agents, (agent) => ({ agent }))} place={place} />
            <Shares name="Tools" columns={["Calls", "Failed"]} rows={toolShares(sums.tools)} place={place} />
          </div>
        </>
      )}
    </Frame>
  );
}

/** Says why figures may be too low; empty if they are not. */
function remarkOn({ cost_is_estimate: isEstimate, unpriced_models: unpriced }: UsageTotals): string {
  const parts = [
    isEstimate ? "Where a subscription recorded no cost, it is estimated from prices." : "",
    unpriced.length === 0 ? "" : `Without a known price, and in no cost: ${unpriced.join(", ")}.`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function tokensOf({ tokens_in, tokens_out, cache_read, cache_write }: UsageTotals): number {
  return tokens_in + tokens_out + cache_read + cache_write;
}

function Total({ name, value }: { name: string; value: string }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function percent(part: number, whole: number): string {
  if (whole === 0) return "0%";
  const share = (100 * part) / whole;
  return `${share > 0 && share < 10 ? share.toFixed(1) : Math.round(share)}%`;
}

const CELL = 13;
const LEFT = 30;
const TOP = 18;

interface ChartProps {
  days: Days;
  today: string;
  place: Place;
}

/** A year of days, one square each, darker the more it cost. */
function YearMap({ days, today, place }: ChartProps): JSX.Element {
  const last = new Date(today);
  const first = utcSunday.floor(utcDay.offset(last, -364));
  const shown = utcDay.range(first, utcDay.offset(last, 1));
  const values = [...days.values()]
    .flatMap(({ cost_usd: cost }) => (cost === null || cost === 0 ? [] : [cost]))
    .toSorted((a, b) => a - b);
  const at = (share: number): number => values[Math.floor(share * (values.length - 1))] ?? 0;
  const level = scaleThreshold([Number.MIN_VALUE, at(0.25), at(0.5), at(0.75)], [0, 1, 2, 3, 4]);
  const weeks = utcSunday.count(first, last) + 1;
  const months = utcMonth.range(utcMonth.ceil(first), last);
  const active = shown.filter((date) => days.has(dayOf(date))).length;
  return (
    <figure>
      <figcaption>
        A year of days <span class="quiet">{counted(active, "day")} with sessions</span>
        <span class="legend" aria-hidden="true">
          less cost
          <svg viewBox={`0 0 ${5 * CELL} ${CELL}`}>
            {[0, 1, 2, 3, 4].map((each) => (
              <rect class={`l${each}`} x={each * CELL} width={CELL - 2} height={CELL - 2} rx={2} />
            ))}
          </svg>
          more
        </span>
      </figcaption>
      <div class="scroll">
        <svg
          class="year"
          viewBox={`0 0 ${LEFT + weeks * CELL} ${TOP + 7 * CELL}`}
          role="group"
          aria-label="Cost of each day of a year"
        >
          {months.map((month) => (
            <text x={LEFT + utcSunday.count(first, month) * CELL} y={TOP - 6}>
              {month.toLocaleString("en", { month: "short", timeZone: "UTC" })}
            </text>
          ))}
          {[1, 3, 5].map((weekday) => (
            <text x={LEFT - 6} y={TOP + weekday * CELL + CELL - 3} class="end">
              {["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][weekday]}
            </text>
          ))}
          {shown.map((date) => {
            const day = dayOf(date);
            const sums = days.get(day);
            const square = (
              <rect
                class={`l${sums === undefined ? 0 : Math.max(1, level(sums.cost_usd ?? 0))}`}
                x={LEFT + utcSunday.count(first, date) * CELL}
                y={TOP + date.getUTCDay() * CELL}
                width={CELL - 2}
                height={CELL - 2}
                rx={2}
              >
                <title>{dayText(day, sums)}</title>
              </rect>
            );
            return sums === undefined ? (
              square
            ) : (
              <DayLink day={day} label={dayText(day, sums)} place={place} children={square} />
            );
          })}
        </svg>
      </div>
    </figure>
  );
}

interface DayLinkProps {
  day: string;
  label: string;
  place: Place;
  children: ComponentChildren;
}

function DayLink({ day, label, place, children }: DayLinkProps): JSX.Element {
  return (
    <a href={place.root + sessionsAddress({ since: day, until: day })} aria-label={label}>
      {children}
    </a>
  );
}

function dayText(day: string, sums: UsageTotals | undefined): string {
  if (sums === undefined) return `${day}: no sessions`;
  const cost = sums.cost_usd === null ? "cost unknown" : dollars(sums.cost_usd);
  return `${day}: ${counted(sums.messages, "answer")}, ${cost}, ${compact(tokensOf(sums))} tokens`;
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

const WIDTH = 520;
const HEIGHT = 170;
const AXIS = 48;
const FOOT = 20;

interface DayBarsProps extends ChartProps {
  name: string;
  value: (sums: UsageTotals) => number;
  show: (value: number) => string;
}

function DayBars({ name, days, today, place, value, show }: DayBarsProps): JSX.Element {
  const last = new Date(today);
  const shown = utcDay.range(utcDay.offset(last, 1 - RECENT_DAYS), utcDay.offset(last, 1)).map(dayOf);
  const most = Math.max(0, ...shown.flatMap((day) => days.get(day) ?? []).map(value));
  if (most === 0) {
    return (
      <figure>
        <figcaption>{name}</figcaption>
        <p class="note">Nothing in the last {RECENT_DAYS} days.</p>
      </figure>
    );
  }
  const x = scaleBand(shown, [AXIS, WIDTH]).paddingInner(0.2);
  const y = scaleLinear([0, most], [HEIGHT - FOOT, 8]).nice(4);
  const labelled = shown.filter((day) => day.endsWith("-01") || day.endsWith("-15"));
  return (
    <figure>
      <figcaption>
        {name} <span class="quiet">last {RECENT_DAYS} days</span>
      </figcaption>
      <svg
        class="bars"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="group"
        aria-label={`${name}, last ${RECENT_DAYS} days`}
      >
        {y.ticks(4).map((tick) => (
          <>
            <line x1={AXIS} x2={WIDTH} y1={y(tick)} y2={y(tick)} />
            <text class="end" x={AXIS - 6} y={y(tick) + 4}>
              {show(tick)}
            </text>
          </>
        ))}
        {labelled.map((day) => (
          <text class="middle" x={(x(day) ?? 0) + x.bandwidth() / 2} y={HEIGHT - 4}>
            {new Date(day).toLocaleString("en", { day: "numeric", month: "short", timeZone: "UTC" })}
          </text>
        ))}
        {shown.map((day) => {
          const sums = days.get(day);
          if (sums === undefined || value(sums) === 0) return null;
          const top = y(value(sums));
          return (
            <DayLink day={day} label={`${day}: ${show(value(sums))}`} place={place}>
              <rect x={x(day)} y={top} width={x.bandwidth()} height={Math.max(1, y(0) - top)}>
                <title>{dayText(day, sums)}</title>
              </rect>
            </DayLink>
          );
        })}
      </svg>
      <details class="closed">
        <summary>
          <span class="name">As a table</span>
        </summary>
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Answers</th>
              <th scope="col">{name.replace(/ per day$/, "")}</th>
            </tr>
          </thead>
          <tbody>
            {shown.toReversed().flatMap((day) => {
              const sums = days.get(day);
              return sums === undefined
                ? []
                : [
                    <tr>
                      <th scope="row">
                        <a href={place.root + sessionsAddress({ since: day, until: day })}>{day}</a>
                      </th>
                      <td class="number">{count(sums.messages)}</td>
                      <td class="number">{show(value(sums))}</td>
                    </tr>,
                  ];
            })}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

interface Share {
  name: string;
  /** Of the largest, from 0 to 1. */
  share: number;
  cells: readonly string[];
  /** Filter of the list of sessions. */
  filter?: Filters | undefined;
}

/** Returns the rows of some sums, those with the highest cost first. */
function costShares(rows: readonly UsageRow[], filterOf?: (key: string) => Filters): Share[] {
  const most = Math.max(0, ...rows.map(({ cost_usd: cost }) => cost ?? 0));
  return rows
    .toSorted((a, b) => (b.cost_usd ?? 0) - (a.cost_usd ?? 0) || tokensOf(b) - tokensOf(a))
    .map((row) => ({
      name: row.key ?? "(unknown)",
      share: most === 0 ? 0 : (row.cost_usd ?? 0) / most,
      cells: [count(row.messages), compact(tokensOf(row)), row.cost_usd === null ? "?" : dollars(row.cost_usd)],
      filter: row.key === null ? undefined : filterOf?.(row.key),
    }));
}

function toolShares(tools: FiguresData["sums"]["tools"]): Share[] {
  const most = tools[0]?.calls ?? 1;
  return tools.map(({ tool, calls, errors }) => ({
    name: tool,
    share: calls / most,
    cells: [count(calls), percent(errors, calls)],
    filter: { tool },
  }));
}

interface SharesProps {
  name: string;
  columns?: readonly string[];
  rows: readonly Share[];
  place: Place;
}

/** A table whose rows have bars behind their names. The numbers beside these say the same. */
function Shares({ name, columns = COSTS, rows, place }: SharesProps): JSX.Element | null {
  if (rows.length === 0) return null;
  return (
    <figure>
      <figcaption>{name}</figcaption>
      <table class="list shares">
        <thead>
          <tr>
            {[name.replace(/s$/, ""), ...columns].map((column) => (
              <th scope="col">{column}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_ROWS).map((row) => (
            <tr>
              <th scope="row">
                <svg class="share" aria-hidden="true" viewBox="0 0 100 1" preserveAspectRatio="none">
                  <rect width={Math.round(100 * row.share)} height="1" />
                </svg>
                {row.filter === undefined ? (
                  oneLine(row.name, 60)
                ) : (
                  <a href={place.root + sessionsAddress(row.filter)} title={oneLine(row.name, 400)}>
                    {oneLine(row.filter.project === undefined ? row.name : lastPart(row.name), 60)}
                  </a>
                )}
              </th>
              {row.cells.map((cell) => (
                <td class="number">{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MAX_ROWS ? <p class="note">and {count(rows.length - MAX_ROWS)} more</p> : null}
    </figure>
  );
}

const COSTS = ["Answers", "Tokens", "Cost"];
