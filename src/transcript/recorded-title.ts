import type { FileSystem } from "../files/file-system.ts";
import { openTranscript } from "../format/index.ts";
import type { TranscriptFormat } from "./paths.ts";

const CHUNK_BYTES = 256 * 1024;
/** A longer transcript is not read for its title. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The title that a transcript gave its session last, "" without one. Undefined if it is too long or cannot be read. */
export async function recordedTitle(
  fs: Pick<FileSystem, "openRead">,
  path: string,
  format: TranscriptFormat,
): Promise<string | undefined> {
  const bytes = await readWhole(fs, path).catch(() => undefined);
  if (!bytes) return undefined;
  let title = "";
  for await (const item of openTranscript(format, bytes)) {
    if (item.kind === "header") title = item.header.title ?? title;
    if (item.kind !== "entry") continue;
    const { entry } = item;
    if (entry.type === "session_event" && entry.name === "title") title = entry.text ?? title;
  }
  return title;
}

async function readWhole(fs: Pick<FileSystem, "openRead">, path: string): Promise<Uint8Array | undefined> {
  const handle = await fs.openRead(path);
  try {
    const { size } = await handle.stat();
    if (size > MAX_BYTES) return undefined;
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < size;) {
      const chunk = await handle.read(at, Math.min(CHUNK_BYTES, size - at));
      if (chunk.length === 0) break;
      chunks.push(chunk);
      at += chunk.length;
    }
    return Buffer.concat(chunks);
  } finally {
    await handle.close();
  }
}
