/** Names the session that a text is about, and says what was read for an answer and from where. */
import { neutralLine, shortened } from "../../neutral-text.ts";
import type { ArchivedSession } from "../../places/session-ref.ts";
import { counted } from "../../quantities.ts";
import type { CurrentIndex } from "../../queries/current-index.ts";
import type { TextStyle } from "./text-style.ts";

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

/** Formats the heading above lines of a session. */
export function sessionLine({ id, title, project, host }: NamedSession, { colors }: TextStyle): string {
  const facts = [
    title === null || title === "" ? "" : JSON.stringify(shortened(neutralLine(title), MAX_TITLE)),
    project === null ? "" : `project ${neutralLine(projectName(project))}`,
    host === null ? "" : `recorded on ${neutralLine(host)}`,
  ];
  const shown = facts.filter((fact) => fact !== "").map((fact) => `, ${fact}`);
  return colors.bold(`Session ${neutralLine(id)}`) + colors.dim(shown.join(""));
}

/** Returns the name of a project: the last segment of its folder, which may be of another operating system. */
export function projectName(folder: string): string {
  return endOfPath(folder, 1);
}

/** Returns the last segments of a path. */
export function endOfPath(path: string, segments: number): string {
  const all = path.split(/[\\/]/).filter((segment) => segment !== "");
  return all.slice(-segments).join("/") || path;
}
