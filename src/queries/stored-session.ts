/** Converts rows of the store to sessions on this machine, and checks whether they can be read. */
import { isInDatabase } from "../agents/registry.ts";
import { accessSync, constants } from "node:fs";
import { baseId, exactId, isOwnSession } from "../indexing/session-keys.ts";
import { errorCode } from "../transcript/files/fault.ts";
import { reasonOf } from "../places/reasons.ts";
import { sessionRef, type SessionRef } from "../places/session-ref.ts";
import type { StoredSession } from "../store/stored-model.ts";
import type { Store } from "../store/store.ts";

export function storedRef({
  session_id,
  place,
  agent,
  path,
  project,
  parent_id,
  agent_id,
  title,
}: StoredSession): SessionRef {
  const isFolder = project !== null && /[\\/]/.test(project);
  return sessionRef({
    id: baseId(session_id),
    place,
    agent: agent || null,
    ...(isInDatabase({ place }) ? { database: path } : { path }),
    project: isFolder ? project : null,
    projectLabel: project ?? "",
    parentId: parent_id,
    agentId: agent_id,
    title,
  });
}

/** Returns a session without the path of another machine: here it means nothing, or something else. */
export function placedRef(stored: StoredSession, store: Pick<Store, "backend" | "machine">): SessionRef {
  const ref = storedRef(stored);
  return isOwnSession(stored, store) ? ref : { ...ref, path: null, database: null };
}

/** Returns the time of the first entry; null if none has a time, since `started_at` is then that of the file's head. */
export function firstTimeOf({ started_at: started, ended_at: ended }: StoredSession): string | null {
  return ended === null ? null : started;
}

export type SessionAccess =
  | { kind: "here" }
  /** The path no longer exists: only the index has the content. */
  | { kind: "gone" }
  /** The file exists or may exist, since an inaccessible folder hides its content. `reason`: a clause. */
  | { kind: "unreadable"; reason: string }
  /** On another machine that uses the same index. `id` opens it here, also if this machine has a session with its id. */
  | { kind: "elsewhere"; host: string; id: string };

/** Checks the file without opening it. */
export function accessOf(session: StoredSession, store: Pick<Store, "backend" | "machine">): SessionAccess {
  if (!isOwnSession(session, store)) return { kind: "elsewhere", host: session.host, id: exactId(session) };
  try {
    accessSync(session.path, constants.R_OK);
    return { kind: "here" };
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? { kind: "gone" } : { kind: "unreadable", reason: reasonOf(error) };
  }
}
