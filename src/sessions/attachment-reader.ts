import { keptFileReader } from "./kept-files.ts";
import { nodeSessionFiles, type SessionFiles } from "./session-files.ts";
import type { SessionRef } from "./session-ref.ts";
import { bytesOfFile } from "./text-file.ts";

/** What our recorder writes. */
const ATTACHMENT_PATH = /^[\w-]+\/attachments\/[\w-]+\.\w+$/;

/**
 * Reads the attachments that a transcript of ours keeps beside itself; undefined of one that is larger than `maxBytes`.
 * See `keptFileReader`.
 */
export function attachmentReader(
  ref: SessionRef,
  maxBytes: number,
  files: Pick<SessionFiles, "openRead" | "realpath" | "stat"> = nodeSessionFiles,
): ((path: string) => Promise<Uint8Array | undefined>) | undefined {
  return keptFileReader(ref, ATTACHMENT_PATH, (path) => bytesOfFile(path, files, maxBytes), files);
}
