/** Indexing one session, with all that may come of it but a failure of the store. */
import { isReadFault } from "../sessions/read-fault.ts";
import { isAbsent, reasonOf } from "../sessions/reasons.ts";
import { SessionError } from "../sessions/session-error.ts";
import type { Unreadable } from "../sessions/session-ref.ts";
import { indexSession, type IndexRequest, type SessionOutcome } from "./index-session.ts";
import { placeOf } from "./session-row.ts";
import { Overtaken } from "./session-writer.ts";

/** `overtaken`: somebody else wrote the session meanwhile, so that it is to be tried again. */
export type Attempt = SessionOutcome | Unreadable | "overtaken";

export async function attempt(request: IndexRequest): Promise<Attempt> {
  try {
    return await indexSession(request);
  } catch (error) {
    if (error instanceof Overtaken) return "overtaken";
    if (!isReadFault(error)) throw error;
    return { path: placeOf(request.ref), reason: faultOf(error) };
  }
}

function faultOf(error: unknown): string {
  if (!(error instanceof SessionError)) return isAbsent(error) ? "it went away meanwhile" : reasonOf(error);
  return error.code === "gone" ? "it went away meanwhile" : reasonOf(error.cause ?? error);
}
