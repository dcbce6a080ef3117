import type { Recorder } from "../../transcript/recorder.ts";
import type { Digest } from "./digest.ts";
import { findTranscript, type TranscriptSources } from "./found-transcript.ts";
import type { SubagentFacts } from "./session-file.ts";
import { addUsage, noUsage, type Usage } from "./usage.ts";

/** Subagents that are followed; a session that has more is told of the first. */
const MAX_SUBAGENTS = 200;
/** How long the transcript of each may take to be written, in milliseconds. */
const FLUSH_MS = 2_000;

export interface Family {
  /** All sessions below, parents before their children. */
  subagents: SubagentFacts[];
  /** Of the session and all below; undefined if it has no subagents. */
  usage: Usage | undefined;
}

/** Follows the subagents of a session, and theirs, through their transcripts. */
export async function familyOf(
  sessionID: string,
  digest: Digest,
  sources: TranscriptSources & { recorder: Pick<Recorder, "flush"> },
): Promise<Family> {
  const subagents: SubagentFacts[] = [];
  const usage = noUsage();
  addUsage(usage, digest.usage, digest.usage.cost);
  usage.isEstimate = digest.usage.isEstimate;
  const seen = new Set([sessionID]);
  const waiting = digest.subagents.map((child) => child.sessionID);
  for (let child = waiting.shift(); child !== undefined; child = waiting.shift()) {
    if (seen.has(child) || subagents.length >= MAX_SUBAGENTS) continue;
    seen.add(child);
    await sources.recorder.flush(FLUSH_MS, child);
    // One that cannot be read is listed like one that is not there: the saved session itself is readable.
    const found = await findTranscript(child, sources).catch(() => undefined);
    subagents.push({ sessionID: child, path: found?.path, title: found?.digest.title });
    if (!found) continue;
    addUsage(usage, found.digest.usage, found.digest.usage.cost);
    usage.isEstimate ||= found.digest.usage.isEstimate;
    waiting.push(...found.digest.subagents.map((grandchild) => grandchild.sessionID));
  }
  return { subagents, usage: subagents.length === 0 ? undefined : usage };
}
