import { createHash } from "node:crypto";

export const DATA_FOLDER = ".openfleet";

export type TranscriptFormat = "markdown" | "jsonl";
/** Formats in which sessions are recorded. Links between transcripts lead to files of the first. */
export type Formats = readonly [TranscriptFormat, ...TranscriptFormat[]];

const PLAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;
/** File names that Windows reserves for devices, in any case. */
const DEVICE_NAME = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/**
 * Returns a name for one path segment. Ids of the usual form are unchanged; anything else (`../x`, an empty string,
 * a megabyte) becomes a readable stem with a hash, so that it stays in its folder and two ids never share a name.
 */
export function safeSegment(id: string): string {
  if (PLAIN_NAME.test(id) && !DEVICE_NAME.test(id)) return id;
  const stem = id.slice(0, 64).replace(/[^A-Za-z0-9_-]+/g, "_");
  const hash = createHash("sha256").update(id).digest("hex").slice(0, 12);
  return `_${stem}_${hash}`;
}

/** Returns the path of a session's transcript, relative to the transcripts folder, with forward slashes. */
export function transcriptPath(format: TranscriptFormat, sessionID: string, parentID?: string): string {
  const file = `${safeSegment(sessionID)}.${format === "markdown" ? "md" : "jsonl"}`;
  return parentID === undefined ? file : `${safeSegment(parentID)}/${file}`;
}

/** Returns the path of the file with a call's full output, relative to the transcripts folder. */
export function outputPath(sessionID: string, callID: string, attempt = 1): string {
  return `${safeSegment(sessionID)}/outputs/${safeSegment(callID)}${attempt > 1 ? `-${attempt}` : ""}.txt`;
}

/** Returns the path of an attachment, relative to the transcripts folder. */
export function attachmentPath(sessionID: string, name: string, extension: string, attempt = 1): string {
  const suffix = attempt > 1 ? `-${attempt}` : "";
  return `${safeSegment(sessionID)}/attachments/${safeSegment(name)}${suffix}${extension}`;
}
