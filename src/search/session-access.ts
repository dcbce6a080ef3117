/** Whether the session that a hit of the index is of can be read now. */
import { accessSync, constants } from "node:fs";
import { hostname } from "node:os";
import { errorCode } from "../files/fault.ts";
import { reasonOf } from "../sessions/reasons.ts";
import type { StoredSession } from "../store/model.ts";
import type { Store } from "../store/store.ts";

export type SessionAccess =
  | { kind: "here" }
  /** There is nothing under that name any more: only the index has what it held. */
  | { kind: "gone" }
  /** It is there, or may be: a folder that may not be entered tells nothing of what is in it. `reason`: a clause. */
  | { kind: "unreadable"; reason: string }
  /** On another machine, which uses the same index. */
  | { kind: "elsewhere"; host: string };

/** A look at the file, which is not opened. */
export function accessOf({ host, path }: StoredSession, { backend }: Pick<Store, "backend">): SessionAccess {
  if (backend === "postgres" && host !== hostname()) return { kind: "elsewhere", host };
  try {
    accessSync(path, constants.R_OK);
    return { kind: "here" };
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? { kind: "gone" } : { kind: "unreadable", reason: reasonOf(error) };
  }
}
