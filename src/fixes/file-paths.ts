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

/**
 * Returns why one path is probably what was meant by another that does not exist; null if it is not. `looked`: folders
 * listed or searched in between.
 */
export function likelyMeant(missing: CallPath, found: CallPath, looked: readonly CallPath[]): string | null {
  const [name, foundName] = [posix.basename(missing.full), posix.basename(found.full)];
  if (name === foundName) return "the same file name in another folder";
  const sameFolder = posix.dirname(missing.full) === posix.dirname(found.full);
  if (sameFolder && nameLikeness(stem(name), stem(foundName)) >= 0.5) return "a similar name in the same folder";
  const folder = { full: posix.dirname(missing.full), given: posix.dirname(missing.given) };
  const kind = posix.extname(name);
  const sameKind = kind !== "" && kind === posix.extname(foundName);
  if (sameFolder && sameKind && looked.some((other) => samePath(folder, other))) {
    return "a file in the folder that was listed";
  }
  return null;
}

function stem(name: string): string {
  return posix.basename(name, posix.extname(name));
}

/** Returns the share of common letter pairs of two names (Dice), from 0 to 1, ignoring case. */
function nameLikeness(a: string, b: string): number {
  const left = letterPairs(a.toLowerCase());
  const right = letterPairs(b.toLowerCase());
  if (left.size + right.size === 0) return a === b ? 1 : 0;
  let shared = 0;
  for (const pair of left) if (right.has(pair)) shared += 1;
  return (2 * shared) / (left.size + right.size);
}

function letterPairs(text: string): Set<string> {
  const pairs = new Set<string>();
  for (let index = 0; index + 1 < text.length; index += 1) pairs.add(text.slice(index, index + 2));
  return pairs;
}

/** Returns the folders of a file pattern: its fixed beginning, in each of `roots`. */
export function globFolders(pattern: string, roots: readonly CallPath[]): CallPath[] {
  const parts = pattern.replace(/^(?:\*\*\/)+/, "").split("/");
  const wild = parts.findIndex((part) => /[*?[{]/.test(part));
  const fixed = parts.slice(0, wild < 0 ? -1 : wild).join("/");
  if (roots.length === 0) return fixed === "" ? [] : [callPath(fixed, null)];
  return roots.map(({ full }) =>
    fixed === "" || isAbsolute(fixed) ? callPath(fixed || full, null) : callPath(fixed, full),
  );
}

/** Returns the last part of a path: every call that uses the file has it in its input. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
