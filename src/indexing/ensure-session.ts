import { createRedactor, type Redactor } from "../redact/redactor.ts";
import { readHead } from "../sessions/file-ref.ts";
import { SessionError } from "../sessions/session-error.ts";
import type { SessionRef, Where } from "../sessions/session-ref.ts";
import type { Store } from "../store/store.ts";
import { machineSessions } from "./machine-sessions.ts";
import { redactEvents } from "./redact-events.ts";
import { rowOf, textsInRow } from "./session-row.ts";

/**
 * Enters a session into the store, if it is not there, so that something can refer to it: without its events, which come
 * with the next `updateIndex`. Gives its id in the store, under which `updateIndex` will find it. Rejects with a
 * `SessionError` if its file cannot be read, and with a `StoreError`.
 */
export async function ensureSession(
  store: Store,
  where: Where,
  ref: SessionRef,
  redactor: Redactor = createRedactor(),
): Promise<string> {
  const { sessions } = await machineSessions(store, where);
  const found = sessions.find((session) => isSame(session.ref, ref)) ?? (await alone(store, where, ref));
  if (found.stored !== undefined) return found.sessionId;
  const known = await readHead(found.ref);
  const { clean } = await redactEvents(redactor, [], [], textsInRow(known));
  await store.registerSession(rowOf(found.sessionId, known, undefined, clean));
  return found.sessionId;
}

/** A session somewhere else than where sessions are looked for. */
async function alone(
  store: Store,
  where: Where,
  ref: SessionRef,
): Promise<{ ref: SessionRef; sessionId: string; stored?: unknown }> {
  const { sessions } = await machineSessions(store, where, [ref]);
  const [session] = sessions;
  if (session !== undefined) return session;
  throw new SessionError("not_found", `Session ${ref.id} has no place.`, "Run `transcripts list` to see the sessions.");
}

/** The same session, in whichever form. */
function isSame(listed: SessionRef, ref: SessionRef): boolean {
  return [listed, ...listed.alternatives].some(
    (form) => form.id === ref.id && form.path === ref.path && form.database === ref.database,
  );
}
