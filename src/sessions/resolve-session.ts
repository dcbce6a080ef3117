import { resolve } from "node:path";
import { fileRef } from "./file-ref.ts";
import { completedBy, findSessions, type FoundSessions } from "./find-sessions.ts";
import { filterByProject } from "./project-filter.ts";
import { currentProject } from "../places/project-folder.ts";
import { factsAt, nodeSessionFiles, type SessionFiles } from "../places/session-files.ts";
import { byProgress } from "./session-forms.ts";
import { type ArchivedIds, isSubagent, type SessionRef, sessionRef, type Where } from "../places/session-ref.ts";
import { TranscriptsError } from "../transcripts-error.ts";
import { shortened } from "../neutral-text.ts";

/** Minimum length of an id's prefix; shorter ones match by accident. */
const MIN_PREFIX = 4;
/** Id that the store gave to tell several sessions with one id apart. */
const STORED_ID = /@[0-9a-f]{8}$/;
/** Prefixes of ids that may be left out. */
const STARTS = ["", "ses_", "agent-"];

/**
 * Resolves a SESSION argument, one of:
 *
 * - `-`: standard input;
 * - `latest`: the session with the latest entry that is not a subagent's, of the project of `cwd`, or of all if it has
 *   none; without a store (`where.archive`), the one whose file was written last (write `./latest` for a file of that name);
 * - the path of a file, relative to `cwd`;
 * - an id or its unique beginning: at least 4 characters, `ses_` and `agent-` may be left out.
 *
 * With `where.archive`, sessions that only the store has are found as well: by their id, or by the path that they had.
 *
 * Throws a `TranscriptsError` (`not_found`, `ambiguous` with its candidates, `too_short`, `is_folder`, `gone`,
 * `unreadable`). Whether the content is a session shows when it is read.
 */
export async function resolveSession(
  text: string,
  where: Where,
  files: SessionFiles = nodeSessionFiles,
): Promise<SessionRef> {
  if (text === "-") return sessionRef({ id: "-", place: "stdin", agent: null });
  if (text === "latest") return latestSession(where, files);
  const path = resolve(where.cwd, text.replace(/^~(?=[\\/])/, where.home));
  const kind = text === "" ? undefined : factsAt(path, files)?.kind;
  // A folder named like a session often lies beside its file, and is rarely meant.
  const isPath = /[\\/]/.test(text) || /^\.\.?$/.test(text);
  const isShortFolder = kind === "folder" && text.length < MIN_PREFIX;
  if (kind === "file" || kind === "other" || (kind === "folder" && (isPath || isShortFolder))) {
    return fileRef(path, files);
  }
  const isNamed = (session: ArchivedIds): boolean =>
    session.path === path || STARTS.some((start) => session.session_id.startsWith(start + text));
  const found = await completedBy(where, await findSessions(where, { files }), isNamed);
  if (isPath || /\.(?:jsonl|md|json)$/.test(text)) {
    const kept = found.sessions.filter((ref) => ref.archived !== null && ref.path === path);
    // A file may have had subagents too.
    const [first] = [...kept.filter((ref) => !isSubagent(ref)), ...kept];
    if (first !== undefined) return first;
    throw noFile(path);
  }
  const matching = matchesOf(text, found.sessions);
  const named = matching.length === 0 && STORED_ID.test(text) ? await where.archive?.named(text, found) : undefined;
  if (named !== undefined) return named;
  if (matching.length === 0 && kind === "folder") return fileRef(path, files);
  return onlyOne(text, matching, found);
}

async function latestSession(where: Where, files: SessionFiles): Promise<SessionRef> {
  const latest = await where.archive?.latest();
  if (latest !== undefined) return latest;
  const found = await findSessions(where, { files });
  const sessions = found.sessions.filter((ref) => !isSubagent(ref));
  const ofProject = await filterByProject(sessions, resolve(currentProject(where, files)), where, files);
  const [newest] = [...ofProject, ...sessions];
  if (newest !== undefined) return newest;
  throw new TranscriptsError("not_found", `No sessions on this machine yet${unread(found)}.`, DOCTOR);
}

const DOCTOR = "Run `transcripts doctor` to see which folders were searched.";

/** Returns the sessions with this id, or else those whose ids begin with it. What is left out of an id comes last. */
function matchesOf(text: string, sessions: readonly SessionRef[]): SessionRef[] {
  const named = sessions.filter(({ archived }) => archived?.sessionId === text);
  for (const prefix of STARTS) {
    const wanted = prefix + text;
    const exact = sessions.filter(({ id, archived }) => id === wanted || archived?.sessionId === text);
    // Sessions that only the store has can be told apart by their ids there.
    if (named.length > 0 && exact.every(({ archived }) => archived !== null)) return named;
    if (exact.length > 0) return exact;
    const begun = text.length < MIN_PREFIX ? [] : sessions.filter(({ id }) => id.startsWith(wanted));
    if (begun.length > 0) return begun;
  }
  if (text.length >= MIN_PREFIX) return [];
  throw new TranscriptsError(
    "too_short",
    `${shown(text)} is too short to tell sessions apart.`,
    `Pass at least ${MIN_PREFIX} characters of the id, a path or \`latest\`.`,
  );
}

function onlyOne(text: string, matching: readonly SessionRef[], found: FoundSessions): SessionRef {
  const [first, ...others] = matching;
  if (first === undefined) {
    const problem = `No session has an id that begins with ${shown(text)}${unread(found)}.`;
    throw new TranscriptsError("not_found", problem, "Run `transcripts list` to see all sessions.");
  }
  if (others.length === 0) return first;
  if (others.every((other) => other.id === first.id && other.parentId === first.parentId))
    return matching.toSorted(byProgress)[0] ?? first;
  // A list without subagents shortens ids without regard to them.
  const tops = matching.filter((ref) => !isSubagent(ref));
  if (tops.length > 0 && tops.length < matching.length) return onlyOne(text, tops, found);
  const isOneId = others.every(({ id }) => id === first.id);
  const problem = isOneId
    ? `${matching.length} sessions have the id ${first.id}.`
    : `${matching.length} sessions have ids that begin with ${shown(text)}.`;
  const next = isOneId ? "Pass the path of the one that you mean." : "Pass more of the id.";
  const candidates = matching.map((ref) => ({ ...ref, id: ref.archived?.sessionId ?? ref.id }));
  throw new TranscriptsError("ambiguous", problem, next, { candidates });
}

function noFile(path: string): TranscriptsError {
  // Arguments are decoded as UTF-8, so such a name cannot be opened.
  const next = path.includes("\ufffd")
    ? "Run the command with `- < FILE`: a name that is not valid UTF-8 can only be read as standard input."
    : "Check the path, or run `transcripts list` to see all sessions.";
  return new TranscriptsError("not_found", `There is no file ${path}.`, next, { path });
}

/** Names the unreadable places, which make the answer uncertain. */
function unread({ unreadable: [first, ...others] }: FoundSessions): string {
  if (first === undefined) return "";
  if (others.length > 0) return ` (${others.length + 1} places could not be read)`;
  return ` (${first.path} was not read: ${first.reason})`;
}

/** Formats the argument as one short line without control characters. */
function shown(text: string): string {
  const line = JSON.stringify(shortened(text, 80));
  return line.replace(/[\u007f-\u009f]/g, "?");
}
