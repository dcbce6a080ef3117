import { join, sep } from "node:path";
import { cannotOpen } from "./open-session.ts";
import { isAbsent } from "./reasons.ts";
import type { SessionFiles } from "./session-files.ts";
import type { SessionRef } from "./session-ref.ts";
import { transcriptsFolderOf } from "./transcripts.ts";

/**
 * Returns a function that reads a file saved beside a transcript with `read`, given its path relative to the transcripts
 * folder. The function returns undefined if the file is missing or its path does not match `pattern`, never reads outside
 * of that folder, even through links, and rejects with a `TranscriptsError` if a file cannot be read. Undefined if the session
 * is not a transcript.
 */
export function keptFileReader<T>(
  ref: SessionRef,
  pattern: RegExp,
  read: (path: string) => Promise<T | undefined>,
  files: Pick<SessionFiles, "realpath">,
): ((path: string) => Promise<T | undefined>) | undefined {
  if (ref.source !== "transcript" || ref.path === null || ref.archived !== null) return undefined;
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
