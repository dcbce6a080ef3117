/** Writes the pages as files that need no server. */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { TranscriptsError } from "../transcripts-error.ts";
import { type Write, writeWhole } from "../write-file.ts";

/** A file of the archive. */
export interface ArchivedPage {
  /** Path in the archive, such as `sessions/ID/index.html`. */
  path: string;
  /** Changes whenever the content may have. A page with the same version is not made again. */
  version: string;
  /** Writes the content in pieces. Passes on rejections of `write`. */
  content: (write: Write) => Promise<void>;
}

/** Pages that change together. */
export interface ArchivedGroup {
  /** Name of the group, such as `sessions/ID`. */
  group: string;
  /** That of all its pages. */
  version: string;
  /** Not called if the version is the same. */
  pages: () => AsyncIterable<Omit<ArchivedPage, "version">>;
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

/** By path. */
type Pages = Record<string, [version: string, hash: string, group: string]>;

const manifestSchema = z.object({
  version: z.literal(1),
  pages: z.record(z.string(), z.tuple([z.string(), z.string(), z.string()])),
});

/**
 * Brings an archive up to date: writes pages that are new or changed, and removes those that are no longer wanted. Never
 * touches files that it did not write. Rejects with a `TranscriptsError` (`bad_file`) if the folder has other files and no
 * archive, or cannot be written.
 */
export async function writeArchive(
  folder: string,
  pages: AsyncIterable<ArchivedPage | ArchivedGroup>,
  { signal, onPage }: { signal: AbortSignal; onPage?: (report: ArchiveReport) => void },
): Promise<ArchiveReport> {
  const before = await manifestIn(folder);
  const now: Pages = {};
  const report: ArchiveReport = { written: 0, unchanged: 0, removed: 0 };
  const groups = Map.groupBy(Object.entries(before), ([, [, , group]]) => group);
  for await (const { path, version, content, group = "" } of changedPages(pages, keep)) {
    signal.throwIfAborted();
    const known = before[path];
    const hash = known?.[0] === version ? known[1] : await updated(join(folder, path), known?.[1], content);
    now[path] = [version, hash, group];
    if (hash === known?.[1]) report.unchanged += 1;
    else {
      report.written += 1;
      // All pages in the manifest are on disk, and all pages on disk are in this manifest or the next.
      if (report.written % MANIFEST_EVERY === 0) await writeManifest(folder, { ...before, ...now });
    }
    onPage?.(report);
  }
  const gone = Object.keys(before).filter((path) => now[path] === undefined);
  for (const path of gone) await removePage(folder, path);
  report.removed = gone.length;
  if (JSON.stringify(before) !== JSON.stringify(sorted(now))) await writeManifest(folder, now);
  return report;

  /** Keeps the pages of a group that has not changed. Returns false if it has, or if it is not known. */
  function keep({ group, version }: ArchivedGroup): boolean {
    const known = groups.get(group) ?? [];
    if (known.length === 0 || known.some(([, [of]]) => of !== version)) return false;
    for (const [path, entry] of known) now[path] = entry;
    report.unchanged += known.length;
    onPage?.(report);
    return true;
  }
}

async function* changedPages(
  all: AsyncIterable<ArchivedPage | ArchivedGroup>,
  keep: (group: ArchivedGroup) => boolean,
): AsyncGenerator<ArchivedPage & { group?: string }> {
  for await (const each of all) {
    if ("path" in each) yield each;
    else if (!keep(each)) {
      const { group, version } = each;
      for await (const page of each.pages()) yield { ...page, version, group };
    }
  }
}

/** Makes a page, and writes it unless its content is what it was. Returns the hash of the content. */
async function updated(path: string, knownHash: string | undefined, content: ArchivedPage["content"]): Promise<string> {
  const pieces: string[] = [];
  const hash = createHash("sha256");
  await content((piece) => {
    pieces.push(piece);
    hash.update(piece);
    return Promise.resolve();
  });
  const digest = hash.digest("base64url");
  if (digest === knownHash) return digest;
  await mkdir(dirname(path), { recursive: true });
  await writeWhole(
    path,
    async (write) => {
      for (const piece of pieces) await write(piece);
    },
    FILE_MODE,
  );
  return digest;
}

/** Removes a page, and its folder if nothing else is in it. */
async function removePage(folder: string, path: string): Promise<void> {
  await rm(join(folder, path), { force: true });
  const parent = dirname(path);
  if (parent === ".") return;
  const left = await readdir(join(folder, parent)).catch(() => ["unknown"]);
  if (left.length === 0) await rm(join(folder, parent), { recursive: true });
}

async function manifestIn(folder: string): Promise<Pages> {
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

async function writeManifest(folder: string, pages: Pages): Promise<void> {
  await mkdir(folder, { recursive: true });
  const json = JSON.stringify({ version: 1, pages: sorted(pages) }, null, 1);
  await writeWhole(join(folder, MANIFEST), (write) => write(`${json}\n`), FILE_MODE);
}

function sorted(pages: Pages): Pages {
  return Object.fromEntries(Object.entries(pages).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
