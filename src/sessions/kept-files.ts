import { join, sep } from "node:path";
import { cannotOpen } from "./open-session.ts";
import { isAbsent } from "./reasons.ts";
import type { SessionFiles } from "./session-files.ts";
import type { SessionRef } from "./session-ref.ts";
import { transcriptsFolderOf } from "./transcripts.ts";

/**
 * Reads files that a transcript of ours keeps beside itself: what `read` makes of one, by its path relative to the
 * transcripts folder; undefined if it is not there, or if `pattern` does not know its path. Never reads anything outside
 * of that folder, through links neither. Undefined if the session is no transcript. The function rejects with a
 * `SessionError` if a file cannot be read.
 */
export function keptFileReader<T>(
  ref: SessionRef,
  pattern: RegExp,
  read: (path: string) => Promise<T | undefined>,
  files: Pick<SessionFiles, "realpath">,
): ((path: string) => Promise<T | undefined>) | undefined {
  if (ref.source !== "transcript" || ref.path === null) return undefined;
  const folder = transcriptsFolderOf(ref.path, ref.parentId);
  return async (path) => {
    if (!pattern.test(path)) return undefined;
    try {
      const real = await files.realpath(join(folder, path));
      if (!real.startsWith((await files.realpath(folder)) + sep)) return undefined;
      return await read(real);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw cannotOpen(ref, error);
    }
  };
}
