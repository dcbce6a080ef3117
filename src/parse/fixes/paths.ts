/** Paths as two calls name them: absolute or relative to a folder that the source may not tell. */
import { posix } from "node:path";

export interface CallPath {
  /** Normalised, with `/`; absolute if the call's folder is known. */
  full: string;
  /** As the call has it, normalised. */
  given: string;
}

export type PathRelation = "same" | "inside" | "around" | null;

export function callPath(given: string, cwd: string | null): CallPath {
  const plain = tidy(given);
  return { given: plain, full: isAbsolute(plain) || cwd === null ? plain : tidy(`${tidy(cwd)}/${plain}`) };
}

/** Go's `./...` and a glob's `/**` at the end mean all that is in a folder, so they name the folder. */
function tidy(path: string): string {
  const slashed = path.trim().replaceAll("\\", "/");
  const folder = slashed.replace(/\/(?:\.\.\.|\*\*(?:\/\*)?|\*)$/, "");
  const normal = posix.normalize(folder === "" ? "/" : folder);
  return normal.length > 1 && normal.endsWith("/") ? normal.slice(0, -1) : normal;
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || path.startsWith("~") || /^[A-Za-z]:\//.test(path);
}

/** How `later` lies to `earlier`: the same, `inside` it, or `around` it. */
export function relatePaths(earlier: CallPath, later: CallPath): PathRelation {
  if (samePath(earlier, later)) return "same";
  if (isInside(later.full, earlier.full)) return "inside";
  return isInside(earlier.full, later.full) ? "around" : null;
}

/**
 * A relative path is the same as an absolute one that ends with it: a shell may have moved to another folder than the
 * one that the source tells.
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
 * Whether one path is what was meant by another that does not exist, and by what one sees it. `looked`: folders that
 * were looked into in between.
 */
export function likelyMeant(missing: CallPath, found: CallPath, looked: readonly CallPath[]): string | null {
  const [name, foundName] = [posix.basename(missing.full), posix.basename(found.full)];
  if (name === foundName) return "the same file name in another folder";
  const sameFolder = posix.dirname(missing.full) === posix.dirname(found.full);
  if (sameFolder && nameLikeness(stem(name), stem(foundName)) >= 0.5) return "a similar name in the same folder";
  const folder = { full: posix.dirname(missing.full), given: posix.dirname(missing.given) };
  const sameKind = posix.extname(name) === posix.extname(foundName);
  if (sameFolder && sameKind && looked.some((other) => samePath(folder, other))) {
    return "a file of the folder that was looked into";
  }
  const parts = missing.full.split("/");
  const foundParts = found.full.split("/");
  if (parts.length === foundParts.length && differingParts(parts, foundParts) === 1) {
    const at = parts.findIndex((part, index) => part !== foundParts[index]);
    if (nameLikeness(parts[at] ?? "", foundParts[at] ?? "") >= 0.5) return "a similar path";
  }
  return null;
}

function stem(name: string): string {
  return posix.basename(name, posix.extname(name));
}

function differingParts(a: readonly string[], b: readonly string[]): number {
  return a.filter((part, index) => part !== b[index]).length;
}

/** From 0 to 1: pairs of neighbouring letters that two names share (Dice), without regard to case. */
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

/** The folders that a file pattern looks into: its own fixed beginning, in each of `roots`. */
export function globFolders(pattern: string, roots: readonly CallPath[]): CallPath[] {
  const parts = pattern.replace(/^(?:\*\*\/)+/, "").split("/");
  const wild = parts.findIndex((part) => /[*?[{]/.test(part));
  const fixed = parts.slice(0, wild < 0 ? -1 : wild).join("/");
  if (roots.length === 0) return fixed === "" ? [] : [callPath(fixed, null)];
  return roots.map(({ full }) =>
    fixed === "" || isAbsolute(fixed) ? callPath(fixed || full, null) : callPath(fixed, full),
  );
}
