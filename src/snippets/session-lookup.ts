/** Finds the session that a caller names, in the store and on this machine. */
import { given } from "../given.ts";
import { ensureSession } from "../indexing/ensure-session.ts";
import { isOwnSession } from "../indexing/session-keys.ts";
import { archivedSession } from "../queries/archive.ts";
import { fileRef } from "../sessions/file-ref.ts";
import { resolveSession } from "../sessions/resolve-session.ts";
import { isStream, type SessionRef, sessionRef, type Where } from "../sessions/session-ref.ts";
import type { StoredSession } from "../store/stored-model.ts";
import { redactorOf, type SnippetSetting } from "./setting.ts";
import { type TranscriptsError, fieldError, isSessionError } from "../transcripts-error.ts";
import { shortened } from "../neutral-text.ts";

/** Next step if a session cannot be read: then nothing of it can be cited either. */
export const WITHOUT_FILE = "Give the content itself, without lines or turns.";

const FIELD = "session_id";
/** Minimum length of the beginning of an id: fewer characters match by accident. */
const MIN_PREFIX = 4;
/** Common prefixes of ids, which need not be typed. */
const COMMON_PREFIXES = ["", "ses_", "agent-"];
const MAX_CANDIDATES = 5;

/**
 * Returns the session's id in the store, adding the session if only this machine has it. Accepts an id, the beginning
 * of one, a path or `latest`. Throws a `TranscriptsError` (`unknown_session`, `ambiguous_session`).
 */
export async function storedSessionId(setting: SnippetSetting, text: string): Promise<string> {
  const found = await lookUp(setting, text);
  if (typeof found === "string") return found;
  try {
    return await ensureSession(setting.store, found.where, found.ref, redactorOf(setting));
  } catch (error) {
    if (!isSessionError(error)) throw error;
    throw fieldError("no_file", FIELD, error.message, "", { cause: error });
  }
}

/**
 * Like `storedSessionId`, but adds nothing: for a session that is not in the store, returns the id that it would get.
 */
export async function knownSessionId(setting: SnippetSetting, text: string): Promise<string> {
  const found = await lookUp(setting, text);
  return typeof found === "string" ? found : ((await storedAs(setting, found.ref)) ?? found.ref.id);
}

/**
 * Returns the session in a form that can be opened: its file, or what the store has of it. Throws a `TranscriptsError`
 * (`no_file`) if there is neither.
 */
export async function openableSession({ store, where }: SnippetSetting, sessionId: string): Promise<SessionRef> {
  const stored = await store.session(sessionId);
  if (stored === undefined) throw unknown(sessionId);
  const { source, path, host } = stored;
  const kept = archivedSession(store, stored);
  if (!isOwnSession(stored, store)) {
    if (kept !== undefined) return kept;
    throw fieldError("no_file", FIELD, `it was recorded on ${host}, and the index does not have it.`, WITHOUT_FILE);
  }
  if (source === "opencode-store") return storeRef(stored, where);
  let cause: TranscriptsError | undefined;
  try {
    const ref = await fileRef(path);
    if (!isStream(ref)) return ref;
  } catch (error) {
    if (!isSessionError(error)) throw error;
    cause = error;
  }
  if (kept !== undefined) return kept;
  const problem = `its file ${path} (on ${host}) cannot be read here.`;
  throw fieldError("no_file", FIELD, problem, WITHOUT_FILE, given({ cause }));
}

/** Returns what opencode's store has about the session if it can be read, otherwise what is known. */
async function storeRef({ session_id: id, path, project }: StoredSession, where?: Where): Promise<SessionRef> {
  const plain = sessionRef({ id: id.replace(/@[0-9a-f]+$/, ""), source: "opencode-store", database: path, project });
  if (where === undefined) return plain;
  try {
    const found = await resolveSession(plain.id, where);
    return [found, ...found.alternatives].find(({ database }) => database === path) ?? plain;
  } catch (error) {
    if (isSessionError(error)) return plain;
    throw error;
  }
}

/** Returns the id of a stored session, or a session that only this machine has. */
async function lookUp(setting: SnippetSetting, text: string): Promise<string | { ref: SessionRef; where: Where }> {
  const { store, where } = setting;
  if (text === "-") {
    throw noSession("standard input cannot be cited.");
  }
  if (text !== "latest") {
    for (const prefix of COMMON_PREFIXES) {
      const exact = await store.session(prefix + text);
      // This machine may have a session with the id of another's.
      if (exact !== undefined && isOwnSession(exact, store)) return exact.session_id;
    }
  }
  if (where === undefined) return byPrefix(await store.sessions(), text);
  try {
    const ref = await resolveSession(text, where);
    if (isStream(ref)) throw noSession(`${ref.path} is a pipe or a device, not a session that can be cited.`);
    return { ref, where };
  } catch (error) {
    if (!isSessionError(error)) throw error;
    if (error.code === "ambiguous") throw ambiguous(text, error.candidates);
    if (error.code !== "not_found") {
      throw fieldError("unknown_session", FIELD, error.message, "", { cause: error });
    }
    // The file may be gone or on another machine while the store still has the session.
    return byPrefix(await store.sessions(), text);
  }
}

function byPrefix(sessions: readonly StoredSession[], text: string): string {
  const exact = sessions.find(({ session_id: id }) => COMMON_PREFIXES.some((prefix) => id === prefix + text));
  if (exact !== undefined) return exact.session_id;
  const [first, ...others] =
    text.length < MIN_PREFIX || text === "latest"
      ? []
      : sessions.filter(({ session_id: id }) => COMMON_PREFIXES.some((prefix) => id.startsWith(prefix + text)));
  if (first === undefined) throw unknown(text);
  if (others.length > 0)
    throw ambiguous(
      text,
      [first, ...others].map(({ session_id: id, path }) => ({ id, path })),
    );
  return first.session_id;
}

/** Returns the id under which the store has this file. */
async function storedAs({ store }: SnippetSetting, ref: SessionRef): Promise<string | undefined> {
  if (ref.archived !== null) return ref.archived.sessionId;
  const path = ref.path ?? ref.database;
  if (path === null) return undefined;
  const same = await store.sessions({ path });
  return same.find(({ session_id: id }) => id === ref.id || id.startsWith(`${ref.id}@`))?.session_id;
}

function noSession(problem: string): TranscriptsError {
  return fieldError("unknown_session", FIELD, problem, "Give an id, the path of a file or `latest`.");
}

function unknown(text: string): TranscriptsError {
  const next =
    "Run `transcripts list` to see which there are; an id, the beginning of one, a path or `latest` will do.";
  return fieldError("unknown_session", FIELD, `there is no session ${shown(text)}.`, next);
}

function ambiguous(text: string, candidates: readonly { id: string; path: string | null }[]): TranscriptsError {
  const isOneId = candidates.every(({ id }) => id === candidates[0]?.id);
  const names = candidates.slice(0, MAX_CANDIDATES).map(({ id, path }) => (isOneId ? (path ?? id) : id));
  const more = candidates.length > MAX_CANDIDATES ? ` and ${candidates.length - MAX_CANDIDATES} more` : "";
  const problem = `${shown(text)} may be ${candidates.length} sessions: ${names.join(", ")}${more}.`;
  return fieldError("ambiguous_session", FIELD, problem, "Give more of the id, or a path.");
}

function shown(text: string): string {
  return JSON.stringify(shortened(text, 80));
}
