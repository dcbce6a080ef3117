import { createRedactor, type Redactor } from "../redact/redactor.ts";
import { readHead } from "../sessions/file-ref.ts";
import type { SessionRef, Where } from "../places/session-ref.ts";
import type { Store } from "../store/store.ts";
import { machineSessions } from "./machine-sessions.ts";
import type { KeyedSession } from "./session-keys.ts";
import { WordRedactor } from "./redact-stored-rows.ts";
import { rowOf, wordsInRow } from "./session-row.ts";

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
  const found = await keyedSession(store, where, ref);
  if (found.stored !== undefined) return found.sessionId;
  const known = await readHead(found.ref);
  const words = new WordRedactor(redactor);
  await words.add(wordsInRow(known));
  await store.registerSession(rowOf(found.sessionId, known, {}, (word) => words.clean(word), store.machine));
  return found.sessionId;
}

/** Returns a session of this machine with the id that it has in the store, or would get. */
export async function keyedSession(store: Store, where: Where, ref: SessionRef): Promise<KeyedSession> {
  const keyed = async (only?: readonly SessionRef[]): Promise<KeyedSession[]> => {
    const { sessions, forgotten } = await machineSessions(store, where, only);
    return [...sessions, ...forgotten];
  };
  const listed = (await keyed()).find((session) => isSame(session.ref, ref));
  // Otherwise it is outside of the places where sessions are looked for.
  const [found] = listed === undefined ? await keyed([ref]) : [listed];
  if (found === undefined) throw new Error(`Session ${ref.id} got no id.`);
  return found;
}

/** Returns true for the same session in any of its forms. */
function isSame(listed: SessionRef, ref: SessionRef): boolean {
  return [listed, ...listed.alternatives].some(
    (form) => form.id === ref.id && form.path === ref.path && form.database === ref.database,
  );
}
