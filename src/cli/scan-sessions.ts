/** The figures of many sessions, with a bar where that takes long. */
import { reasonOf } from "../sessions/reasons.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import type { SessionScan } from "../scan/session-scan.ts";
import type { CommandContext } from "./command.ts";
import { scanSession } from "./scan-adapter.ts";

export interface Scanned {
  ref: SessionRef;
  scan: SessionScan;
}

export interface Unscanned {
  ref: SessionRef;
  reason: string;
}

/**
 * Each session in turn. What cannot be read is told with its reason and does not stop the rest. `wanted` ends it early:
 * it is asked after each.
 */
export async function* scanAll(
  context: CommandContext,
  refs: readonly SessionRef[],
): AsyncGenerator<Scanned | Unscanned> {
  const progress = context.progress(refs.length, "sessions");
  try {
    for (const ref of refs) {
      context.signal.throwIfAborted();
      yield await scanned(context, ref);
      progress.advance();
    }
  } finally {
    progress.end();
  }
}

async function scanned(context: CommandContext, ref: SessionRef): Promise<Scanned | Unscanned> {
  try {
    return { ref, scan: await scanSession(context, ref) };
  } catch (error) {
    if (context.signal.aborted || !isReadFault(error)) throw error;
    return { ref, reason: reasonOf(error) };
  }
}

/** A fault of the file system or of a database, not of ours. */
export function isReadFault(error: unknown): error is Error {
  return error instanceof Error && (error.name === "SessionError" || "syscall" in error);
}
