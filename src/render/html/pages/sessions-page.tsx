/** The list of sessions, newest first, grouped by day. */
import type { JSX } from "preact";
import { oneLine } from "../../../neutral-text.ts";
import { given } from "../../../given.ts";
import { count, dollars, duration } from "../../../quantities.ts";
import type { SessionRow } from "../../../queries/listed-sessions.ts";
import { type Filters, sessionAddress, sessionsAddress } from "./addresses.ts";
import { filterOptions, Frame, PageLinks, type Place, When } from "./frame.tsx";

/** A session in the list. Texts are redacted. `id`: accepted by `show`; unique. */
export type ListedRow = SessionRow & { id: string };

/** Filters in use, and the values that they offer. */
export interface Choices {
  filters: Filters;
  agents: readonly string[];
  projects: readonly string[];
  tags: readonly string[];
}

export interface SessionsData extends Choices {
  rows: readonly ListedRow[];
  /** The first is 1. */
  page: number;
  /** There are older ones, on the next page. */
  isMore: boolean;
  /** Sessions that match, on all pages. */
  total: number;
}

const MAX_TITLE_CHARS = 300;
const MINUTE_MS = 60_000;

export function SessionsPage({ data, place }: { data: SessionsData; place: Place }): JSX.Element {
  const { rows, filters, total } = data;
  const pinned = rows.filter(({ is_pinned: isPinned }) => isPinned);
  const days = Map.groupBy(
    rows.filter(({ is_pinned: isPinned }) => !isPinned),
    ({ ended, started }) => place.clock.day(ended ?? started ?? "") ?? "Without a time",
  );
  return (
    <Frame
      place={place}
      title="Sessions"
      section="sessions"
      command={`transcripts ${filters.failed === true ? "errors" : "list"}${filterOptions(place, filters)}`}
    >
      <h1>
        Sessions <span class="quiet">{count(total)}</span>
      </h1>
      {rows.length === 0 && Object.keys(filters).length === 0 ? null : <Filtering data={data} place={place} />}
      {rows.length === 0 ? <Nothing filters={filters} place={place} /> : null}
      {rows.length === 0 ? null : (
        <table class="sessions">
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Session</th>
              <th scope="col">Turns</th>
              <th scope="col">Active</th>
              <th scope="col">Failed</th>
              <th scope="col">Cost</th>
            </tr>
          </thead>
          {pinned.length === 0 ? null : <Day name="Pinned" rows={pinned} place={place} />}
          {[...days].map(([name, each]) => (
            <Day name={name} rows={each} place={place} />
          ))}
        </table>
      )}
      <Pages data={data} place={place} />
    </Frame>
  );
}

function Day({ name, rows, place }: { name: string; rows: readonly ListedRow[]; place: Place }): JSX.Element {
  return (
    <tbody>
      <tr class="day">
        <th scope="rowgroup" colSpan={6}>
          <h2>{name}</h2>
        </th>
      </tr>
      {rows.map((row) => (
        <Row row={row} place={place} />
      ))}
    </tbody>
  );
}

function Row({ row, place }: { row: ListedRow; place: Place }): JSX.Element {
  const { root } = place;
  const { project, agent, host, tags } = row;
  const name = oneLine(row.title ?? row.prompt ?? "", MAX_TITLE_CHARS) || "(nothing was said)";
  return (
    <tr>
      <td class="when">
        <When time={row.ended ?? row.started} place={place} day={row.is_pinned} />
      </td>
      <td class="what">
        <a class="title" dir="auto" href={root + sessionAddress(row.id)}>
          {name}
        </a>
        <span class="about">
          {project === null ? null : (
            <a href={root + sessionsAddress({ project })} title={oneLine(project, MAX_TITLE_CHARS)}>
              {oneLine(lastPart(project), 60)}
            </a>
          )}
          {agent === null ? null : <a href={root + sessionsAddress({ agent })}>{agent}</a>}
          {host === null ? null : <span>on {oneLine(host, 60)}</span>}
          {row.is_archived ? <span>from the store</span> : null}
          {tags.map((tag) => (
            <a class="tag" href={root + sessionsAddress({ tag })}>
              {oneLine(tag, 40)}
            </a>
          ))}
        </span>
      </td>
      <td class="number" data-unit={row.turns === 1 ? "turn" : "turns"}>
        {row.turns === 0 ? "" : count(row.turns)}
      </td>
      <td class="number">{row.active_ms === 0 ? "" : roughly(row.active_ms)}</td>
      <td class={row.tool_errors === 0 ? "number" : "number failed"} data-unit="failed">
        {row.tool_errors === 0 ? "" : count(row.tool_errors)}
      </td>
      <td class="number" data-unit={row.cost_usd === null ? "cost" : undefined}>
        {costText(row)}
      </td>
    </tr>
  );
}

/** A time at a glance: minutes, without their seconds. */
function roughly(ms: number): string {
  const minutes = Math.round(ms / MINUTE_MS);
  return duration(minutes === 0 ? Math.ceil(ms / 1_000) * 1_000 : minutes * MINUTE_MS);
}

/** `~` marks an estimate, `>` a lower bound. */
function costText({
  cost_usd: cost,
  cost_is_estimate: isEstimate,
  tokens_out_is_lower_bound: isLowerBound,
}: Pick<SessionRow, "cost_usd" | "cost_is_estimate" | "tokens_out_is_lower_bound">): string {
  if (cost === null) return "?";
  if (cost === 0) return "";
  return (isLowerBound ? ">" : "") + (isEstimate ? "~" : "") + dollars(cost);
}

export function lastPart(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== "") ?? path;
}

function Filtering(props: { data: SessionsData; place: Place }): JSX.Element {
  return props.place.live === undefined ? <FilterLinks {...props} /> : <FilterBar {...props} />;
}

export function FilterBar({ data, place }: { data: Choices; place: Place }): JSX.Element {
  const { filters, agents, projects, tags } = data;
  const { text, ...others } = filters;
  const isFiltered = Object.keys(others).length > 0;
  return (
    <form class="filters" action={place.root + sessionsAddress()} method="get" aria-label="Filters">
      <Choice name="agent" label="Agent" value={filters.agent} values={agents} />
      <Choice name="project" label="Project" value={filters.project} values={projects} />
      {filters.tool === undefined ? null : <Choice name="tool" label="Tool" value={filters.tool} values={[]} />}
      {filters.model === undefined ? null : <Choice name="model" label="Model" value={filters.model} values={[]} />}
      {tags.length === 0 && filters.tag === undefined ? null : (
        <Choice name="tag" label="Tag" value={filters.tag} values={tags} />
      )}
      <label>
        From <input type="date" name="since" value={filters.since} />
      </label>
      <label>
        To <input type="date" name="until" value={filters.until} />
      </label>
      <label class="check">
        <input type="checkbox" name="failed" value="yes" checked={filters.failed ?? false} /> With failures
      </label>
      {text === undefined ? null : <input type="hidden" name="text" value={text} />}
      <button type="submit">Filter</button>
      {isFiltered ? <a href={place.root + sessionsAddress(given({ text }))}>Show all</a> : null}
    </form>
  );
}

/** Filters of pages that are files: by agent and project. */
function FilterLinks({
  data: { filters, agents, projects },
  place: { root },
}: {
  data: SessionsData;
  place: Place;
}): JSX.Element {
  const links = (name: "agent" | "project", values: readonly string[]): JSX.Element[] =>
    values.map((value) => (
      <a
        href={root + sessionsAddress({ [name]: value })}
        title={oneLine(value, MAX_TITLE_CHARS)}
        aria-current={filters[name] === value ? "page" : undefined}
      >
        {oneLine(name === "project" ? lastPart(value) : value, 60)}
      </a>
    ));
  return (
    <nav class="filters links" aria-label="Filters">
      {Object.keys(filters).length > 0 ? <a href={root + sessionsAddress()}>All sessions</a> : null}
      {links("agent", agents)}
      {projects.length > MAX_LINKS ? null : links("project", projects)}
    </nav>
  );
}

/** More projects would hide the list. */
const MAX_LINKS = 40;

interface ChoiceProps {
  name: string;
  label: string;
  value: string | undefined;
  values: readonly string[];
}

function Choice({ name, label, value, values }: ChoiceProps): JSX.Element {
  const all = value === undefined || values.includes(value) ? values : [value, ...values];
  return (
    <label>
      {label}{" "}
      <select name={name}>
        <option value="">All</option>
        {all.map((each) => (
          <option value={each} selected={each === value}>
            {oneLine(name === "project" ? shortPath(each) : each, 60)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The last two folders of a path. */
function shortPath(path: string): string {
  const parts = path.split(/[/\\]/).filter((part) => part !== "");
  return parts.length > 2 ? `…/${parts.slice(-2).join("/")}` : path;
}

function Nothing({ filters, place }: { filters: Filters; place: Place }): JSX.Element {
  if (Object.keys(filters).length === 0) {
    return (
      <p class="nothing">
        There are no sessions yet. Run a coding agent, or look at <code>transcripts doctor</code> for where they are
        expected.
      </p>
    );
  }
  return (
    <p class="nothing">
      No session matches. <a href={place.root + sessionsAddress()}>Show all sessions</a>
    </p>
  );
}

function Pages({ data: { filters, page, isMore }, place }: { data: SessionsData; place: Place }): JSX.Element | null {
  if (page === 1 && !isMore) return null;
  const to = (number: number): string => place.root + sessionsAddress(filters, number);
  return (
    <PageLinks
      label="Pages of the list"
      previous={page > 1 ? ["Newer", to(page - 1)] : undefined}
      next={isMore ? ["Older", to(page + 1)] : undefined}
    >
      Page {page}
    </PageLinks>
  );
}
