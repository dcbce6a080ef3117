/** The store and machine that snippets belong to, and the session that a caller names there. */
import { ensureSession, keyedSession } from "../indexing/ensure-session.ts";
import { storeArchive } from "../queries/stored-archive.ts";
import { readableSession } from "../queries/stored-session.ts";
import { type Redactor, sharedRedactor } from "../redact/redactor.ts";
import { resolveSession } from "../sessions/resolve-session.ts";
import { isStream, type SessionRef, type Where } from "../places/session-ref.ts";
import type { Store } from "../store/store.ts";
import { type TranscriptsError, fieldError, isSessionError } from "../transcripts-error.ts";
import { shortened } from "../neutral-text.ts";

export interface SnippetSetting {
  store: Store;
  /** Where to find the session that a caller names. Without it, only whole ids of stored sessions are known. */
  where?: Where | undefined;
  /** Everything that is stored passes through it. Default: the package's own redactor. */
  redactor?: Redactor | undefined;
  signal?: AbortSignal | undefined;
}

export function redactorOf({ redactor }: Pick<SnippetSetting, "redactor">): Redactor {
  return redactor ?? sharedRedactor();
}

/** Next step if a session cannot be read: then nothing of it can be cited either. */
export const WITHOUT_FILE = "Give the content itself, without lines or turns.";

const FIELD = "session_id";
const MAX_CANDIDATES = 5;

/**
 * Returns the session's id in the store, adding the session if only this machine has it. Accepts what `resolveSession`
 * does, except standard input. Throws a `TranscriptsError` (`unknown_session`, `ambiguous_session`, `no_file`).
 */
export async function storedSessionId(setting: SnippetSetting, text: string): Promise<string> {
  const found = await lookUp(setting, text);
  if (typeof found === "string") return found;
  try {
    return await ensureSession(setting.store, found.where, found.ref, { redactor: redactorOf(setting) });
  } catch (error) {
    throw isSessionError(error) ? fieldError("no_file", FIELD, error.message, "", { cause: error }) : error;
  }
}

/**
 * Like `storedSessionId`, but adds nothing: for a session that is not in the store, returns the id that it would get.
 */
export async function knownSessionId(setting: SnippetSetting, text: string): Promise<string> {
  const found = await lookUp(setting, text);
  if (typeof found === "string") return found;
  const { ref, where } = found;
  return ref.archived?.sessionId ?? (await keyedSession(setting.store, where, ref)).sessionId;
}

/** Returns a stored session to be read. Throws a `TranscriptsError` (`no_file`) if neither its source nor the store has it. */
export async function openableSession({ store }: SnippetSetting, sessionId: string): Promise<SessionRef> {
  const stored = await store.session(sessionId);
  if (stored === undefined) throw unknown(sessionId);
  return readableSession(store, stored);
}

/** Returns the id of a stored session, or a session that was found on this machine or in the store. */
async function lookUp(
  { store, where, signal = new AbortController().signal }: SnippetSetting,
  text: string,
): Promise<string | { ref: SessionRef; where: Where }> {
  const stored = await store.session(text);
  if (stored !== undefined) return stored.session_id;
  if (where === undefined) throw unknown(text);
  try {
    const archive = storeArchive(where, { open: async () => store, signal });
    const ref = await resolveSession(text, { archive, ...where });
    if (ref.place !== "stdin" && !isStream(ref)) return { ref, where };
  } catch (error) {
    if (!isSessionError(error)) throw error;
    if (error.code === "not_found") throw unknown(text);
    if (error.code === "ambiguous") throw ambiguous(text, error);
    throw fieldError("unknown_session", FIELD, error.message, "", { cause: error });
  }
  const problem =
    text === "-"
      ? "standard input cannot be cited."
      : `${text} is a pipe or a device, not a session that can be cited.`;
  throw fieldError("unknown_session", FIELD, problem, "Give an id, the path of a file or `latest`.");
}

function unknown(text: string): TranscriptsError {
  const next =
    "Run `transcripts list` to see which there are; an id, the beginning of one, a path or `latest` will do.";
  return fieldError("unknown_session", FIELD, `there is no session ${shown(text)}.`, next);
}

function ambiguous(text: string, { candidates }: TranscriptsError): TranscriptsError {
  const isOneId = candidates.every(({ id }) => id === candidates[0]?.id);
  const names = candidates.slice(0, MAX_CANDIDATES).map(({ id, path }) => (isOneId ? (path ?? id) : id));
  const more = candidates.length > MAX_CANDIDATES ? ` and ${candidates.length - MAX_CANDIDATES} more` : "";
  const problem = `${shown(text)} may be ${candidates.length} sessions: ${names.join(", ")}${more}.`;
  return fieldError("ambiguous_session", FIELD, problem, "Give more of the id, or a path.");
}

function shown(text: string): string {
  return JSON.stringify(shortened(text, 80));
}
