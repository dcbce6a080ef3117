/** Compares a session on this machine with its stored rows. */
import { pathOf, type SessionRef } from "../places/session-ref.ts";
import type { SessionMark, StoredSession } from "../store/stored-model.ts";

/**
 * Version of the rules for indexing: which blocks count as conversation, how they are identified, which calls failed and
 * what gets redacted. Increase it when a rule changes; stored sessions are then indexed again.
 */
export const INDEX_RULES = 11;

/** `figures`: see `StoredFigures`. `content`: these, and all rows. */
export type IndexLevel = "figures" | "content";

/** Returns true if texts of the session are stored, however old. */
export function hasContent({ state }: Pick<StoredSession, "state">): boolean {
  return state.rules > 0;
}

/** Returns the mark of a stored session. */
export function markOf({ state, figures, ...session }: StoredSession): SessionMark {
  const hasContent =
    figures?.rules === state.rules &&
    figures.source_bytes === state.source_bytes &&
    figures.source_modified_ms === state.source_modified_ms;
  return { ...session, revision: state.revision, figures, has_content: hasContent };
}

/** Returns true if the stored rows cover the source as it is now. */
export function isCurrent(ref: SessionRef, stored: SessionMark | undefined, level: IndexLevel = "content"): boolean {
  if (stored === undefined || stored.figures === null) return false;
  const { rules, source_bytes: bytes, source_modified_ms: modifiedMs } = stored.figures;
  if (rules !== INDEX_RULES || (level === "content" && !stored.has_content)) return false;
  if (stored.path !== pathOf(ref) || stored.place !== ref.place) return false;
  // For a database the stored time may be that of a part, which is later than the session's own.
  if (ref.database !== null) return modifiedMs >= ref.modifiedMs;
  return bytes === (ref.bytes ?? 0) && modifiedMs === ref.modifiedMs;
}
