/** The figures of the sessions that a command asks for, with a bar where that takes long. */
import { scanSessions, type ScannedSession } from "../scan/scan-sessions.ts";
import { type SessionScan, usageRecords } from "../scan/session-scan.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import type { CommandContext } from "./command.ts";

/** A session that was read. */
export interface Scanned {
  ref: SessionRef;
  scan: SessionScan;
}

/** In the order of `refs`. What cannot be read has a `problem` and does not stop the rest. */
export async function scanAll(context: CommandContext, refs: readonly SessionRef[]): Promise<ScannedSession[]> {
  const progress = context.progress(refs.length, "sessions");
  try {
    const stored = refs.filter(({ source }) => source !== "stdin");
    const onScanned = (): void => progress.advance();
    const scanned = await scanSessions(stored, { onScanned, signal: context.signal });
    const piped = refs.find(({ source }) => source === "stdin");
    return piped === undefined ? scanned : [...scanned, await scanInput(context, piped)];
  } finally {
    progress.end();
  }
}

/** Standard input can be read only once, so nothing quicker than a whole parse will do. */
async function scanInput({ stdin, signal }: CommandContext, ref: SessionRef): Promise<ScannedSession> {
  const { parseTranscript } = await import("../parse/parse-transcript.ts");
  const result = await parseTranscript(ref.id, stdin, { signal });
  signal.throwIfAborted();
  const { source, stats, metadata, lines, errors, messages } = result;
  const usage = usageRecords(messages);
  return { ref, scan: { source, stats, metadata, lines, error_count: errors.length, usage }, problem: null };
}
