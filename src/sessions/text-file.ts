import type { SessionFiles } from "./session-files.ts";

/** Reads a whole file as UTF-8, keeping a byte order mark; otherwise like `bytesOfFile`. */
export async function textOfFile(
  path: string,
  files: Pick<SessionFiles, "openRead" | "stat">,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<string | undefined> {
  return (await bytesOfFile(path, files, maxBytes))?.toString("utf8");
}

/**
 * Reads a whole file; undefined if it is not a regular file or is larger than `maxBytes`. Rejects with the file system's
 * error.
 */
export async function bytesOfFile(
  path: string,
  files: Pick<SessionFiles, "openRead" | "stat">,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const { kind, bytes } = await files.stat(path);
  if (kind !== "file" || bytes > maxBytes) return undefined;
  const handle = await files.openRead(path);
  try {
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < bytes;) {
      const chunk = await handle.read(at, bytes - at);
      if (chunk.byteLength === 0) break;
      at += chunk.byteLength;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    await handle.close();
  }
}
