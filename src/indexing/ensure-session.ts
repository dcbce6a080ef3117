import { createRedactor, type Redactor } from "../redact/redactor.ts";
import { readHead } from "../sessions/file-ref.ts";
import type { SessionRef, Where } from "../sessions/session-ref.ts";
import type { Store } from "../store/store.ts";
import { machineSessions } from "./machine-sessions.ts";
import { WordRedactor } from "./redact-units.ts";
import { rowOf, wordsInRow } from "./session-row.ts";
import { TranscriptsError } from "../transcripts-error.ts";

/**
 * Adds a session to the store unless it is there, so that other rows can refer to it; its events come with the next
 * `updateIndex`. Returns its id in the store, which `updateIndex` will use too. Rejects with a `TranscriptsError` if
 * the file cannot be read, the session was forgotten, or the store fails.
 */
export async function ensureSession(
  store: Store,
  where: Where,
  ref: SessionRef,
  redactor: Redactor = createRedactor(),
): Promise<string> {
  if (ref.archived !== null) return ref.archived.sessionId;
  const { sessions, forgotten } = await machineSessions(store, where);
  const found =
    [...sessions, ...forgotten].find((session) => isSame(session.ref, ref)) ?? (await alone(store, where, ref));
  if (found.stored !== undefined) return found.sessionId;
  const known = await readHead(found.ref);
  const words = new WordRedactor(redactor);
  await words.add(wordsInRow(known));
  await store.registerSession(rowOf(found.sessionId, known, undefined, (word) => words.clean(word), store.machine));
  return found.sessionId;
}

/** Returns a session outside of the places where sessions are looked for. */
async function alone(
  store: Store,
  where: Where,
  ref: SessionRef,
): Promise<{ ref: SessionRef; sessionId: string; stored?: unknown }> {
  const { sessions, forgotten } = await machineSessions(store, where, [ref]);
  const [session] = [...sessions, ...forgotten];
  if (session !== undefined) return session;
  throw new TranscriptsError(
    "not_found",
    `Session ${ref.id} has no place.`,
    "Run `transcripts list` to see the sessions.",
  );
}

/** Returns true for the same session in any of its forms. */
function isSame(listed: SessionRef, ref: SessionRef): boolean {
  return [listed, ...listed.alternatives].some(
    (form) => form.id === ref.id && form.path === ref.path && form.database === ref.database,
  );
}
