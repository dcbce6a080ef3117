/** Writes the pages as files that need no server. */
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { TranscriptsError } from "../transcripts-error.ts";
import { type Write, writeWhole } from "../write-file.ts";

/** A file of the archive. */
export interface ArchivedPage {
  /** Path in the archive, such as `sessions/ID/index.html`. */
  path: string;
  /** Changes whenever the content does. A page with the same version is not made again. */
  version: string;
  /** Writes the content in pieces. Passes on rejections of `write`. */
  content: (write: Write) => Promise<void>;
}

export interface ArchiveReport {
  written: number;
  unchanged: number;
  removed: number;
}

/** Lists the files with their versions. Its presence shows that a folder is an archive. */
const MANIFEST = "archive.json";
/** Number of files after which the manifest is written, so that a run that was killed is continued by the next. */
const MANIFEST_EVERY = 500;
const FILE_MODE = 0o600;

const manifestSchema = z.object({ version: z.literal(1), pages: z.record(z.string(), z.string()) });

/**
 * Brings an archive up to date: writes pages that are new or changed, and removes those that are no longer wanted. Never
 * touches files that it did not write. Rejects with a `TranscriptsError` (`bad_file`) if the folder has other files and no
 * archive, or cannot be written.
 */
export async function writeArchive(
  folder: string,
  pages: AsyncIterable<ArchivedPage>,
  { signal, onPage }: { signal: AbortSignal; onPage?: (report: ArchiveReport) => void },
): Promise<ArchiveReport> {
  const before = await manifestIn(folder);
  const now: Record<string, string> = {};
  const report: ArchiveReport = { written: 0, unchanged: 0, removed: 0 };
  for await (const { path, version, content } of pages) {
    signal.throwIfAborted();
    if (before[path] === version) report.unchanged += 1;
    else {
      await writePage(join(folder, path), content);
      report.written += 1;
      // What is in the manifest is on the disk, and what is on the disk is in this manifest or the next.
      if (report.written % MANIFEST_EVERY === 0) await writeManifest(folder, { ...before, ...now, [path]: version });
    }
    now[path] = version;
    onPage?.(report);
  }
  const gone = Object.keys(before).filter((path) => now[path] === undefined);
  for (const path of gone) await removePage(folder, path);
  report.removed = gone.length;
  if (report.written + report.removed > 0) await writeManifest(folder, now);
  return report;
}

async function writePage(path: string, content: ArchivedPage["content"]): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeWhole(path, content, FILE_MODE);
}

/** Removes a page, and its folder if nothing else is in it. */
async function removePage(folder: string, path: string): Promise<void> {
  await rm(join(folder, path), { force: true });
  const parent = dirname(path);
  if (parent === ".") return;
  const left = await readdir(join(folder, parent)).catch(() => ["unknown"]);
  if (left.length === 0) await rm(join(folder, parent), { recursive: true });
}

async function manifestIn(folder: string): Promise<Record<string, string>> {
  let text: string;
  try {
    text = await readFile(join(folder, MANIFEST), "utf8");
  } catch {
    const files = await readdir(folder).catch(() => []);
    if (files.length === 0) return {};
    throw new TranscriptsError(
      "bad_file",
      `${folder} has other files, and is not an archive.`,
      "Name an empty folder, or one that does not exist.",
    );
  }
  try {
    return manifestSchema.parse(JSON.parse(text)).pages;
  } catch {
    // Every page is written again; those that are no longer wanted stay.
    return {};
  }
}

async function writeManifest(folder: string, pages: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true });
  const sorted = Object.fromEntries(Object.entries(pages).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const json = JSON.stringify({ version: 1, pages: sorted }, null, 1);
  await writeWhole(join(folder, MANIFEST), (write) => write(`${json}\n`), FILE_MODE);
}
