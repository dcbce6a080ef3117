/**
 * When something was last said in a session, by the end of its file. The file's own time says nothing of that: copying,
 * restoring and unpacking set it.
 */
import { isBuiltInCommand } from "../parse/built-in-commands.ts";
import { isFields, textOf } from "../parse/json-fields.ts";
import { readTranscript, type ReadMessage, type TranscriptReader } from "../parse/read-transcript.ts";
import { limitedMap } from "./limited-map.ts";
import { openReadable } from "./open-session.ts";
import { isReadFault } from "./read-fault.ts";
import type { SessionFiles } from "./session-files.ts";
import type { SessionRef } from "./session-ref.ts";

/** Entries stand in the order of their times but for a few, which are this near to each other. */
const TAIL_BYTES = 64 * 1024;
/** A last line may be longer: an image, a large output. */
const LONG_TAIL_BYTES = 1024 * 1024;
const FILES_AT_ONCE = 16;

/** The sessions with `lastMs`, newest first; those in which nothing has a time come last. */
export async function byEntryTime(
  refs: readonly SessionRef[],
  files: Pick<SessionFiles, "openRead">,
): Promise<SessionRef[]> {
  const dated = await limitedMap(refs, FILES_AT_ONCE, async (ref) => ({
    ...ref,
    lastMs: await lastEntryMs(ref, files),
  }));
  return dated.toSorted((a, b) => (b.lastMs ?? 0) - (a.lastMs ?? 0) || (a.id < b.id ? -1 : 1));
}

/** The time of a session's last entry, in milliseconds since 1970; null if it has none. */
async function lastEntryMs(ref: SessionRef, files: Pick<SessionFiles, "openRead">): Promise<number | null> {
  const { path, bytes, lastMs } = ref;
  // Of opencode's store the database says it.
  if (lastMs !== null || path === null || bytes === null || bytes === 0) return lastMs;
  try {
    for (const length of [TAIL_BYTES, LONG_TAIL_BYTES]) {
      const found = latestIn(await tailOf(path, bytes, length, files), length >= bytes);
      if (found !== null) return found;
      if (length >= bytes) break;
    }
    return await latestInAll(ref);
  } catch (error) {
    // It cannot be ruled out; whoever reads it says why it cannot be read.
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

/** Of lines of JSON and of headings of our markdown; the first line counts only if it is whole. */
function latestIn(tail: string, isWhole: boolean): number | null {
  let latest: number | null = null;
  const lines = tail.split("\n").slice(isWhole ? 0 : 1);
  for (const line of lines.toReversed()) {
    const ms = Date.parse(timeOfLine(line, latest) ?? "");
    if (!Number.isNaN(ms)) latest = Math.max(latest ?? ms, ms);
  }
  return latest;
}

/** The start of a section in our markdown, which no text in it can have. */
const MARKDOWN_HEADING = /^## \[([\w:.+-]{0,40})\] /;
const ANY_TIME = /"timestamp"\s*:\s*"([^"]{10,40})"/g;

/** Undefined also of a line that cannot be later than `latest`: most need not be parsed. */
function timeOfLine(line: string, latest: number | null): string | undefined {
  if (!line.startsWith("{")) return MARKDOWN_HEADING.exec(line)?.[1];
  const isLater = [...line.matchAll(ANY_TIME)].some(([, time = ""]) => latest === null || Date.parse(time) > latest);
  if (!isLater) return undefined;
  try {
    const record: unknown = JSON.parse(line);
    return isFields(record) ? textOf(record, "timestamp") : undefined;
  } catch {
    // Damage is for the parser to report; another line has a time too.
    return undefined;
  }
}

/** What no line at the end tells: an export, which is one object, or a session without times. */
async function latestInAll(ref: SessionRef): Promise<number | null> {
  const reader = await readThrough(ref, () => false);
  const ms = Date.parse(reader.summary().metadata.lastTimestamp ?? "");
  return Number.isNaN(ms) ? null : ms;
}

/** Whether anybody said anything: the person or the assistant. Rejects with a `SessionError` if it cannot be read. */
export async function isConversation(ref: SessionRef): Promise<boolean> {
  let isFound = false;
  await readThrough(ref, ({ message }) => (isFound = isSaid(message)));
  return isFound;
}

/** Commands that set the program up say nothing. */
function isSaid({ message_type, user_kind, metadata }: ReadMessage["message"]): boolean {
  if (message_type === "assistant") return true;
  return user_kind === "human" && !(metadata.origin === "command" && isBuiltInCommand(metadata.command ?? ""));
}

async function readThrough(ref: SessionRef, isEnough: (read: ReadMessage) => boolean): Promise<TranscriptReader> {
  const reader = readTranscript(ref.id, openReadable(ref), { pricing: "flat" });
  for await (const read of reader) if (isEnough(read)) break;
  return reader;
}
