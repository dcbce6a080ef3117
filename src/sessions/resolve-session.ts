import { resolve } from "node:path";
import { fileRef } from "./file-ref.ts";
import { findSessions, type FoundSessions } from "./find-sessions.ts";
import { currentProject, filterByProject } from "./project-filter.ts";
import { isConversation } from "./entry-times.ts";
import { isReadFault } from "./read-fault.ts";
import { cannotOpen } from "./open-session.ts";
import { markForeign } from "./recorded-here.ts";
import { refuseFile } from "./refuse-content.ts";
import { SessionError } from "./session-error.ts";
import { nodeSessionFiles, type SessionFiles } from "./session-files.ts";
import { isStream, type SessionRef, sessionRef, type Where } from "./session-ref.ts";

/** Fewer characters of an id match by accident. */
const MIN_PREFIX = 4;
/** What ids of a kind begin with, so that nobody needs to type it. */
const COMMON_PREFIXES = ["", "ses_", "agent-"];

/**
 * The session that a user means:
 *
 * - `-`: standard input;
 * - `latest`: the one in which something was said last, and that is no subagent, of the project that `cwd` is in if that has any, or
 *   else of all (write `./latest` for a file of that name);
 * - the path of a file, relative to `cwd`;
 * - an id, or what an id begins with if no other does: at least 4 characters, `ses_` and `agent-` may be left out.
 *
 * Throws a `SessionError` (`not_found`, `ambiguous` with its candidates, `too_short`, `is_folder`, `gone`,
 * `unreadable`, and `empty`, `unsupported` or `not_a_session` of a file whose content cannot be read).
 */
export async function resolveSession(
  text: string,
  where: Where,
  files: SessionFiles = nodeSessionFiles,
): Promise<SessionRef> {
  const ref = await sessionMeant(text, where, files);
  if (ref.path === null || isStream(ref)) return ref;
  try {
    await refuseFile(ref.path, files);
  } catch (error) {
    throw error instanceof SessionError ? error : cannotOpen(ref, error);
  }
  return ref;
}

/** The same without a look at what is in it: it may be empty, or anything. */
export async function sessionMeant(
  text: string,
  where: Where,
  files: SessionFiles = nodeSessionFiles,
): Promise<SessionRef> {
  if (text === "-") return sessionRef({ id: "-", source: "stdin" });
  if (text === "latest") return latestSession(where, files);
  const path = resolve(where.cwd, text.replace(/^~(?=[\\/])/, where.home));
  const kind = text === "" ? undefined : await kindOf(path, files);
  // Beside the file of a session often lies a folder with its name: that is hardly what is meant.
  const isPath = /[\\/]/.test(text) || /^\.\.?$/.test(text);
  if (kind === "file" || kind === "other" || (isPath && kind === "folder")) {
    const ref = await fileRef(path, files);
    return (await markForeign([ref], where, { files }))[0] ?? ref;
  }
  if (isPath || /\.(?:jsonl|md|json)$/.test(text)) throw noFile(path);
  const found = await findSessions(where, { all: true, files });
  const matching = matchesOf(text, found.sessions);
  if (matching.length === 0 && kind === "folder") return fileRef(path, files);
  return onlyOne(text, matching, found);
}

async function latestSession(where: Where, files: SessionFiles): Promise<SessionRef> {
  const found = await findSessions(where, { byEntryTime: true, files });
  const project = await currentProject(where, files);
  const ofProject = await filterByProject(found.sessions, resolve(project), where, files);
  const latest = (await firstConversation(ofProject)) ?? (await firstConversation(found.sessions));
  if (latest !== undefined) return latest;
  throw new SessionError("not_found", `There is no session on this machine yet${unread(found)}.`, DOCTOR);
}

/** The first in which something was said. What cannot be read is passed over. */
async function firstConversation(sessions: readonly SessionRef[]): Promise<SessionRef | undefined> {
  for (const ref of sessions) {
    try {
      if (await isConversation(ref)) return ref;
    } catch (error) {
      if (!isReadFault(error)) throw error;
    }
  }
  return undefined;
}

const DOCTOR = "Run `transcripts doctor` to see where it was looked for.";

/** The sessions with this id, or else those whose ids begin with it. */
function matchesOf(text: string, sessions: readonly SessionRef[]): SessionRef[] {
  const wanted = COMMON_PREFIXES.map((prefix) => prefix + text);
  const exact = sessions.filter(({ id }) => wanted.includes(id));
  if (exact.length > 0) return exact;
  if (text.length < MIN_PREFIX) {
    const problem = `${shown(text)} is too short to tell sessions apart.`;
    throw new SessionError(
      "too_short",
      problem,
      `Pass at least ${MIN_PREFIX} characters of the id, a path or \`latest\`.`,
    );
  }
  return sessions.filter(({ id }) => wanted.some((prefix) => id.startsWith(prefix)));
}

function onlyOne(text: string, matching: readonly SessionRef[], found: FoundSessions): SessionRef {
  const [first, ...others] = matching;
  if (first === undefined) {
    const problem = `No session has an id that begins with ${shown(text)}${unread(found)}.`;
    throw new SessionError("not_found", problem, "Run `transcripts list` to see which there are.");
  }
  if (others.length === 0) return first;
  const isOneId = others.every(({ id }) => id === first.id);
  const problem = isOneId
    ? `${matching.length} files have the session id ${first.id}.`
    : `${matching.length} sessions have ids that begin with ${shown(text)}.`;
  const next = isOneId ? "Pass the path of the one that you mean." : "Pass more of the id.";
  throw new SessionError("ambiguous", problem, next, { candidates: matching });
}

function noFile(path: string): SessionError {
  const next = "Check the path, or run `transcripts list` to see which sessions there are.";
  return new SessionError("not_found", `There is no file ${path}.`, next, { path });
}

/** What makes the answer uncertain. */
function unread({ unreadable: [first, ...others] }: FoundSessions): string {
  if (first === undefined) return "";
  if (others.length > 0) return ` (${others.length + 1} places could not be read)`;
  return ` (${first.path} was not read: ${first.reason})`;
}

/** What was typed, in one short line without control characters. */
function shown(text: string): string {
  const line = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
  return line.replace(/[\u007f-\u009f]/g, "?");
}

async function kindOf(path: string, files: SessionFiles): Promise<string | undefined> {
  try {
    return (await files.stat(path)).kind;
  } catch {
    // No such file, or none that can be looked at: the text may still be an id.
    return undefined;
  }
}
