import { keptFileReader } from "./kept-files.ts";
import { nodeSessionFiles, type SessionFiles } from "./session-files.ts";
import type { SessionRef } from "./session-ref.ts";
import { textOfFile } from "./text-file.ts";

/** What our recorder writes; anything else is no output of ours, whatever a transcript says. */
const OUTPUT_PATH = /^[\w-]+\/outputs\/[\w-]+\.txt$/;

/** Reads the outputs that a transcript of ours keeps in files of their own, as text. See `keptFileReader`. */
export function outputReader(
  ref: SessionRef,
  files: Pick<SessionFiles, "openRead" | "realpath" | "stat"> = nodeSessionFiles,
): ((path: string) => Promise<string | undefined>) | undefined {
  return keptFileReader(ref, OUTPUT_PATH, (path) => textOfFile(path, files), files);
}
