/** Reads files saved beside a transcript. */
import { basename, dirname, join, sep } from "node:path";
import { cannotOpen } from "../../places/session-bytes.ts";
import { isAbsent } from "../../places/reasons.ts";
import { nodeSessionFiles, type SessionFiles, bytesOfFile, textOfFile } from "../../places/session-files.ts";
import type { SessionRef } from "../../places/session-ref.ts";
import { safeSegment } from "../../transcript/transcript-paths.ts";

/** Output paths as the recorder writes them; other paths in a transcript are not read. */
const OUTPUT_PATH = /^[\w-]+\/outputs\/[\w-]+\.txt$/;
/** Attachment paths as the recorder writes them. */
const ATTACHMENT_PATH = /^[\w-]+\/attachments\/[\w-]+\.\w+$/;

/** Returns a reader for the outputs saved in files beside a transcript, as text. See `keptFileReader`. */
export function outputReader(
  ref: SessionRef,
  files: Pick<SessionFiles, "openRead" | "realpath" | "stat"> = nodeSessionFiles,
): ((path: string) => Promise<string | undefined>) | undefined {
  return keptFileReader(ref, OUTPUT_PATH, (path) => textOfFile(path, files), files);
}

/**
 * Returns a reader for the attachments saved beside a transcript; undefined for one that is larger than `maxBytes`.
 * See `keptFileReader`.
 */
export function attachmentReader(
  ref: SessionRef,
  maxBytes: number,
): ((path: string) => Promise<Uint8Array | undefined>) | undefined {
  const read = (path: string): Promise<Uint8Array | undefined> => bytesOfFile(path, nodeSessionFiles, maxBytes);
  return keptFileReader(ref, ATTACHMENT_PATH, read, nodeSessionFiles);
}

/**
 * Returns a function that reads a file saved beside a transcript with `read`, given its path relative to the transcripts
 * folder. The function returns undefined if the file is missing or its path does not match `pattern`, never reads outside
 * of that folder, even through links, and rejects with a `TranscriptsError` if a file cannot be read. Undefined if the session
 * has no file.
 */
function keptFileReader<T>(
  ref: SessionRef,
  pattern: RegExp,
  read: (path: string) => Promise<T | undefined>,
  files: Pick<SessionFiles, "realpath">,
): ((path: string) => Promise<T | undefined>) | undefined {
  if (ref.path === null) return undefined;
  const folder = transcriptsFolderOf(ref.path, ref.parentId);
  return async (path) => {
    if (!pattern.test(path)) return undefined;
    try {
      const real = files.realpath(join(folder, path));
      if (!real.startsWith(files.realpath(folder) + sep)) return undefined;
      return await read(real);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw cannotOpen(ref, error);
    }
  };
}

/** Returns the transcripts folder of a transcript. */
export function transcriptsFolderOf(path: string, parentId: string | null): string {
  const folder = dirname(path);
  return parentId !== null && basename(folder) === safeSegment(parentId) ? dirname(folder) : folder;
}
