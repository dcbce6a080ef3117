/** Formats the figures of sessions. */
import { compact, count, counted, dayAndTime, dollars, duration } from "../quantities.ts";
import type { CommandContext } from "./command.ts";
import type { Output } from "./output-schemas.ts";
import { shortIds, shortPaths } from "./session-names.ts";
import { neutralLine } from "../neutral-text.ts";
import { FOREIGN } from "../sessions/session-ref.ts";
import { type Column, table } from "./terminal/table.ts";
import { cut, wrap } from "./terminal/width.ts";

type StatsUsage = Output<"stats">["total"];
type StatsRow = Output<"stats">["rows"][number];

/** Maximum number of rows in the table of tools; --json has all. */
const MAX_TOOLS = 15;
const MAX_NAME_COLUMNS = 40;

export function statsText(context: CommandContext, result: Output<"stats">): string {
  const parts = [overview(context, result)];
  if (result.by !== null) parts.push(rowsTable(context, result.rows, result.by));
  else parts.push(modelsTable(context, result), toolsTable(context, result));
  return parts.filter((part) => part !== "").join("\n");
}

function overview({ colors, columns }: CommandContext, result: Output<"stats">): string {
  const { total, alone, subagents_alone: below } = result;
  const facts: [string, string][] = [
    ["Sessions", sessionsText(result)],
    ["Time", timeText(result)],
    ["Prompts", `${count(result.prompts)} in ${counted(result.messages, "message")}`],
    ["Tool calls", callsText(result)],
    ["Tokens", tokensText(total)],
    ["Cost", costText(total)],
  ];
  if (result.subagents > 0 && result.sessions > 0) {
    facts.push(
      ["  alone", `${tokensText(alone)}; ${costText(alone)}`],
      ["  subagents", `${tokensText(below)}; ${costText(below)}`],
    );
    if (alone.messages + below.messages !== total.messages)
      facts.push(["  shared", "answers that stand in both are counted in each, and once in the sum"]);
  }
  if (total.tokens_out_is_lower_bound)
    facts.push([
      "More than",
      "some answers were recorded with the count of their beginning only, so the truth is higher",
    ]);
  if (total.cost_is_estimate)
    facts.push(["Estimate", "some costs were recorded as 0, as with a subscription; theirs are from the price table"]);
  if (total.unpriced_models.length > 0)
    facts.push(["No price", total.unpriced_models.map((model) => neutralLine(model)).join(", ")]);
  if (result.repeated_messages > 0)
    facts.push([
      "Repeated",
      `${count(result.repeated_messages)} ${result.repeated_messages === 1 ? "copy of an answer" : "copies of answers"} in other files, left out`,
    ]);
  if (result.thinking_blocks > 0) facts.push(["Thinking", thinkingText(result)]);
  const redactions = Object.entries(result.redactions).map(([kind, times]) => `${neutralLine(kind)} ${count(times)}`);
  if (redactions.length > 0) facts.push(["Redacted", redactions.join(", ")]);
  if (result.damaged + result.unknown_lines > 0) facts.push(["Damage", damageText(result)]);
  const label = Math.max(...facts.map(([name]) => name.length)) + 2;
  const lines = facts.map(([name, fact]) => {
    const wrapped = wrap(fact, columns - label).replaceAll("\n", `\n${" ".repeat(label)}`);
    return `${colors.bold(name.padEnd(label))}${wrapped}`;
  });
  return `${lines.join("\n")}\n`;
}

function sessionsText({ sessions, subagents, unreadable, foreign }: Output<"stats">): string {
  const parts = [count(sessions)];
  if (subagents > 0) parts.push(counted(subagents, "subagent"));
  if (unreadable > 0) parts.push(`${count(unreadable)} unreadable`);
  if (foreign > 0) parts.push(`${count(foreign)} ${FOREIGN}`);
  return parts.join(", ");
}

function timeText({ first, last, duration_ms: took, sessions }: Output<"stats">): string {
  const [from, to] = [dayAndTime(first), dayAndTime(last)];
  if (from === "") return "not known";
  return `${from} to ${from.slice(0, 10) === to.slice(0, 10) ? to.slice(11) : to}, ${duration(took)}${sessions > 1 ? " in all" : ""}`;
}

function callsText(result: Output<"stats">): string {
  const ends: [number, string][] = [
    [result.tool_errors, "failed"],
    [result.tool_rejected, "rejected"],
    [result.tool_interrupted, "interrupted"],
    [result.tool_pending, "without a result"],
  ];
  const told = ends.filter(([times]) => times > 0).map(([times, what]) => `${count(times)} ${what}`);
  return [count(result.tool_calls), ...told].join(", ");
}

function thinkingText({ thinking_blocks: blocks, withheld_thinking_blocks: withheld }: Output<"stats">): string {
  return counted(blocks, "block") + (withheld === 0 ? "" : `, ${count(withheld)} withheld by the provider`);
}

function tokensText(usage: StatsUsage): string {
  const out = usage.tokens_out_is_lower_bound ? `more than ${count(usage.tokens_out)}` : count(usage.tokens_out);
  return `in ${count(usage.tokens_in)}, cache read ${count(usage.cache_read)}, cache write ${count(usage.cache_write)}, out ${out}`;
}

function costText({
  cost_usd: cost,
  cost_is_estimate: isEstimate,
  unpriced_models: unpriced,
  tokens_out_is_lower_bound: isLowerBound,
}: StatsUsage): string {
  if (cost === null) return unpriced.length > 0 ? "not known" : "none";
  const known = unpriced.length > 0 || isLowerBound ? `more than ${dollars(cost)}` : dollars(cost);
  return isEstimate ? `${known} (estimate)` : known;
}

function damageText({ damaged, unknown_lines: unknown }: Output<"stats">): string {
  return [
    damaged > 0 ? counted(damaged, "damaged place") : "",
    unknown > 0 ? `${counted(unknown, "line")} of unknown type` : "",
  ]
    .filter(Boolean)
    .join(", ");
}

type Tokens = Pick<StatsUsage, "tokens_in" | "cache_read" | "cache_write" | "tokens_out" | "tokens_out_is_lower_bound">;

/** Columns shared by all tables. */
export const TOKEN_COLUMNS: readonly Column<Tokens>[] = [
  { head: "IN", cell: (usage) => compact(usage.tokens_in), align: "right", drop: 3 },
  { head: "CACHE READ", cell: (usage) => compact(usage.cache_read), align: "right", drop: 4 },
  { head: "CACHE WRITE", cell: (usage) => compact(usage.cache_write), align: "right", drop: 5 },
  { head: "OUT", cell: outCell, align: "right", drop: 1 },
];
const USAGE_COLUMNS: readonly Column<StatsUsage>[] = [
  ...TOKEN_COLUMNS,
  { head: "COST", cell: shortCost, align: "right" },
];

function outCell({ tokens_out: out, tokens_out_is_lower_bound: isLowerBound }: Tokens): string {
  return (isLowerBound ? ">" : "") + compact(out);
}

/** Returns the duration; nothing if it took no time. */
export function tookCell({ duration_ms: took }: { duration_ms: number }): string {
  return took === 0 ? "" : duration(took);
}

function shortCost({
  cost_usd: cost,
  cost_is_estimate: isEstimate,
  unpriced_models: unpriced,
  tokens_out_is_lower_bound: isLowerBound,
}: StatsUsage): string {
  if (cost === null) return unpriced.length > 0 ? "?" : "";
  return (unpriced.length > 0 || isLowerBound ? ">" : "") + (isEstimate ? "~" : "") + dollars(cost);
}

function modelsTable({ colors, columns }: CommandContext, { models }: Output<"stats">): string {
  const used = models.filter(hasTokens);
  if (used.length === 0) return "";
  const shape: Column<(typeof used)[number]>[] = [
    { head: "MODEL", cell: ({ model }) => neutralLine(model ?? "unknown"), flexible: true, paint: colors.cyan },
    { head: "ANSWERS", cell: ({ messages }) => compact(messages), align: "right", drop: 2 },
    ...USAGE_COLUMNS,
  ];
  return table(shape, used, columns);
}

/** Returns false for the pseudo-model of answers written by the program itself. */
function hasTokens({ tokens_in, tokens_out, cache_read, cache_write }: StatsUsage): boolean {
  return tokens_in + tokens_out + cache_read + cache_write > 0;
}

function toolsTable({ colors, columns }: CommandContext, { tools }: Output<"stats">): string {
  if (tools.length === 0) return "";
  const more = tools.length > MAX_TOOLS ? colors.dim(`and ${tools.length - MAX_TOOLS} more\n`) : "";
  const failed = ({ errors }: { errors: number }): string => (errors === 0 ? "" : count(errors));
  const shape: Column<(typeof tools)[number]>[] = [
    { head: "TOOL", cell: ({ tool }) => neutralLine(tool), flexible: true, paint: colors.blue },
    { head: "CALLS", cell: ({ calls }) => count(calls), align: "right" },
    { head: "FAILED", cell: failed, align: "right", paint: colors.red },
  ];
  return table(shape, tools.slice(0, MAX_TOOLS), columns) + more;
}

function rowsTable(
  { colors, columns }: CommandContext,
  rows: readonly StatsRow[],
  by: NonNullable<Output<"stats">["by"]>,
): string {
  const hasFamilies = rows.some((row) => row.with_subagents !== undefined);
  const keyed = by === "model" ? rows.filter(hasTokens) : rows;
  const isBySession = by === "session";
  const names = namesOf(keyed, by);
  const nameCell = (row: StatsRow): string =>
    (isBySession && row.parent_session_id !== null ? "  " : "") + nameOf(row, names);
  const family: Column<StatsRow> = {
    head: "WITH SUBAGENTS",
    cell: ({ with_subagents: usage }) => (usage ? shortCost(usage) : ""),
    align: "right",
    drop: 2,
  };
  const shape: Column<StatsRow>[] = [
    { head: by.toUpperCase(), cell: nameCell, flexible: !isBySession, paint: colors.yellow },
    ...USAGE_COLUMNS,
    ...(hasFamilies ? [family] : []),
    ...(isBySession ? [{ head: "TITLE", cell: titleCell, flexible: true }] : []),
  ];
  return table(shape, keyed, columns);
}

function titleCell({ is_foreign: isForeign, title }: StatsRow): string {
  return cut(`${isForeign === true ? `(${FOREIGN}) ` : ""}${neutralLine(title ?? "")}`, 60);
}

/** Displayed names of keys, if they differ from the key. */
function namesOf(rows: readonly StatsRow[], by: NonNullable<Output<"stats">["by"]>): ReadonlyMap<string, string> {
  const keys = rows.map(({ key }) => key ?? "");
  if (by === "session") return shortIds(keys);
  return by === "project" ? shortPaths(keys) : new Map();
}

function nameOf({ key }: StatsRow, names: ReadonlyMap<string, string>): string {
  return key === null ? "unknown" : cut(neutralLine(names.get(key) ?? key), MAX_NAME_COLUMNS);
}
