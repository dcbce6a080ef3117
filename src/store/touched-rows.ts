import { filesOfCall } from "../agents/all-tools.ts";
import { fileName } from "../calls/file-paths.ts";
import type { TouchedFile } from "./columns.ts";
import type { StoredBlock } from "./stored-model.ts";

/** More files of one call are left out. */
const MAX_FILES = 200;

/** Returns the files that a stored call read or changed, each once. `folder`: of its message. */
export function touchedIn({ session_id, event_id, ...call }: StoredBlock, folder: string | null): TouchedFile[] {
  if (call.is_own || call.kept !== "all") return [];
  const { read, written } = filesOfCall(call.tool_name, JSON.parse(call.content), folder);
  const files = new Map<string, boolean>();
  for (const { full } of read) files.set(full, false);
  for (const { full } of written) files.set(full, true);
  const rows = [...files].map(([path, is_written]) => ({
    session_id,
    event_id,
    path,
    name: fileName(path),
    is_written,
  }));
  return rows.slice(0, MAX_FILES);
}
