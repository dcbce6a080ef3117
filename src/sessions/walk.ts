import { join, sep } from "node:path";
import { isWithin } from "../files/data-folder.ts";
import { limitedMap } from "./limited-map.ts";
import { isAbsent, reasonOf } from "./reasons.ts";
import type { FolderEntry, SessionFiles } from "./session-files.ts";
import type { Unreadable } from "./session-ref.ts";

/** Calls on the file system at once. More than threads that serve them only lengthens the queue. */
const AT_ONCE = 32;

export interface WalkOptions {
  files: SessionFiles;
  /** Folders below the root that are entered: 0 for none. */
  depth: number;
  /** Whether a file of this name is wanted. */
  accepts: (name: string) => boolean;
  /** Whether to enter the folder with these names below the root. Default: all. */
  enters?: (segments: readonly string[]) => boolean;
  /** Real paths of what earlier walks found, which is left out and added to. */
  seen?: Set<string>;
  /** Folder that no link may lead out of: one that does is not followed, and is in `unreadable`. Default: none. */
  within?: string;
}

export interface WalkedFile {
  path: string;
  /** Names below the root; the last is the file's. */
  segments: readonly string[];
  bytes: number;
  modifiedMs: number;
}

export interface Walked {
  files: WalkedFile[];
  unreadable: Unreadable[];
}

const LINK_OUT =
  "it is a link that leads out of the project; \"followLinks\": true among the plugin's options in your own opencode.json, not in the project's, allows it";

interface Folder {
  path: string;
  /** The same without symbolic links. */
  real: string;
  segments: readonly string[];
}

/** An entry of a folder that is being walked. */
interface Met extends FolderEntry {
  folder: Folder;
  path: string;
}

/**
 * The files below a folder, with their sizes and times; nothing is read. A root that is not there has none. What goes
 * away meanwhile is left out.
 *
 * Symbolic links are followed, a link to a folder only directly below the root, where people make them (it may lead
 * anywhere, and a walk over a whole disk helps nobody). Links are taken after all else and each file once, so circles
 * end and a file's own name wins over a link to it.
 */
export async function walk(root: string, options: WalkOptions): Promise<Walked> {
  return new Walk(options).run(root);
}

class Walk {
  readonly #options: WalkOptions;
  readonly #found: Walked = { files: [], unreadable: [] };
  readonly #links: Met[] = [];
  /** Real paths of folders that were entered, and of files that were found. */
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

  /** Walks a folder level by level. */
  async #enter(top: Folder): Promise<void> {
    let folders = [top];
    while (folders.length > 0) {
      const fresh = folders.filter(({ real }) => this.#isNew(real));
      const met = (await limitedMap(fresh, AT_ONCE, (folder) => this.#list(folder))).flat();
      await limitedMap(met, AT_ONCE, (entry) => this.#take(entry));
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

  /** The result of a call, or undefined with a note why. `isNamed`: a name is there, so that absence is a fault too. */
  async #try<T>(path: string, call: () => Promise<T>, isNamed = false): Promise<T | undefined> {
    try {
      return await call();
    } catch (error) {
      if (isNamed || !isAbsent(error)) this.#cannot(path, error, isNamed && isAbsent(error));
      return undefined;
    }
  }

  #cannot(path: string, error: unknown, isDangling = false): void {
    this.#found.unreadable.push({
      path,
      reason: isDangling ? "it is a link to a file that is not there" : reasonOf(error),
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
