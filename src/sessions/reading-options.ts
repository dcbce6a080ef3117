/** Options of the parser that depend on the place of a session. */
import { MAX_LINE_BYTES } from "../parse/content.ts";
import type { ParseOptions } from "../parse/parse-options.ts";
import { needsAgentProgress } from "../agents/claude-code/agent-progress.ts";
import { outputReader } from "./session-kept-files.ts";
import type { SessionRef } from "../places/session-ref.ts";

export interface ReadingOptions {
  /** Reads subagents that have no file of their own too: see `needsAgentProgress`. Default: false. */
  subagents?: boolean;
  signal?: AbortSignal | undefined;
}

/** Returns the options for parsing a session: of everything that reads one, so that all read the same. */
export async function readingOptions(
  ref: SessionRef,
  { subagents = false, signal }: ReadingOptions = {},
): Promise<Pick<ParseOptions, "agentProgress" | "maxLineBytes" | "readOutput" | "signal">> {
  const readOutput = outputReader(ref);
  return {
    maxLineBytes: MAX_LINE_BYTES,
    agentProgress: subagents && (await needsAgentProgress(ref)),
    ...(signal === undefined ? {} : { signal }),
    ...(readOutput === undefined ? {} : { readOutput }),
  };
}
