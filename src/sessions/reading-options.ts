/** Options of the parser that depend on the session. */
import type { FolderListings } from "../agents/agent.ts";
import { agentAt } from "../agents/registry.ts";
import { MAX_LINE_BYTES } from "../parse/content.ts";
import type { ParseOptions } from "../parse/parse-options.ts";
import type { SessionRef } from "../places/session-ref.ts";

export interface ReadingOptions {
  /** Reads subagents that have no file of their own too: see `needsSubagentCopies`. Default: false. */
  subagents?: boolean;
  signal?: AbortSignal | undefined;
}

/** Returns the options for parsing a session: of everything that reads one, so that all read the same. */
export async function readingOptions(
  ref: SessionRef,
  { subagents = false, signal }: ReadingOptions = {},
): Promise<Pick<ParseOptions, "subagentCopies" | "maxLineBytes" | "signal">> {
  return {
    maxLineBytes: MAX_LINE_BYTES,
    subagentCopies: subagents && (await needsSubagentCopies(ref)),
    ...(signal === undefined ? {} : { signal }),
  };
}

/** See `Agent.hasSubagentCopies`. For an archived session, that was decided when it was indexed. */
export async function needsSubagentCopies(ref: SessionRef, listings: FolderListings = new Map()): Promise<boolean> {
  if (ref.archived !== null) return true;
  return (await agentAt(ref)?.hasSubagentCopies?.(ref, listings)) ?? false;
}
