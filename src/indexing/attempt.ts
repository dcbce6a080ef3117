/** Indexes one session. Returns every outcome as a value, except a failure of the store. */
import { isReadFault, isAbsent, reasonOf } from "../sessions/reasons.ts";
import type { Unreadable } from "../sessions/session-ref.ts";
import { ConcurrentWriteError, indexSession, type IndexRequest, type SessionOutcome } from "./index-session.ts";
import { placeOf } from "./session-row.ts";
import { isSessionError } from "../transcripts-error.ts";

/** `overtaken`: another program wrote the session in the meantime, so try again. */
export type Attempt = SessionOutcome | Unreadable | "overtaken";

export async function attempt(request: IndexRequest): Promise<Attempt> {
  try {
    return await indexSession(request);
  } catch (error) {
    if (error instanceof ConcurrentWriteError) return "overtaken";
    if (!isReadFault(error)) throw error;
    return { path: placeOf(request.ref), reason: faultOf(error) };
  }
}

function faultOf(error: unknown): string {
  if (!isSessionError(error)) return isAbsent(error) ? "it went away meanwhile" : reasonOf(error);
  return error.code === "gone" ? "it went away meanwhile" : reasonOf(error.cause ?? error);
}
