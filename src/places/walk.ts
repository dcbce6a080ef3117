import { join, normalize, sep } from "node:path";
import { isWithin } from "../transcript/files/data-folder.ts";
import { isAbsent, reasonOf } from "./reasons.ts";
import type { SessionFiles } from "./session-files.ts";
import type { Unreadable } from "./session-ref.ts";

export interface WalkOptions {
  files: Pick<SessionFiles, "list" | "realpath" | "stat">;
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
  name: string;
  /** Names of its folders below the root: one list for all files of a folder. */
  folders: readonly string[];
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

/** A symbolic link. `real` is where the link itself is. */
interface Link extends Folder {
  name: string;
}

/**
 * Finds the files below a folder, with sizes and times, without reading them. A missing root has none. Files removed
 * meanwhile are left out.
 *
 * Follows symbolic links to files, and links to folders only directly below the root, where people create them, because
 * deeper ones could lead through a whole disk. Links come last and each file is found once, so cycles end and a file's own
 * name takes precedence over a link.
 */
export function walk(root: string, { files, depth, ...options }: WalkOptions): Walked {
  const { accepts, enters = () => true, seen = new Set(), within } = options;
  const found: Walked = { files: [], unreadable: [] };
  const links: Link[] = [];

  /** Returns the result of a call, or undefined after noting why. `isNamed`: the name exists, so a missing file is a fault. */
  function tried<T>(path: string, call: () => T, isNamed = false): T | undefined {
    try {
      return call();
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
  function enter(top: Folder): void {
    for (let folders = [top]; folders.length > 0;) {
      folders = folders.flatMap((folder) => (isNew(folder.real) ? insideOf(folder) : []));
    }
  }

  /** Takes what is in a folder. Returns the folders in it that are to be entered. */
  function insideOf(folder: Folder): Folder[] {
    const inside: Folder[] = [];
    const beside = folder.path.endsWith(sep) ? folder.path : folder.path + sep;
    for (const entry of tried(folder.path, () => files.list(folder.path)) ?? []) {
      const { name } = entry;
      const isWanted = accepts(name);
      const isFile = entry.isFile();
      if (!isWanted && isFile) continue;
      const path = beside + name;
      const real = folder.real === folder.path ? path : join(folder.real, name);
      if (isFile) {
        takeFile({ name, path, real, folders: folder.segments });
        continue;
      }
      const met = { name, path, real, segments: [...folder.segments, name] };
      if (entry.isDirectory() && takeFolder(met)) inside.push(met);
      else if (entry.isSymbolicLink() && (isWanted || mayEnter(met, true))) links.push(met);
    }
    return inside;
  }

  function takeFile({ name, path, real, folders }: Omit<WalkedFile, "bytes" | "modifiedMs"> & { real: string }): void {
    const facts = isNew(real) ? tried(path, () => files.stat(path)) : undefined;
    if (facts?.kind !== "file") return;
    found.files.push({ path, name, folders, bytes: facts.bytes, modifiedMs: facts.modifiedMs });
  }

  /** Returns whether the folder is to be entered. */
  function takeFolder(folder: Link): boolean {
    if (accepts(folder.name)) cannot(folder.path, reasonOf({ code: "EISDIR" }));
    return mayEnter(folder);
  }

  function follow(link: Link): void {
    const isWanted = accepts(link.name);
    const real = tried(link.path, () => files.realpath(link.path), isWanted);
    const facts = real === undefined ? undefined : tried(link.path, () => files.stat(link.path), isWanted);
    if (real === undefined || facts === undefined || isOutside(link.path, real)) return;
    const target = { ...link, real };
    if (facts.kind === "file" && isWanted) takeFile({ ...target, folders: link.segments.slice(0, -1) });
    if (facts.kind === "folder" && takeFolder(target) && mayEnter(link, true)) enter(target);
  }

  function mayEnter({ name, segments }: Link, isLink = false): boolean {
    if (segments.length > depth || accepts(name)) return false;
    return (!isLink || segments.length === 1) && enters(segments);
  }

  function isNew(real: string): boolean {
    const { size } = seen;
    return seen.add(real).size > size;
  }

  function isOutside(path: string, real: string): boolean {
    if (boundary === undefined || isWithin(boundary, real)) return false;
    cannot(path, LINK_OUT);
    return true;
  }

  const real = tried(root, () => files.realpath(root));
  if (real === undefined) return found;
  const boundary = within === undefined ? undefined : tried(within, () => files.realpath(within));
  if ((within !== undefined && boundary === undefined) || isOutside(root, real)) return found;
  enter({ path: normalize(root), real, segments: [] });
  for (const link of links.toSorted((a, b) => (a.path < b.path ? -1 : 1))) follow(link);
  return found;
}
