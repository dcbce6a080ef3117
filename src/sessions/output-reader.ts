import { join, sep } from "node:path";
import { cannotOpen } from "./open-session.ts";
import { isAbsent } from "./reasons.ts";
import { nodeSessionFiles, type SessionFiles } from "./session-files.ts";
import type { SessionRef } from "./session-ref.ts";
import { textOfFile } from "./text-file.ts";
import { transcriptsFolderOf } from "./transcripts.ts";

/** What our recorder writes; anything else is no output of ours, whatever a transcript says. */
const OUTPUT_PATH = /^[\w-]+\/outputs\/[\w-]+\.txt$/;

/**
 * Reads the outputs that a transcript of ours keeps in files of their own: the text by its path relative to the
 * transcripts folder, undefined if it is not there. Never reads anything outside of that folder, through links neither.
 * Undefined if the session is no transcript. The function rejects with a `SessionError` if a file cannot be read.
 */
export function outputReader(
  ref: SessionRef,
  files: Pick<SessionFiles, "openRead" | "realpath" | "stat"> = nodeSessionFiles,
): ((path: string) => Promise<string | undefined>) | undefined {
  if (ref.source !== "transcript" || ref.path === null) return undefined;
  const folder = transcriptsFolderOf(ref.path, ref.parentId);
  return async (path) => {
    if (!OUTPUT_PATH.test(path)) return undefined;
    try {
      const real = await files.realpath(join(folder, path));
      if (!real.startsWith((await files.realpath(folder)) + sep)) return undefined;
      return await textOfFile(real, files);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw cannotOpen(ref, error);
    }
  };
}
