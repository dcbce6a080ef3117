/**
 * Reads the time of a session's last entry from the end of its file. The file's own time is not reliable: copying,
 * restoring and unpacking set it.
 */
import { recordIn, textOf } from "../parse/json-fields.ts";
import { msOf } from "../parse/times.ts";
import { isReadFault } from "../places/reasons.ts";
import { mapFiles, nodeSessionFiles, type SessionFiles } from "../places/session-files.ts";
import type { SessionRef } from "../places/session-ref.ts";

/** Entries are in order of time, except within this distance. */
const TAIL_BYTES = 64 * 1024;
/** A last line may be longer, with an image or a large output. */
const LONG_TAIL_BYTES = 1024 * 1024;

/** Returns the sessions with `lastMs`, newest first; those without any time come last. */
export async function byEntryTime(
  refs: readonly SessionRef[],
  files: Pick<SessionFiles, "openRead"> = nodeSessionFiles,
): Promise<SessionRef[]> {
  const dated = await mapFiles(refs, async (ref) => ({
    ...ref,
    lastMs: await lastEntryMs(ref, files),
  }));
  return dated.toSorted((a, b) => (b.lastMs ?? 0) - (a.lastMs ?? 0) || (a.id < b.id ? -1 : 1));
}

/** Returns the time of a session's last entry, in milliseconds since 1970; null if it has none. */
async function lastEntryMs(ref: SessionRef, files: Pick<SessionFiles, "openRead">): Promise<number | null> {
  const { path, bytes, lastMs, archived } = ref;
  // For opencode's store the database has the time, for an archived session our store.
  if (lastMs !== null || path === null || bytes === null || bytes === 0 || archived !== null) return lastMs;
  try {
    for (const length of [TAIL_BYTES, LONG_TAIL_BYTES]) {
      const found = latestIn(await tailOf(path, bytes, length, files), length >= bytes);
      if (found !== null) return found;
      if (length >= bytes) break;
    }
    return await latestInAll(ref);
  } catch (error) {
    // Sorted first, as it cannot be ruled out; reading the session reports why it fails.
    if (isReadFault(error)) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

async function tailOf(
  path: string,
  bytes: number,
  length: number,
  files: Pick<SessionFiles, "openRead">,
): Promise<string> {
  const handle = await files.openRead(path);
  try {
    return Buffer.from(await handle.read(Math.max(0, bytes - length), length)).toString("utf8");
  } finally {
    await handle.close();
  }
}

/** Returns the latest time in JSON lines or markdown headings; the first line counts only if it is complete. */
function latestIn(tail: string, isWhole: boolean): number | null {
  let latest: number | null = null;
  const lines = tail.split("\n").slice(isWhole ? 0 : 1);
  for (const line of lines.toReversed()) {
    const ms = msOf(timeOfLine(line, latest));
    if (ms !== null) latest = Math.max(latest ?? ms, ms);
  }
  return latest;
}

/** Start of a section in our markdown; no text in it can contain this. */
const MARKDOWN_HEADING = /^## \[([\w:.+-]{0,40})\] /;
const ANY_TIME = /"timestamp"\s*:\s*"([^"]{10,40})"/g;

/** Returns the time of a line. Undefined also for a line that cannot be later than `latest`, so that few are parsed. */
function timeOfLine(line: string, latest: number | null): string | undefined {
  if (!line.startsWith("{")) return MARKDOWN_HEADING.exec(line)?.[1];
  const isLater = [...line.matchAll(ANY_TIME)].some(([, time = ""]) => latest === null || Date.parse(time) > latest);
  return isLater ? textOf(recordIn(line), "timestamp") : undefined;
}

/** Reads the whole session, if its end has no times: an export, which is one object, or a session without times. */
async function latestInAll(ref: SessionRef): Promise<number | null> {
  const { openConversation } = await import("./open-conversation.ts");
  const reader = await openConversation(ref, { pricing: "flat" });
  await Array.fromAsync(reader.batches(), () => undefined);
  return msOf(reader.summary().metadata.lastTimestamp);
}
