/** The store and machine that snippets belong to, and the session that a caller names there. */
import { ensureSession, keyedSession } from "../indexing/ensure-session.ts";
import { storeArchive } from "../queries/stored-archive.ts";
import { readableSession } from "../queries/stored-session.ts";
import { resolveSession } from "../sessions/resolve-session.ts";
import type { SessionRef, Where } from "../places/session-ref.ts";
import type { Store } from "../store/store.ts";
import { fieldError, isSessionError } from "../transcripts-error.ts";
import { unknownSession } from "../store/snippet-values.ts";

export interface SnippetSetting {
  store: Store;
  /** Where to find the session that a caller names. Without it, only whole ids of stored sessions are known. */
  where?: Where | undefined;
  signal?: AbortSignal | undefined;
}

/** Next step if a session cannot be read: then nothing of it can be cited either. */
export const WITHOUT_FILE = "Give the content itself, without lines or turns.";

const FIELD = "session_id";

/**
 * Returns the session's id in the store, adding the session if only this machine has it. Accepts what `resolveSession`
 * does, except standard input. Throws a `TranscriptsError` (`unknown_session`, `ambiguous_session`, `no_file`).
 */
export async function storedSessionId(setting: SnippetSetting, text: string): Promise<string> {
  const found = await lookUp(setting, text);
  if (typeof found === "string") return found;
  try {
    return await ensureSession(setting.store, found.where, found.ref);
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
  if (stored === undefined) throw unknownSession(sessionId);
  return readableSession(store, stored);
}

/** Returns the id of a stored session, or a session that was found on this machine or in the store. */
async function lookUp(
  { store, where, signal = new AbortController().signal }: SnippetSetting,
  text: string,
): Promise<string | { ref: SessionRef; where: Where }> {
  const stored = await store.session(text);
  if (stored !== undefined) return stored.session_id;
  if (where === undefined) throw unknownSession(text);
  try {
    const archive = storeArchive(where, { open: async () => store, signal });
    const ref = await resolveSession(text, { archive, ...where });
    if (ref.place !== "stdin") return { ref, where };
  } catch (error) {
    if (!isSessionError(error)) throw error;
    const code = error.code === "ambiguous" ? "ambiguous_session" : "unknown_session";
    throw fieldError(code, FIELD, error.message, "", { cause: error, candidates: error.candidates });
  }
  const next = "Give an id, the path of a file or `latest`.";
  throw fieldError("unknown_session", FIELD, "Standard input is not a session that can be cited.", next);
}
