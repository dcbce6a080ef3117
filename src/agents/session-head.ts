/** Reads the head of a session: what the beginning of its file says of it. */
import { MAX_LINE_BYTES } from "../parse/content.ts";
import type { FileHandle } from "../transcript/files/file-system.ts";
import { msOf } from "../parse/times.ts";
import { fileBytes } from "../places/session-bytes.ts";
import { isZstd, unpacked } from "../places/zstd.ts";
import type { SessionFiles } from "../places/session-files.ts";
import type { Format, SessionHead } from "./agent.ts";

const NO_HEAD: SessionHead = { sessionId: null, parentId: null, cwd: null, title: null, startedMs: null };

/** Head of a file and its format, as far as its content says whose it is. */
export interface FileHead {
  format: Format | undefined;
  head: SessionHead;
}

/** Bytes read, in steps, until the head is whole. The first is enough for most files, in which instructions can make a first line of 30 KB; images make it far longer. */
const STEPS = [64 * 1024, 1024 * 1024, MAX_LINE_BYTES];

const PIECE_BYTES = 8 * 1024;

/**
 * Reads the beginning of a file in the format that `detect` finds. Rejects with the file system's error; no content makes it
 * reject.
 */
export async function readFileHead(
  path: string,
  files: Pick<SessionFiles, "openRead">,
  detect: (head: string) => Format | undefined,
): Promise<FileHead> {
  const handle = await files.openRead(path);
  try {
    let found: FileHead = { format: undefined, head: NO_HEAD };
    for (const length of STEPS) {
      const bytes = await startOf(path, length, handle, files);
      const format = detect(new TextDecoder().decode(bytes));
      found = { format, head: format === undefined ? NO_HEAD : await headIn(format, bytes) };
      if (bytes.byteLength < length || isWhole(found.head)) break;
    }
    return found;
  } finally {
    await handle.close();
  }
}

/** Returns the first bytes of a file, decompressed. */
async function startOf(
  path: string,
  length: number,
  handle: FileHandle,
  files: Pick<SessionFiles, "openRead">,
): Promise<Uint8Array> {
  const bytes = await handle.read(0, length);
  if (!isZstd(bytes)) return bytes;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of unpacked(fileBytes(path, length, files), path)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= length) break;
  }
  return Buffer.concat(chunks).subarray(0, length);
}

/** Collects the fields from several units, since the first lines are often notes without time or folder. */
async function headIn(format: Format, bytes: Uint8Array): Promise<SessionHead> {
  const head = { ...NO_HEAD };
  for await (const batch of format.read(inPieces(bytes), {})) {
    for (const { session, timestamp } of batch) {
      head.startedMs ??= msOf(timestamp);
      if (session?.sessionId !== undefined) head.title ??= session.title ?? null;
      head.sessionId ??= session?.sessionId ?? null;
      head.cwd ??= session?.cwd ?? null;
      head.parentId ??= session?.parentSessionId ?? null;
    }
    if (isWhole(head)) break;
  }
  return head;
}

/** More bytes would add nothing. */
function isWhole({ cwd, startedMs }: SessionHead): boolean {
  return cwd !== null && startedMs !== null;
}

/** Yields pieces, since the first is mostly enough. */
async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}
