/** The session that a caller names, in the store and on this machine. */
import { ensureSession } from "../indexing/ensure-session.ts";
import { fileRef } from "../sessions/file-ref.ts";
import { resolveSession } from "../sessions/resolve-session.ts";
import { SessionError } from "../sessions/session-error.ts";
import { isStream, type SessionRef, sessionRef, type Where } from "../sessions/session-ref.ts";
import type { StoredSession } from "../store/model.ts";
import { redactorOf, type SnippetSetting } from "./setting.ts";
import { SnippetError, WITHOUT_FILE } from "./snippet-error.ts";

const FIELD = "session_id";
/** Fewer characters of an id match by accident. */
const MIN_PREFIX = 4;
/** What ids of a kind begin with, so that nobody needs to type it. */
const COMMON_PREFIXES = ["", "ses_", "agent-"];
const MAX_CANDIDATES = 5;

/**
 * The session's id in the store, where it is entered if only this machine has it: an id, the beginning of one, a path or
 * `latest`. Throws a `SnippetError` (`unknown_session`, `ambiguous_session`).
 */
export async function storedSessionId(setting: SnippetSetting, text: string): Promise<string> {
  const found = await lookUp(setting, text);
  if (typeof found === "string") return found;
  try {
    return await ensureSession(setting.store, found.where, found.ref, redactorOf(setting));
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    throw new SnippetError("no_file", FIELD, error.message, "", { cause: error });
  }
}

/** The same without entering it: of a session that is not in the store the id that it would have. */
export async function knownSessionId(setting: SnippetSetting, text: string): Promise<string> {
  const found = await lookUp(setting, text);
  return typeof found === "string" ? found : ((await storedAs(setting, found.ref)) ?? found.ref.id);
}

/** The session as it can be opened. Throws a `SnippetError` (`no_file`) if its file is not on this machine. */
export async function openableSession({ store, where }: SnippetSetting, sessionId: string): Promise<SessionRef> {
  const stored = await store.session(sessionId);
  if (stored === undefined) throw unknown(sessionId);
  const { source, path, host } = stored;
  if (source === "opencode-store") return storeRef(stored, where);
  let cause: SessionError | undefined;
  try {
    const ref = await fileRef(path);
    if (!isStream(ref)) return ref;
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    cause = error;
  }
  const problem = `its file ${path} (on ${host}) cannot be read here.`;
  throw new SnippetError("no_file", FIELD, problem, WITHOUT_FILE, cause === undefined ? {} : { cause });
}

/** What opencode's store tells of it, where that can be asked; else what is known. */
async function storeRef({ session_id: id, path, project }: StoredSession, where?: Where): Promise<SessionRef> {
  const plain = sessionRef({ id: id.replace(/@[0-9a-f]+$/, ""), source: "opencode-store", database: path, project });
  if (where === undefined) return plain;
  try {
    const found = await resolveSession(plain.id, where);
    return [found, ...found.alternatives].find(({ database }) => database === path) ?? plain;
  } catch (error) {
    if (error instanceof SessionError) return plain;
    throw error;
  }
}

/** The id of a session in the store, or a session that only this machine has. */
async function lookUp(setting: SnippetSetting, text: string): Promise<string | { ref: SessionRef; where: Where }> {
  const { store, where } = setting;
  if (text === "-") {
    throw noSession("standard input is no session that can be cited.");
  }
  if (text !== "latest") {
    for (const prefix of COMMON_PREFIXES) {
      const exact = await store.session(prefix + text);
      if (exact !== undefined) return exact.session_id;
    }
  }
  if (where === undefined) return byPrefix(await store.sessions(), text);
  try {
    const ref = await resolveSession(text, where);
    if (isStream(ref)) throw noSession(`${ref.path} is a pipe or a device, no session that can be cited.`);
    return { ref, where };
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    if (error.code === "ambiguous") throw ambiguous(text, error.candidates);
    if (error.code !== "not_found") {
      throw new SnippetError("unknown_session", FIELD, error.message, "", { cause: error });
    }
    // Its file may be gone, or on another machine, while the store still has it.
    return byPrefix(await store.sessions(), text);
  }
}

function byPrefix(sessions: readonly StoredSession[], text: string): string {
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

/** The id under which the store has this file. */
async function storedAs({ store }: SnippetSetting, ref: SessionRef): Promise<string | undefined> {
  const path = ref.path ?? ref.database;
  if (path === null) return undefined;
  const same = await store.sessions({ path });
  return same.find(({ session_id: id }) => id === ref.id || id.startsWith(`${ref.id}@`))?.session_id;
}

function noSession(problem: string): SnippetError {
  return new SnippetError("unknown_session", FIELD, problem, "Give an id, the path of a file or `latest`.");
}

function unknown(text: string): SnippetError {
  const next =
    "Run `transcripts list` to see which there are; an id, the beginning of one, a path or `latest` will do.";
  return new SnippetError("unknown_session", FIELD, `there is no session ${shown(text)}.`, next);
}

function ambiguous(text: string, candidates: readonly { id: string; path: string | null }[]): SnippetError {
  const isOneId = candidates.every(({ id }) => id === candidates[0]?.id);
  const names = candidates.slice(0, MAX_CANDIDATES).map(({ id, path }) => (isOneId ? (path ?? id) : id));
  const more = candidates.length > MAX_CANDIDATES ? ` and ${candidates.length - MAX_CANDIDATES} more` : "";
  const problem = `${shown(text)} may be ${candidates.length} sessions: ${names.join(", ")}${more}.`;
  return new SnippetError("ambiguous_session", FIELD, problem, "Give more of the id, or a path.");
}

function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
