/** Formats passages that a search found. */
import { withoutOutputTags } from "../../calls/result-texts.ts";
import { neutralBlock, neutralLine, shortened } from "../../neutral-text.ts";
import type { CurrentIndex } from "../../queries/current-index.ts";
import type { ArchivedSession } from "../../places/session-ref.ts";
import { counted } from "../../quantities.ts";
import type { TextStyle } from "./text-style.ts";

export interface ShownPassage {
  /** Null or 0 for a title that is on no line. */
  line_number: number | null;
  role: string;
  block_type: string;
  tool_name: string | null;
  passage: string;
  matches: readonly (readonly [start: number, end: number])[];
  match_count: number;
  superseded: boolean;
  /** For a call with the file that was looked for: it changed it. */
  changes_file?: boolean | null;
  /** Words that it lacks. */
  missing?: readonly string[];
}

/** Formats a passage. `facts` are put beside its line: the time, and where it is from. */
export function passageText(row: ShownPassage, facts: readonly string[], { colors }: TextStyle): string {
  const { line_number: line, match_count: count, missing = [] } = row;
  const marks = [
    row.changes_file === true ? "changed" : "",
    ...facts,
    row.superseded ? "superseded" : "",
    count > 1 ? `${count} matches` : "",
    missing.length === 0 ? "" : `without ${missing.map((word) => JSON.stringify(word)).join(" and ")}`,
  ];
  const shown = [sideOf(row), ...marks].filter((fact) => fact !== "").map((fact) => neutralLine(fact));
  const head = `[${colors.yellow(line === 0 || line === null ? "-" : String(line))}] ${shown.join(", ")}`;
  return `${head}: ${marked(row, (match) => colors.bold(colors.red(match)))}`;
}

function sideOf({ role, block_type: type, tool_name: tool }: ShownPassage): string {
  if (type === "thinking" || type === "title") return type;
  return role === "tool" ? `${type === "tool_use" ? "call" : "result"} ${tool ?? ""}`.trimEnd() : role;
}

/** Returns the passage on one line with its matches painted. */
function marked({ passage, matches, role }: ShownPassage, paint: (match: string) => string): string {
  const own = (text: string): string => (role === "system" ? withoutOutputTags(text) : text);
  const line = (text: string): string => neutralBlock(own(text)).replaceAll(/[\n\t]/g, " ");
  let shown = "";
  let done = 0;
  for (const [start, end] of matches) {
    shown += line(passage.slice(done, start)) + paint(line(passage.slice(start, end)));
    done = end;
  }
  return shown + line(passage.slice(done));
}

/** Says why a session is read from the store. `place`: name of its file or database. */
export function storeText({ host }: Pick<ArchivedSession, "host">, place = "its file"): string {
  const why = host === null ? `${place} no longer has it` : `it was recorded on ${shortened(host, MAX_HOST)}`;
  return `from the store, since ${why}`;
}

const MAX_HOST = 100;

/** Says how much was read for an answer. */
export function scopeText({ searched, damaged, unread = 0 }: { searched: number; damaged: number; unread?: number }) {
  const facts = [
    `looked at ${counted(searched, "session")}`,
    ...(unread === 0 ? [] : [`${unread} could not be read`]),
    ...(damaged === 0 ? [] : [counted(damaged, "damaged place")]),
  ];
  return facts.join(", ");
}

/** Says what the store lacks for an answer, and what adds it; empty if it lacks nothing. */
export function missingText({ missing, fault }: Pick<CurrentIndex, "missing" | "fault">): string {
  if (missing.length === 0) return "";
  const bytes = missing.reduce((sum, session) => sum + session.bytes, 0);
  const what = `${counted(missing.length, "session")} (${(bytes / 1e6).toFixed(1)} MB) that may have more`;
  const next = fault === undefined ? "`transcripts index` adds them" : fault.message;
  return `not in the store yet: ${what}; ${next}`;
}

/** Session that a text names. */
interface NamedSession {
  id: string;
  title: string | null;
  project: string | null;
  /** Name of the machine that recorded it; null for this one. */
  host: string | null;
}

const MAX_TITLE = 80;

/** Formats the line above what belongs to a session. */
export function sessionLine({ id, title, project, host }: NamedSession, { colors }: TextStyle): string {
  const facts = [
    title === null || title === "" ? "" : JSON.stringify(shortened(neutralLine(title), MAX_TITLE)),
    project === null ? "" : `project ${neutralLine(projectName(project))}`,
    host === null ? "" : `recorded on ${neutralLine(host)}`,
  ];
  const shown = facts.filter((fact) => fact !== "").map((fact) => `, ${fact}`);
  return colors.bold(`Session ${neutralLine(id)}`) + colors.dim(shown.join(""));
}

/** Returns the name of a project: the last segment of its folder, also of another operating system. */
export function projectName(folder: string): string {
  return endOfPath(folder, 1);
}

/** Returns the last segments. */
export function endOfPath(path: string, segments: number): string {
  const all = path.split(/[\\/]/).filter((segment) => segment !== "");
  return all.slice(-segments).join("/") || path;
}
