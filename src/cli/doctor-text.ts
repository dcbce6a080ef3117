/** Formats the findings of `doctor`. */
import { count, counted } from "../quantities.ts";
import type { CommandContext } from "./context.ts";
import type { ForeignPlace } from "../agents/foreign.ts";
import type { Versioned } from "./command.ts";
import type { HostConfig } from "./init/host-configs.ts";
import type { Unreadable } from "../places/session-ref.ts";
import type { Expiring } from "../queries/expiring-sessions.ts";
import { neutralLine } from "../neutral-text.ts";
import { indented } from "../render/text/text-style.ts";

export interface DoctorOutput extends Versioned {
  /** Everything found can be read. */
  ok: boolean;
  program: { version: string; runtime: string };
  /** Places that are searched for sessions. */
  places: Place[];
  index: IndexHealth;
  /** Files and folders that could not be read. */
  unreadable: Unreadable[];
  /** Places that exist, of agents whose sessions cannot be read. */
  unsupported: ForeignPlace[];
  /** Configuration of opencode and Kilo: the files of the project, and every other place that has the plugin. */
  configs: HostConfig[];
  /** Sessions that their agent deletes within a week and that the store does not have as they are. */
  expiring: Expiring[];
  /** Numbers of sessions checked, and of all. */
  checked: number;
  of: number;
  /** Number of lines in the checked sessions. */
  lines: number;
  damage: Damage[];
}

export interface Place {
  agent: string;
  path: string;
  /** Number of sessions, subagents included. */
  sessions: number;
  problem: string | null;
}

export interface IndexHealth {
  backend: "sqlite" | "postgres";
  /** File, or address without its password. */
  place: string;
  exists: boolean;
  /** Null if the store is missing or cannot be read. */
  sessions: number | null;
  problem: string | null;
}

export interface Damage {
  path: string;
  code: string;
  count: number;
  recovered: boolean;
  first_line: number;
}

/** Maximum number of damaged places listed; --json has all. */
const MAX_DAMAGE = 10;
/** Maximum number of sessions listed that their agent will delete. */
const MAX_EXPIRING = 10;
const INDENT = "  ";

export function doctorText(context: CommandContext, result: DoctorOutput): string {
  const { colors } = context;
  const section = (title: string, lines: readonly string[]): string =>
    lines.length === 0 ? "" : `${colors.bold(title)}\n${indented(lines.join("\n"), INDENT)}\n`;
  return [
    `transcripts ${result.program.version}, ${result.program.runtime}\n`,
    section("Sessions", placeLines(context, result)),
    section("Store", [indexLine(context, result)]),
    section("Deleted soon", expiringLines(context, result)),
    section("Recording", configLines(context, result)),
    section("Not read", [
      ...result.unreadable.map(({ path, reason }) => `${colors.red("x")} ${neutralLine(path)}: ${neutralLine(reason)}`),
      ...result.unsupported.map(
        ({ agent, path }) => `${colors.dim("-")} ${neutralLine(path)}: sessions of ${agent}, which cannot be read yet`,
      ),
    ]),
    section("Damage check", contentLines(result)),
    section("Damage", damageLines(context, result)),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function placeLines({ colors }: CommandContext, { places }: DoctorOutput): string[] {
  return places.map(({ path, agent, sessions, problem }) => {
    const mark = problem !== null ? colors.red("x") : sessions > 0 ? colors.green("+") : colors.dim("-");
    const what =
      problem === null ? (sessions === 0 ? "no sessions" : counted(sessions, "session")) : neutralLine(problem);
    return `${mark} ${agent}  ${neutralLine(path)}: ${what}`;
  });
}

function indexLine({ colors }: CommandContext, { index }: DoctorOutput): string {
  const { sessions, problem } = index;
  const place = `${index.backend === "sqlite" ? "SQLite" : "PostgreSQL"}  ${neutralLine(index.place)}`;
  if (!index.exists) return `${colors.dim("-")} ${place}: none yet; \`transcripts index\` creates it`;
  if (problem !== null) return `${colors.red("x")} ${place}: ${neutralLine(problem)}`;
  return `${colors.green("+")} ${place}: ${counted(sessions ?? 0, "session")}`;
}

/** Names the first sessions to go, and the setting to change. */
function expiringLines({ colors }: CommandContext, { expiring }: DoctorOutput): string[] {
  return expiring.flatMap(({ agent, setting, file, days, is_default: isDefault, sessions }) => {
    const which = `${counted(sessions.length, "session")} that the store does not have`;
    const named = sessions
      .slice(0, MAX_EXPIRING)
      .map(({ path, deleted_after: time }) => `    ${time.slice(0, 10)}  ${neutralLine(path)}`);
    if (sessions.length > MAX_EXPIRING)
      named.push(`    and ${count(sessions.length - MAX_EXPIRING)} more; --json names all`);
    const now = isDefault ? `${days} by default` : `${days} now`;
    return [
      `${colors.yellow("!")} ${agent} will delete ${which} within a week; \`transcripts index\` keeps them`,
      ...named,
      `    to keep the files longer: "${setting}": 3650 in ${neutralLine(file)} (${now})`,
    ];
  });
}

function configLines({ colors, cwd }: CommandContext, { configs }: DoctorOutput): string[] {
  const lines = configs.map(({ path, plugin, problems }) => {
    const problem = problems.map((each) => `\n    ${neutralLine(each)}`).join("");
    const file = neutralLine(path);
    if (plugin === null) return `${colors.red("x")} ${file}:${problem}`;
    if (plugin) return `${problems.length > 0 ? colors.red("x") : colors.green("+")} ${file} has the plugin${problem}`;
    return `${colors.dim("-")} ${file} does not have the plugin`;
  });
  if (!configs.some(({ plugin }) => plugin === true))
    lines.push(
      `${colors.dim("-")} no plugin in ${neutralLine(cwd)}; \`transcripts init\` adds it, \`transcripts init --global\` for all projects`,
    );
  return lines;
}

function contentLines(result: DoctorOutput): string[] {
  const { checked, of, lines } = result;
  if (of === 0) return [];
  const all = checked < of ? `; --all checks all ${count(of)}` : "";
  return [`${count(checked)} of ${counted(of, "session")} checked, ${counted(lines, "line")}${all}`];
}

function damageLines({ colors }: CommandContext, { damage }: DoctorOutput): string[] {
  const lines = damage.slice(0, MAX_DAMAGE).map(({ path, code, count: times, recovered, first_line: line }) => {
    const mark = recovered ? colors.yellow("~") : colors.red("x");
    const end = recovered ? "recovered" : "content lost";
    const places = times === 1 ? `in line ${line}` : `${count(times)} times, first in line ${line}`;
    return `${mark} ${neutralLine(path)}\n    ${code.replaceAll("_", " ")} ${places}: ${end}`;
  });
  if (damage.length > MAX_DAMAGE) lines.push(`and ${count(damage.length - MAX_DAMAGE)} more; --json names all`);
  return lines;
}
