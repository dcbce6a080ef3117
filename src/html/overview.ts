/** The head of the page: what the session was, in figures. */
import { h, type ComponentChildren, type JSX } from "preact";
import type { ModelStats, ParseError, ToolStats } from "../parse/model.ts";
import type { Clock } from "./clock.ts";
import { oneLine } from "./excerpt.ts";
import { facts } from "./facts.ts";
import type { PageSession } from "./page-session.ts";
import { count, counted, dollars } from "./quantities.ts";

const MAX_TITLE_CHARS = 160;
const MAX_PROMPT_CHARS = 90;
const MAX_VALUE_CHARS = 300;
/** A file of which nearly every line is damaged is no longer read line by line. */
const MAX_ERRORS = 200;

export function titleOf({ title, stats, metadata }: PageSession): string {
  const given = oneLine(title ?? "", MAX_TITLE_CHARS);
  const prompt = oneLine(stats.initial_prompt ?? "", MAX_PROMPT_CHARS);
  return given || prompt || oneLine(metadata.sessionId ?? "", MAX_TITLE_CHARS) || "Session";
}

interface OverviewProps {
  session: PageSession;
  clock: Clock;
}

export function Overview({ session, clock }: OverviewProps): JSX.Element {
  const { stats, errors } = session;
  return h(
    "header",
    { class: "overview" },
    h("h1", { dir: "auto" }, titleOf(session)),
    h("dl", { class: "facts" }, ...facts(session, clock).map(([name, value]) => h(Fact, { name, value }))),
    h(
      "div",
      { class: "tables" },
      Object.keys(stats.models).length === 0 ? null : h(Models, { models: stats.models }),
      Object.keys(stats.tools).length === 0 ? null : h(Tools, { tools: stats.tools }),
      errors.length === 0 ? null : h(Damage, { errors }),
    ),
  );
}

function Fact({ name, value }: { name: string; value: ComponentChildren }): JSX.Element {
  return h("div", null, h("dt", null, name), h("dd", null, value));
}

function Models({ models }: { models: Record<string, ModelStats> }): JSX.Element {
  const rows = Object.entries(models).map(([name, stats]) => [
    oneLine(name, 80),
    count(stats.messages),
    count(stats.tokens_in),
    count(stats.cache_read),
    count(stats.cache_write),
    count(stats.tokens_out),
    stats.cost_usd === null ? "unknown" : (stats.cost_is_estimate ? "~" : "") + dollars(stats.cost_usd),
  ]);
  return h(Table, {
    name: "Tokens by model",
    head: ["Model", "Messages", "In", "Cache read", "Cache write", "Out", "Cost"],
    rows,
  });
}

function Tools({ tools }: { tools: Record<string, ToolStats> }): JSX.Element {
  const byUse = Object.entries(tools).toSorted(([, a], [, b]) => b.calls - a.calls);
  const rows = byUse.map(([name, { calls, errors }]) => [oneLine(name, 80), count(calls), count(errors)]);
  return h(Table, { name: "Calls by tool", head: ["Tool", "Calls", "Failed"], rows });
}

/** Places of the session file that could not be read as they stand. */
export function Damage({ errors }: { errors: readonly ParseError[] }): JSX.Element {
  const rows = errors
    .slice(0, MAX_ERRORS)
    .map((error) => [
      count(error.line_number),
      `${oneLine(error.reason, MAX_VALUE_CHARS)}${error.recovered ? " Nothing was lost." : ""}`,
    ]);
  if (errors.length > MAX_ERRORS) rows.push(["", `and ${counted(errors.length - MAX_ERRORS, "more place")}`]);
  return h(Table, { name: counted(errors.length, "damaged place"), head: ["Line", "What is wrong"], rows });
}

interface TableProps {
  name: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

function Table({ name, head, rows }: TableProps): JSX.Element {
  const cells = (row: readonly string[]): JSX.Element[] =>
    row.map((cell, index) => (index === 0 ? h("th", { scope: "row" }, cell) : h("td", null, cell)));
  return h(
    "details",
    { class: "closed" },
    h("summary", null, h("span", { class: "name" }, name)),
    h(
      "div",
      { class: "scroll" },
      h(
        "table",
        { class: "figures" },
        h("thead", null, h("tr", null, ...head.map((cell) => h("th", { scope: "col" }, cell)))),
        h("tbody", null, ...rows.map((row) => h("tr", null, ...cells(row)))),
      ),
    ),
  );
}
