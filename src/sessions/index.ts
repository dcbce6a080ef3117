/** Sessions on this machine: finding them, finding the one that a user means, opening them, and their trees. */
export { fileRef, readHead } from "./file-ref.ts";
export { findSessions, type FindOptions, type FoundSessions, type SearchedRoot } from "./find-sessions.ts";
export { openSession, type OpenOptions } from "./open-session.ts";
export { outputReader } from "./output-reader.ts";
export { currentProject } from "./project-filter.ts";
export { resolveSession } from "./resolve-session.ts";
export { SessionError, type SessionErrorCode, type SessionErrorDetails } from "./session-error.ts";
export { sessionFamily, type SessionFamily, type SessionNode } from "./session-family.ts";
export {
  FigureSum,
  figuresOf,
  type MessageFigures,
  type SessionFigures,
  type SessionTotals,
  type StartedSubagent,
} from "./session-figures.ts";
export { nodeSessionFiles, type SessionFiles } from "./session-files.ts";
export {
  isSubagent,
  type SessionRef,
  type SessionRoot,
  type SessionSource,
  type Unreadable,
  type Where,
} from "./session-ref.ts";
export { sessionRoots } from "./session-roots.ts";
export { sessionTree, type SessionTree } from "./session-tree.ts";
