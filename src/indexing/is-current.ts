/** Compares a session on this machine with its stored rows. */
import { pathOf, type SessionRef } from "../places/session-ref.ts";
import type { SessionMark } from "../store/stored-model.ts";

/**
 * Version of the rules for indexing: which blocks count as conversation, how they are identified, which calls failed and
 * what gets redacted. Increase it when a rule changes; stored sessions are then indexed again.
 */
export const INDEX_RULES = 11;

/** `figures`: see `StoredFigures`. `content`: these, and all rows. */
export type IndexLevel = "figures" | "content";

/** Returns true if texts of the session are stored, however old. */
export function hasContent(stored: SessionMark): boolean {
  return stored.state.rules > 0;
}

/** Returns true if the stored rows cover the source as it is now. */
export function isCurrent(ref: SessionRef, stored: SessionMark | undefined, level: IndexLevel = "content"): boolean {
  if (stored === undefined || stored.state.revision === 0) return false;
  const done = level === "figures" ? stored.figures : stored.state;
  return done !== null && done.rules === INDEX_RULES && covers(ref, stored, done);
}

type Covered = Pick<SessionMark["state"], "source_bytes" | "source_modified_ms">;

function covers(ref: SessionRef, { path, place }: SessionMark, { source_bytes, source_modified_ms }: Covered): boolean {
  if (path !== pathOf(ref) || place !== ref.place) return false;
  // For a database the stored time may be that of a part, which is later than the session's own.
  if (ref.database !== null) return source_modified_ms >= ref.modifiedMs;
  return source_bytes === (ref.bytes ?? 0) && source_modified_ms === ref.modifiedMs;
}
