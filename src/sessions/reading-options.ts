/** Options of the parser that depend on the place of a session. */
import type { ParseOptions } from "../parse/parse-options.ts";
import { needsAgentProgress } from "./agent-progress.ts";
import { keptFileReader } from "./session-kept-files.ts";
import { nodeSessionFiles, type SessionFiles } from "./session-files.ts";
import type { SessionRef } from "./session-ref.ts";
import { textOfFile } from "./text-file.ts";

/** Output paths as the recorder writes them; other paths in a transcript are not read. */
const OUTPUT_PATH = /^[\w-]+\/outputs\/[\w-]+\.txt$/;

/** Returns a reader for the outputs saved in files beside a transcript, as text. See `keptFileReader`. */
export function outputReader(
  ref: SessionRef,
  files: Pick<SessionFiles, "openRead" | "realpath" | "stat"> = nodeSessionFiles,
): ((path: string) => Promise<string | undefined>) | undefined {
  return keptFileReader(ref, OUTPUT_PATH, (path) => textOfFile(path, files), files);
}

export interface ReadingOptions {
  /** Reads subagents that have no file of their own too: see `needsAgentProgress`. Default: false. */
  subagents?: boolean;
  signal?: AbortSignal | undefined;
}

/** Returns the options for parsing a session: of everything that reads one, so that all read the same. */
export async function readingOptions(
  ref: SessionRef,
  { subagents = false, signal }: ReadingOptions = {},
): Promise<Pick<ParseOptions, "agentProgress" | "readOutput" | "signal">> {
  const readOutput = outputReader(ref);
  return {
    agentProgress: subagents && (await needsAgentProgress(ref)),
    ...(signal === undefined ? {} : { signal }),
    ...(readOutput === undefined ? {} : { readOutput }),
  };
}
