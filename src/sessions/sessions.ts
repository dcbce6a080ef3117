/** Sessions on this machine: finding, resolving and opening them, and their families. */
export { fileRef, readHead } from "./file-ref.ts";
export { findSessions, type FindOptions, type FoundSessions, type SearchedRoot } from "./find-sessions.ts";
export { openSession, type OpenOptions } from "./open-session.ts";
export { outputReader } from "./session-kept-files.ts";
export { currentProject } from "./project-filter.ts";
export { resolveSession } from "./resolve-session.ts";
export { sessionFamily, type SessionFamily, type SessionNode } from "./session-family.ts";
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
