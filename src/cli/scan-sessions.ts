/** The figures of the sessions that a command asks for, with a bar where that takes long. */
import { scanSessions, type ScannedSession } from "../scan/scan-sessions.ts";
import { type SessionSums, sessionSums, usageRecords } from "../scan/session-scan.ts";
import type { ParseOptions } from "../parse/options.ts";
import { openReadable } from "../sessions/open-session.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import type { CommandContext } from "./command.ts";

/** A session that was read. */
export interface Scanned {
  ref: SessionRef;
  scan: SessionSums;
}

export interface ScanAllOptions {
  /** Those that are known already. */
  kept?: ReadonlyMap<SessionRef, SessionSums>;
  /** For standard input, which is read once; see `scansBetween`. */
  between?: Between | undefined;
}

type Between = NonNullable<ParseOptions["between"]>;

/** In the order of `refs`. What cannot be read has a `problem` and does not stop the rest. */
export async function scanAll(
  context: CommandContext,
  refs: readonly SessionRef[],
  { kept = new Map(), between }: ScanAllOptions = {},
): Promise<ScannedSession[]> {
  const open = refs.filter((ref) => !kept.has(ref));
  const progress = context.progress(open.length, "sessions");
  try {
    const stored = open.filter(({ source }) => source !== "stdin");
    const onScanned = (): void => progress.advance();
    const scanned = await scanSessions(stored, { onScanned, signal: context.signal });
    const piped = open.find(({ source }) => source === "stdin");
    if (piped) scanned.push(await scanInput(context, piped, between));
    const byRef = new Map(scanned.map((each) => [each.ref, each]));
    return refs.flatMap((ref) => byRef.get(ref) ?? keptSession(ref, kept.get(ref)));
  } finally {
    progress.end();
  }
}

function keptSession(ref: SessionRef, scan: SessionSums | undefined): ScannedSession[] {
  return scan === undefined ? [] : [{ ref, scan, problem: null }];
}

/** Standard input can be read only once, so nothing quicker than a whole parse will do. */
async function scanInput(
  { stdin, signal }: CommandContext,
  ref: SessionRef,
  between: Between | undefined,
): Promise<ScannedSession> {
  const { parseTranscript } = await import("../parse/parse-transcript.ts");
  const result = await parseTranscript(ref.id, openReadable(ref, { stdin }), {
    signal,
    ...(between === undefined ? {} : { between }),
  });
  signal.throwIfAborted();
  const { source, stats, metadata, lines, errors, messages } = result;
  const usage = usageRecords(messages);
  const scan = sessionSums({ source, stats, metadata, lines, error_count: errors.length, usage });
  return { ref, scan, problem: null };
}
