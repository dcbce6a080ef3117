import { join, sep } from "node:path";
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
  segments: readonly string[];
}

/** Entry of a folder. */
interface Met extends FolderEntry {
  folder: Folder;
  path: string;
}

/**
 * Finds the files below a folder, with sizes and times, without reading them. A missing root has none. Files removed
 * meanwhile are left out.
 *
 * Follows symbolic links to files, and links to folders only directly below the root, where people create them, because
 * deeper ones could lead through a whole disk. Links come last and each file is found once, so cycles end and a file's own
 * name takes precedence over a link.
 */
export async function walk(root: string, options: WalkOptions): Promise<Walked> {
  return new Walk(options).run(root);
}

class Walk {
  readonly #options: WalkOptions;
  readonly #found: Walked = { files: [], unreadable: [] };
  readonly #links: Met[] = [];
  /** Real paths of entered folders and found files. */
  readonly #seen: Set<string>;
  /** `within` without symbolic links. */
  #boundary: string | undefined;

  constructor(options: WalkOptions) {
    this.#options = options;
    this.#seen = options.seen ?? new Set();
  }

  async run(root: string): Promise<Walked> {
    const { files, within } = this.#options;
    const real = await this.#try(root, () => files.realpath(root));
    if (real === undefined) return this.#found;
    this.#boundary = within === undefined ? undefined : await this.#try(within, () => files.realpath(within));
    if (within !== undefined && this.#boundary === undefined) return this.#found;
    if (this.#isOutside(root, real)) return this.#found;
    await this.#enter({ path: root, real, segments: [] });
    for (const link of this.#links.toSorted((a, b) => (a.path < b.path ? -1 : 1))) await this.#follow(link);
    return this.#found;
  }

  /** Walks a folder, level by level. */
  async #enter(top: Folder): Promise<void> {
    let folders = [top];
    while (folders.length > 0) {
      const fresh = folders.filter(({ real }) => this.#isNew(real));
      const met = (await mapFiles(fresh, (folder) => this.#list(folder))).flat();
      await mapFiles(met, (entry) => this.#take(entry));
      folders = met.filter((entry) => entry.kind === "folder" && this.#mayEnter(entry)).map(folderOf);
    }
  }

  async #list(folder: Folder): Promise<Met[]> {
    const entries = (await this.#try(folder.path, () => this.#options.files.list(folder.path))) ?? [];
    return entries.map((entry) => ({ ...entry, folder, path: join(folder.path, entry.name) }));
  }

  async #take(entry: Met): Promise<void> {
    const isWanted = this.#options.accepts(entry.name);
    if (entry.kind === "file" && isWanted) await this.#add(entry, folderOf(entry).real);
    if (entry.kind === "folder" && isWanted) this.#cannot(entry.path, { code: "EISDIR" });
    if (entry.kind === "link" && (isWanted || this.#mayEnter(entry))) this.#links.push(entry);
  }

  async #follow(link: Met): Promise<void> {
    const { files, accepts } = this.#options;
    const isWanted = accepts(link.name);
    const real = await this.#try(link.path, () => files.realpath(link.path), isWanted);
    const facts = real === undefined ? undefined : await this.#try(link.path, () => files.stat(link.path), isWanted);
    if (real === undefined || facts === undefined || this.#isOutside(link.path, real)) return;
    if (facts.kind === "file" && isWanted) await this.#add(link, real);
    if (facts.kind === "folder" && isWanted) this.#cannot(link.path, { code: "EISDIR" });
    if (facts.kind === "folder" && this.#mayEnter(link)) await this.#enter({ ...folderOf(link), real });
  }

  async #add(entry: Met, real: string): Promise<void> {
    if (!this.#isNew(real)) return;
    const facts = await this.#try(entry.path, () => this.#options.files.stat(entry.path));
    if (facts?.kind !== "file") return;
    const { bytes, modifiedMs } = facts;
    this.#found.files.push({ path: entry.path, segments: [...entry.folder.segments, entry.name], bytes, modifiedMs });
  }

  #mayEnter({ name, kind, folder }: Met): boolean {
    const { depth, accepts, enters } = this.#options;
    const segments = [...folder.segments, name];
    if (segments.length > depth || accepts(name)) return false;
    if (kind === "link" && segments.length > 1) return false;
    return enters?.(segments) ?? true;
  }

  #isOutside(path: string, real: string): boolean {
    if (this.#boundary === undefined || isWithin(this.#boundary, real)) return false;
    this.#found.unreadable.push({ path, reason: LINK_OUT });
    return true;
  }

  #isNew(real: string): boolean {
    const { size } = this.#seen;
    return this.#seen.add(real).size > size;
  }

  /** Returns the result of a call, or undefined after noting why. `isNamed`: the name exists, so a missing file is a fault. */
  async #try<T>(path: string, call: () => Promise<T>, isNamed = false): Promise<T | undefined> {
    try {
      return await call();
    } catch (error) {
      if (isNamed || !isAbsent(error)) this.#cannot(path, error, isNamed && isAbsent(error));
      else if (path.includes("\ufffd")) this.#found.unreadable.push({ path, reason: "its name is not valid UTF-8" });
      return undefined;
    }
  }

  #cannot(path: string, error: unknown, isDangling = false): void {
    this.#found.unreadable.push({
      path,
      reason: isDangling ? "it is a link to a missing file" : reasonOf(error),
    });
  }
}

function folderOf({ folder, path, name }: Met): Folder {
  return {
    path,
    real: folder.real.endsWith(sep) ? folder.real + name : folder.real + sep + name,
    segments: [...folder.segments, name],
  };
}
