/** The session that a call means. */
import { resolveSession } from "../sessions/resolve-session.ts";
import { isStream, type SessionRef } from "../sessions/session-ref.ts";
import { ToolError } from "./tool-error.ts";
import type { ToolContext } from "./tool.ts";

/**
 * Its name as a user types it (see `resolveSession`); the session that the caller is in if there is none or it is
 * `current`, or else the latest. Throws a `SessionError`, or a `ToolError` (`bad_arguments`).
 *
 * A person who names a pipe knows what writes into it; a call that waits for a pipe or a device may wait for ever, and
 * nothing can end a thread that waits for one to be opened.
 */
export async function sessionAsked(
  name: string | undefined,
  { where, sessionId }: Pick<ToolContext, "where" | "sessionId">,
): Promise<SessionRef> {
  const meant = name === undefined || name === "current" ? (sessionId ?? "latest") : name;
  if (meant === "-") {
    const next = 'Pass an id, the beginning of one, a path, or "latest".';
    throw new ToolError("bad_arguments", 'session: "-" is no session.', next, { field: "session" });
  }
  const ref = await resolveSession(meant, where);
  if (!isStream(ref)) return ref;
  const next = "Pass the path of a file, or an id from list_sessions.";
  const problem = `session: ${ref.path} is a pipe or a device, no file.`;
  throw new ToolError("bad_arguments", problem, next, { field: "session" });
}
