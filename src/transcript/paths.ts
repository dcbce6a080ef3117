import { createHash } from "node:crypto";
import { isAbsolute, join } from "node:path";

/** Folder of the project where everything is kept. */
export const DATA_FOLDER = ".openfleet";

export type TranscriptFormat = "markdown" | "jsonl";

const PLAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;
/** Names that Windows keeps for devices, in any case. */
const DEVICE_NAME = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/**
 * A name for one path segment. Ids of the usual form stay as they are; anything else (`../x`, an empty string,
 * a megabyte) becomes a readable stem with a hash, so that it never leaves its folder and two ids never meet.
 */
export function safeSegment(id: string): string {
  if (PLAIN_NAME.test(id) && !DEVICE_NAME.test(id)) return id;
  const stem = id.slice(0, 64).replace(/[^A-Za-z0-9_-]+/g, "_");
  const hash = createHash("sha256").update(id).digest("hex").slice(0, 12);
  return `_${stem}_${hash}`;
}

/** Path of a session's transcript, relative to the transcripts folder, with forward slashes. */
export function transcriptPath(format: TranscriptFormat, sessionID: string, parentID?: string): string {
  const file = `${safeSegment(sessionID)}.${format === "markdown" ? "md" : "jsonl"}`;
  return parentID === undefined ? file : `${safeSegment(parentID)}/${file}`;
}

/** Path of the file with the whole output of a call, relative to the transcripts folder. */
export function outputPath(sessionID: string, callID: string, attempt = 1): string {
  return `${safeSegment(sessionID)}/outputs/${safeSegment(callID)}${attempt > 1 ? `-${attempt}` : ""}.txt`;
}

/** Path of an attachment, relative to the transcripts folder. */
export function attachmentPath(sessionID: string, name: string, extension: string, attempt = 1): string {
  const suffix = attempt > 1 ? `-${attempt}` : "";
  return `${safeSegment(sessionID)}/attachments/${safeSegment(name)}${suffix}${extension}`;
}

/** The file that lists the sessions recorded on this machine, in the user's data folder. */
export function recordedListPath({
  env,
  home,
}: {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
}): string {
  const given = env["XDG_DATA_HOME"] ?? "";
  // The XDG specification has relative ones ignored.
  const data = isAbsolute(given) ? given : join(home, ".local", "share");
  return join(data, "opencode-transcripts", "recorded-sessions");
}

const SINCE = "since ";

/** First line of a new list: transcripts that are older than it may have been recorded here all the same. */
export function recordedSince(nowMs: number): string {
  return `${SINCE}${new Date(nowMs).toISOString()}\n`;
}

export function recordedLine(sessionID: string): string {
  return `${safeSegment(sessionID)}\n`;
}

/** The sessions of a list, as `safeSegment` names them, and when it was begun; 0 if it does not say. */
export function readRecordedList(text: string): { ids: Set<string>; sinceMs: number } {
  const lines = text.split("\n");
  // Two processes may have begun it at the same moment.
  const times = lines.flatMap((line) => (line.startsWith(SINCE) ? [Date.parse(line.slice(SINCE.length))] : []));
  const known = times.filter((time) => !Number.isNaN(time));
  return { ids: new Set(lines), sinceMs: known.length === 0 ? 0 : Math.min(...known) };
}
