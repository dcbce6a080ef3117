/** Compares paths of two calls, which are absolute or relative to a possibly unknown folder. */
import { posix } from "node:path";

export interface CallPath {
  /** Normalised, with `/`; absolute if the call's folder is known. */
  full: string;
  /** Path in the call, normalised. */
  given: string;
}

export type PathRelation = "same" | "inside" | "around" | null;

export function callPath(given: string, cwd: string | null): CallPath {
  const plain = tidy(given);
  return { given: plain, full: isAbsolute(plain) || cwd === null ? plain : tidy(`${tidy(cwd)}/${plain}`) };
}

/** Matches Go's `./...` and a glob's `/**` at the end, which name a folder. */
export function tidy(path: string): string {
  const slashed = path.trim().replaceAll("\\", "/");
  const folder = slashed.replace(/\/(?:\.\.\.|\*\*(?:\/\*)?|\*)$/, "");
  const normal = posix.normalize(folder === "" ? "/" : folder);
  return normal.length > 1 && normal.endsWith("/") ? normal.slice(0, -1) : normal;
}

export function isAbsolute(path: string): boolean {
  return path.startsWith("/") || path.startsWith("~") || /^[A-Za-z]:\//.test(path);
}

/** Returns the relation of `later` to `earlier`: the same, `inside` it, or `around` it. */
export function relatePaths(earlier: CallPath, later: CallPath): PathRelation {
  if (samePath(earlier, later)) return "same";
  if (isInside(later.full, earlier.full)) return "inside";
  return isInside(earlier.full, later.full) ? "around" : null;
}

/**
 * Returns whether two paths are the same. A relative path equals an absolute one that ends with it, because a shell may
 * have changed its folder.
 */
export function samePath(a: CallPath, b: CallPath): boolean {
  if (a.full === b.full) return true;
  return endsWithPath(a.full, b.given) || endsWithPath(b.full, a.given);
}

function endsWithPath(full: string, relative: string): boolean {
  if (isAbsolute(relative) || relative.startsWith("..") || relative === ".") return false;
  return isAbsolute(full) && full.endsWith(`/${relative}`);
}

function isInside(path: string, folder: string): boolean {
  if (folder === ".") return !isAbsolute(path) && !path.startsWith("..");
  return path.startsWith(folder === "/" ? folder : `${folder}/`);
}

/** Returns the last part of a path: every call that uses the file has it in its input. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
