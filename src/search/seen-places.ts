/**
 * What a look for sessions has seen of the disk: so that a later one can tell, without looking for them again, that all
 * is as it was. Any session that was written, came or went changed the size or time of a file or the time of a folder.
 */
import { statSync, type Stats } from "node:fs";
import type { FileFacts, SessionFiles } from "../sessions/session-files.ts";
import type { Where } from "../sessions/session-ref.ts";

/** Times of folders stand still for as long as this on some file systems. */
const COARSEST_CLOCK_MS = 2_000;

/** Variables and their values, and for each folder its name, its time, and what in it was looked at. */
export interface SeenPlaces {
  env: Record<string, string | null>;
  folders: SeenFolder[];
}

/** `modifiedMs` is null if the folder's own time does not matter: nothing was listed. */
type SeenFolder = [folder: string, modifiedMs: number | null, files: SeenFile[]];

/** `bytes` is -1 of what is not there; -2 of a folder, whose time is not looked at. */
type SeenFile = [name: string, bytes: number, modifiedMs: number];

const QUIETLY = { throwIfNoEntry: false } as const;
const ABSENT = -1;
const FOLDER = -2;

/** Looks on, and notes what is asked. */
export class PlacesRecorder {
  readonly #startMs = Date.now();
  readonly #env = new Map<string, string | null>();
  readonly #folders = new Map<string, { modifiedMs: number | null; files: Map<string, SeenFile> }>();
  #isSure = true;

  /** The same place, whose environment is watched. */
  where(where: Where): Where {
    const env = new Proxy(where.env, {
      get: (variables, name) => {
        const value = typeof name === "string" ? variables[name] : undefined;
        if (typeof name === "string") this.#env.set(name, value ?? null);
        return value;
      },
    });
    return { ...where, env };
  }

  /** The same files, watched. */
  files(files: SessionFiles): SessionFiles {
    return {
      ...files,
      list: (folder) => {
        const facts = statSync(folder, { throwIfNoEntry: false });
        if (facts === undefined) this.see(folder);
        else this.#folder(folder).modifiedMs = facts.mtimeMs;
        if (facts !== undefined && facts.mtimeMs > this.#startMs - COARSEST_CLOCK_MS) this.#isSure = false;
        return files.list(folder);
      },
      stat: async (path) => {
        try {
          const facts = await files.stat(path);
          this.#file(path, sizeOf(facts), facts.modifiedMs);
          return facts;
        } catch (error) {
          this.see(path);
          throw error;
        }
      },
      realpath: (path) => {
        this.see(path);
        return files.realpath(path);
      },
      openRead: (path) => {
        this.see(path);
        return files.openRead(path);
      },
    };
  }

  /** Notes how a path is now. */
  see(path: string): void {
    const facts = factsOf(path);
    if (facts === null) this.#isSure = false;
    else if (facts === undefined) this.#file(path, ABSENT, 0);
    else this.#file(path, facts.isDirectory() ? FOLDER : facts.size, facts.mtimeMs);
  }

  /** Undefined if something of it may have changed without showing. */
  seen(): SeenPlaces | undefined {
    if (!this.#isSure) return undefined;
    return {
      env: Object.fromEntries(this.#env),
      folders: [...this.#folders].map(([folder, { modifiedMs, files }]) => [folder, modifiedMs, [...files.values()]]),
    };
  }

  #folder(path: string): { modifiedMs: number | null; files: Map<string, SeenFile> } {
    let folder = this.#folders.get(path);
    if (folder === undefined) this.#folders.set(path, (folder = { modifiedMs: null, files: new Map() }));
    return folder;
  }

  #file(path: string, bytes: number, modifiedMs: number): void {
    const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
    const name = path.slice(at);
    this.#folder(path.slice(0, at)).files.set(name, [name, bytes, bytes < 0 ? 0 : modifiedMs]);
  }
}

function sizeOf({ kind, bytes }: FileFacts): number {
  return kind === "folder" ? FOLDER : bytes;
}

/** Whether all that was seen is as it was: a look at each file, some microseconds each. */
export function isAsSeen({ env, folders }: SeenPlaces, where: Where): boolean {
  for (const [name, value] of Object.entries(env)) if ((where.env[name] ?? null) !== value) return false;
  return folders.every(isFolderAsSeen);
}

/** Most of the time of a search in many sessions is spent here, so that there is nothing in it but the looks. */
function isFolderAsSeen([folder, modifiedMs, files]: SeenFolder): boolean {
  if (modifiedMs !== null && factsOf(folder)?.mtimeMs !== modifiedMs) return false;
  const start = /[\\/]$/.test(folder) ? folder : `${folder}/`;
  for (const [name, bytes, time] of files) {
    const facts = factsOf(start + name);
    if (facts === undefined || facts === null) {
      if (bytes !== ABSENT || facts === null) return false;
    } else if (bytes === FOLDER) {
      if (!facts.isDirectory()) return false;
    } else if (facts.size !== bytes || facts.mtimeMs !== time) return false;
  }
  return true;
}

/** Undefined of what is not there; null of what cannot be looked at. */
function factsOf(path: string): Stats | undefined | null {
  try {
    return statSync(path, QUIETLY);
  } catch {
    return null;
  }
}
