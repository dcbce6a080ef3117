import { normalize, sep } from "node:path";
import { isWithin } from "../transcript/files/data-folder.ts";
import { isAbsent, reasonOf } from "./reasons.ts";
import { type FolderEntry, mapFiles, type SessionFiles } from "./session-files.ts";
import type { Unreadable } from "./session-ref.ts";

export interface WalkOptions {
  files: SessionFiles;
  /** Depth of folders to enter below the root; 0 for none. */
  depth: number;
  /** Returns whether to find a file of this name. */
  accepts: (name: string) => boolean;
  /** Returns whether to enter the folder with these names below the root. Default: all. */
  enters?: (segments: readonly string[]) => boolean;
  /** Real paths found by earlier walks; skipped, and extended by this walk. */
  seen?: Set<string>;
  /** Links that lead out of this folder are not followed, and listed in `unreadable`. Default: all are followed. */
  within?: string;
}

export interface WalkedFile {
  path: string;
  /** Path below the root, as names; the last is the file's. */
  segments: readonly string[];
  bytes: number;
  modifiedMs: number;
}

export interface Walked {
  files: WalkedFile[];
  unreadable: Unreadable[];
}

const LINK_OUT =
  'it is a link that leads out of the project; to allow it, add the plugin option "followLinks": true to your own opencode.json, not the project\'s';

interface Folder {
  path: string;
  /** Path without symbolic links. */
  real: string;
  /** Path below the root, as names. */
  segments: readonly string[];
}

/** Entry of a folder. `real` of a link is where the link itself is. */
interface Met extends Folder, FolderEntry {}

/**
 * Finds the files below a folder, with sizes and times, without reading them. A missing root has none. Files removed
 * meanwhile are left out.
 *
 * Follows symbolic links to files, and links to folders only directly below the root, where people create them, because
 * deeper ones could lead through a whole disk. Links come last and each file is found once, so cycles end and a file's own
 * name takes precedence over a link.
 */
export async function walk(root: string, { files, depth, ...options }: WalkOptions): Promise<Walked> {
  const { accepts, enters = () => true, seen = new Set(), within } = options;
  const found: Walked = { files: [], unreadable: [] };
  const links: Met[] = [];

  /** Returns the result of a call, or undefined after noting why. `isNamed`: the name exists, so a missing file is a fault. */
  async function tried<T>(path: string, call: () => Promise<T>, isNamed = false): Promise<T | undefined> {
    try {
      return await call();
    } catch (error) {
      if (!isAbsent(error)) cannot(path, reasonOf(error));
      else if (isNamed) cannot(path, "it is a link to a missing file");
      else if (path.includes("\ufffd")) cannot(path, "its name is not valid UTF-8");
      return undefined;
    }
  }

  function cannot(path: string, reason: string): void {
    found.unreadable.push({ path, reason });
  }

  /** Walks a folder, level by level. */
  async function enter(top: Folder): Promise<void> {
    for (let folders = [top]; folders.length > 0;) {
      const met = (await mapFiles(folders.filter(isNew), list)).flat();
      links.push(...met.filter((entry) => entry.kind === "link" && (accepts(entry.name) || mayEnter(entry))));
      folders = await take(met.filter(({ kind }) => kind !== "link"));
    }
  }

  async function list(folder: Folder): Promise<Met[]> {
    const entries = (await tried(folder.path, () => files.list(folder.path))) ?? [];
    const [path, real] = [folder.path, folder.real].map((each) => (each.endsWith(sep) ? each : each + sep));
    return entries.map(({ name, kind }) => ({
      name,
      kind,
      path: path + name,
      real: real + name,
      segments: [...folder.segments, name],
    }));
  }

  /** Adds the files. Returns the folders that are to be entered. */
  async function take(met: readonly Met[]): Promise<Folder[]> {
    const folders = met.filter(({ kind }) => kind === "folder");
    for (const { path, name } of folders) if (accepts(name)) cannot(path, reasonOf({ code: "EISDIR" }));
    const wanted = met.filter((entry) => entry.kind === "file" && accepts(entry.name) && isNew(entry));
    await mapFiles(wanted, async ({ path, segments }) => {
      const facts = await tried(path, () => files.stat(path));
      if (facts?.kind !== "file") return;
      const { bytes, modifiedMs } = facts;
      found.files.push({ path, segments, bytes, modifiedMs });
    });
    return folders.filter(mayEnter);
  }

  async function follow(link: Met): Promise<void> {
    const isWanted = accepts(link.name);
    const real = await tried(link.path, () => files.realpath(link.path), isWanted);
    const facts = real === undefined ? undefined : await tried(link.path, () => files.stat(link.path), isWanted);
    if (real === undefined || facts === undefined || isOutside(link.path, real)) return;
    const [folder] = await take([{ ...link, real, kind: facts.kind }]);
    if (folder !== undefined && mayEnter(link)) await enter(folder);
  }

  function mayEnter({ name, kind, segments }: Met): boolean {
    if (segments.length > depth || accepts(name)) return false;
    return (kind !== "link" || segments.length === 1) && enters(segments);
  }

  function isNew({ real }: Folder): boolean {
    const { size } = seen;
    return seen.add(real).size > size;
  }

  function isOutside(path: string, real: string): boolean {
    if (boundary === undefined || isWithin(boundary, real)) return false;
    cannot(path, LINK_OUT);
    return true;
  }

  const real = await tried(root, () => files.realpath(root));
  if (real === undefined) return found;
  const boundary = within === undefined ? undefined : await tried(within, () => files.realpath(within));
  if ((within !== undefined && boundary === undefined) || isOutside(root, real)) return found;
  await enter({ path: normalize(root), real, segments: [] });
  for (const link of links.toSorted((a, b) => (a.path < b.path ? -1 : 1))) await follow(link);
  return found;
}
