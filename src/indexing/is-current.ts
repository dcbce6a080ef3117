/** Compares a session on this machine with its stored rows. */
import { type FolderListings, needsAgentProgress } from "../sessions/agent-progress.ts";
import { placeOf, type SessionRef } from "../sessions/session-ref.ts";
import type { StoredSession } from "../store/stored-model.ts";
import type { IndexLevel } from "./redact-stored-rows.ts";

/**
 * Version of the rules for indexing: which blocks count as conversation, how they are identified, which calls failed and
 * what gets redacted. Increase it when a rule changes; stored sessions are then indexed again.
 */
export const INDEX_RULES = 9;

/** Returns true if texts of the session are stored, however old. */
export function hasContent(stored: StoredSession): boolean {
  return stored.state.rules > 0;
}

/**
 * Returns true if there is nothing to index. A session with content gets no figures of its own: its content is brought up
 * to date, unless it must be read anew for other rules, which is left to `index`.
 */
export async function isDone(
  { ref, rebuild, level }: { ref: SessionRef; rebuild: boolean; level: IndexLevel },
  stored: StoredSession | undefined,
  listings?: FolderListings,
): Promise<boolean> {
  if (level === "figures" && stored !== undefined && hasContent(stored) && stored.state.rules !== INDEX_RULES)
    return true;
  return !rebuild && isCurrent(ref, stored, level) && isReadAlike(ref, stored, listings);
}

/** Returns true if the stored rows cover the source as it is now. For figures, rows of the content do too. */
export function isCurrent(ref: SessionRef, stored: StoredSession | undefined, level: IndexLevel = "content"): boolean {
  if (stored === undefined || stored.state.revision === 0) return false;
  const done = (level === "figures" && !hasContent(stored) ? stored.figures : null) ?? stored.state;
  return done.rules === INDEX_RULES && covers(ref, stored, done);
}

type Covered = Pick<StoredSession["state"], "source_bytes" | "source_modified_ms">;

function covers(
  ref: SessionRef,
  { path, source }: StoredSession,
  { source_bytes, source_modified_ms }: Covered,
): boolean {
  if (path !== placeOf(ref) || source !== ref.source) return false;
  // For a database the stored time may be that of a part, which is later than the session's own.
  if (ref.source === "opencode-store") return source_modified_ms >= ref.modifiedMs;
  return source_bytes === (ref.bytes ?? 0) && source_modified_ms === ref.modifiedMs;
}

/** Returns true if `needsAgentProgress` still gives what it gave when the session was indexed. */
export async function isReadAlike(
  ref: SessionRef,
  stored: StoredSession | undefined,
  listings?: FolderListings,
): Promise<boolean> {
  if (stored === undefined) return true;
  const then = stored.figures?.agentProgress ?? stored.state.agent_progress;
  return (await needsAgentProgress(ref, listings)) === then;
}
