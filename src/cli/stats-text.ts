/** Formats the figures of sessions. */
import { compact, count, counted, dollars, duration, timesText } from "../quantities.ts";
import type { CommandContext } from "./context.ts";
import type { StatsRow, StatsSums } from "../queries/added-up.ts";
import type { Versioned } from "./command.ts";
import { endOfPath } from "../render/text/session-text.ts";
import { shortIds } from "./session-names.ts";
import { neutralLine } from "../neutral-text.ts";
import { type Column, table } from "./terminal/table.ts";
import { cut } from "./terminal/width.ts";

export type StatsOutput = Versioned & StatsSums;

type StatsUsage = StatsOutput["total"];

/** Maximum number of rows in the table of tools; --json has all. */
const MAX_TOOLS = 15;
const MAX_NAME_COLUMNS = 40;

/** `allIds`: ids of all sessions, so that shortened ids are unique. */
export function statsText(context: CommandContext, result: StatsOutput, allIds: readonly string[]): string {
  const tables =
    result.by === null
      ? [modelsTable(context, result), toolsTable(context, result)]
      : [rowsTable(context, result.rows, result.by, allIds)];
  return [overview(context, result), ...tables].filter((part) => part !== "").join("\n");
}

function overview({ colors }: CommandContext, result: StatsOutput): string {
  const shown = facts(result).filter(([, fact]) => fact !== "");
  const label = Math.max(...shown.map(([name]) => name.length)) + 2;
  const lines = shown.map(([name, fact]) => colors.bold(name.padEnd(label)) + fact);
  return `${lines.join("\n")}\n`;
}

/** Returns names and values; empty values are left out. */
function facts(result: StatsOutput): [name: string, value: string][] {
  const { total, alone, subagents_alone: below, sessions, subagents, repeated_messages: repeated } = result;
  const hasBoth = subagents > 0 && sessions > 0;
  const isShared = hasBoth && alone.messages + below.messages !== total.messages;
  const redactions = Object.entries(result.redactions).map(([kind, times]) => `${neutralLine(kind)} ${count(times)}`);
  const listed = (...parts: (string | string[])[]): string => parts.flat().join(", ");
  return [
    [
      "Sessions",
      listed(count(sessions), [...some(subagents, "subagent", "subagents"), ...some(result.unreadable, "unreadable")]),
    ],
    ["Time", timeText(result)],
    ["Prompts", `${count(result.prompts)} in ${counted(result.messages, "message")}`],
    [
      "Tool calls",
      listed(count(result.tool_calls), [
        ...some(result.tool_errors, "failed"),
        ...some(result.tool_rejected, "rejected"),
        ...some(result.tool_interrupted, "interrupted"),
        ...some(result.tool_pending, "without a result"),
      ]),
    ],
    ["Tokens", tokensText(total)],
    ["Cost", costText(total)],
    ["  alone", hasBoth ? `${tokensText(alone)}; ${costText(alone)}` : ""],
    ["  subagents", hasBoth ? `${tokensText(below)}; ${costText(below)}` : ""],
    ["  shared", isShared ? "answers that are in both are counted in each, and once in the sum" : ""],
    ["No price", total.unpriced_models.map((model) => neutralLine(model)).join(", ")],
    [
      "Repeated",
      listed(
        some(repeated, "copy of an answer in another file, left out", "copies of answers in other files, left out"),
      ),
    ],
    ["Redacted", redactions.join(", ")],
    [
      "Damage",
      listed(
        some(result.damaged, "damaged place", "damaged places"),
        some(result.unknown_lines, "line of unknown type", "lines of unknown type"),
      ),
    ],
  ];
}

/** Returns `3 failed`, or nothing if there are none. */
function some(times: number, what: string, several = what): string[] {
  return times > 0 ? [`${count(times)} ${times === 1 ? what : several}`] : [];
}

function timeText({ first, last, duration_ms: took, active_ms: active }: StatsOutput): string {
  const span = timesText(first, last);
  if (span === "") return "not known";
  return `${duration(active)} active (${duration(took)} with pauses), ${span}`;
}

function tokensText(usage: StatsUsage): string {
  const out = `${usage.tokens_out_is_lower_bound ? ">" : ""}${count(usage.tokens_out)}`;
  return `in ${count(usage.tokens_in)}, cache read ${count(usage.cache_read)}, cache write ${count(usage.cache_write)}, out ${out}`;
}

function costText(usage: StatsUsage): string {
  if (usage.cost_usd === null) return usage.unpriced_models.length > 0 ? "not known" : "none";
  return shortCost(usage);
}

type Bounded = Pick<StatsUsage, "unpriced_models" | "tokens_out_is_lower_bound">;

/** Returns whether the true cost is higher. */
function isLowerBound({ unpriced_models: unpriced, tokens_out_is_lower_bound: isOutBound }: Bounded): boolean {
  return unpriced.length > 0 || isOutBound;
}

/** Explains the signs in front of figures; empty if there are none. */
export function signsNote(rows: readonly (Bounded & Pick<StatsUsage, "cost_usd" | "cost_is_estimate">)[]): string {
  const isBound = rows.some((row) => row.tokens_out_is_lower_bound);
  const isUnpriced = rows.some((row) => row.unpriced_models.length > 0 && row.cost_usd !== null);
  const why = [
    ...(isBound ? ["for some answers only part of the tokens was recorded"] : []),
    ...(isUnpriced ? ["some models have no known price"] : []),
  ];
  const notes = [
    ...(why.length > 0 ? [`> the true number is higher: ${why.join(", and ")}`] : []),
    ...(rows.some((row) => row.unpriced_models.length > 0 && row.cost_usd === null) ? ["? no price is known"] : []),
    ...(rows.some((row) => row.cost_is_estimate) ? ["~ estimated, as the agent recorded a cost of 0"] : []),
  ];
  return notes.join("; ");
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

export function outCell({
  tokens_out: out,
  tokens_out_is_lower_bound: isBound,
}: Pick<Tokens, "tokens_out" | "tokens_out_is_lower_bound">): string {
  return (isBound ? ">" : "") + compact(out);
}

/** Returns a duration; nothing if it is 0. */
export function durationCell(ms: number): string {
  return ms === 0 ? "" : duration(ms);
}

export function shortCost(usage: Bounded & Pick<StatsUsage, "cost_usd" | "cost_is_estimate">): string {
  const { cost_usd: cost, cost_is_estimate: isEstimate, unpriced_models: unpriced } = usage;
  if (cost === null) return unpriced.length > 0 ? "?" : "";
  return (isLowerBound(usage) ? ">" : "") + (isEstimate ? "~" : "") + dollars(cost);
}

function modelsTable({ colors, columns }: CommandContext, { models }: StatsOutput): string {
  const used = models.filter(hasTokens);
  if (used.length === 0) return "";
  const shape: Column<(typeof used)[number]>[] = [
    { head: "MODEL", cell: ({ model }) => neutralLine(model ?? "unknown"), flexible: true, paint: colors.cyan },
    { head: "ANSWERS", cell: ({ messages }) => compact(messages), align: "right", drop: 2 },
    ...USAGE_COLUMNS,
  ];
  return table(shape, used, columns);
}

/** Returns false for a time without answers, and for the pseudo-model of answers written by the program itself. */
function hasTokens({ tokens_in, tokens_out, cache_read, cache_write }: StatsUsage): boolean {
  return tokens_in + tokens_out + cache_read + cache_write > 0;
}

function toolsTable({ colors, columns }: CommandContext, { tools }: StatsOutput): string {
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
  by: NonNullable<StatsOutput["by"]>,
  allIds: readonly string[],
): string {
  const isBySession = by === "session";
  const keyed = isBySession ? rows : rows.filter(hasTokens);
  const ids = shortIds(isBySession ? rows.flatMap(({ key }) => key ?? []) : [], allIds);
  const nameCell = ({ key, parent_session_id: parent }: StatsRow): string => {
    const short = by === "project" ? endOfPath(key ?? "", 2) : (ids.get(key ?? "") ?? key ?? "");
    const name = key === null ? "unknown" : cut(neutralLine(short), MAX_NAME_COLUMNS);
    return isBySession && parent !== null ? `  ${name}` : name;
  };
  const family: Column<StatsRow> = {
    head: "WITH SUBAGENTS",
    cell: ({ with_subagents: usage }) => (usage ? shortCost(usage) : ""),
    align: "right",
    drop: 2,
  };
  const shape: Column<StatsRow>[] = [
    { head: by.toUpperCase(), cell: nameCell, flexible: !isBySession, paint: colors.yellow },
    ...USAGE_COLUMNS,
    ...(rows.some((row) => row.with_subagents !== undefined) ? [family] : []),
    ...(isBySession ? [{ head: "TITLE", cell: titleCell, flexible: true }] : []),
  ];
  return table(shape, keyed, columns);
}

function titleCell({ title }: StatsRow): string {
  return cut(neutralLine(title ?? ""), 60);
}
