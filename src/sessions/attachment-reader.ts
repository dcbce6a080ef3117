import { keptFileReader } from "./session-kept-files.ts";
import { nodeSessionFiles, type SessionFiles } from "./session-files.ts";
import type { SessionRef } from "./session-ref.ts";
import { bytesOfFile } from "./text-file.ts";

/** Attachment paths as the recorder writes them. */
const ATTACHMENT_PATH = /^[\w-]+\/attachments\/[\w-]+\.\w+$/;

/**
 * Returns a reader for the attachments saved beside a transcript; undefined for one that is larger than `maxBytes`.
 * See `keptFileReader`.
 */
export function attachmentReader(
  ref: SessionRef,
  maxBytes: number,
  files: Pick<SessionFiles, "openRead" | "realpath" | "stat"> = nodeSessionFiles,
): ((path: string) => Promise<Uint8Array | undefined>) | undefined {
  return keptFileReader(ref, ATTACHMENT_PATH, (path) => bytesOfFile(path, files, maxBytes), files);
}
