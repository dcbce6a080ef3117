/** Determines the files and folders that a failure is about, and which steps read or change them. */
import { callPath, relatePaths, samePath, type CallPath } from "../calls/file-paths.ts";
import { blameFor, type Clue } from "./evidence.ts";
import type { Purpose, Step, Target } from "./targets.ts";

export interface About {
  /** Files that the error or the call names. */
  files: readonly CallPath[];
  /** Folders that the failed command works on. */
  folders: readonly CallPath[];
}

export const PATH_IN_TEXT =
  /(?:[A-Za-z]:)?(?:[\w.@~+-]+)?(?:[\\/][\w.@+[\]-]+)+|\b[\w-]+(?:\.[\w-]+)*\.[a-z]\w{0,4}\b/g;

export function aboutOf(target: Target, clue: Clue): About {
  const { steps } = blameFor(target.steps, clue);
  const named = [...new Set(clue.text.match(PATH_IN_TEXT))].slice(0, 200).map((path) => callPath(path, null));
  const own = steps.flatMap(({ purpose }) => pathsOf(purpose));
  const folders = steps.flatMap(({ purpose, folder }) => {
    if (purpose.kind !== "run") return [];
    const paths = pathsOf(purpose).map(({ full }) => callPath(/\.\w+$/.test(full) ? `${full}/..` : full, null));
    const home = callPath(".", folder);
    return paths.length > 0 && paths.every((path) => relatePaths(home, path) === null) ? paths : [home, ...paths];
  });
  return { files: [...named, ...own], folders };
}

export function pathsOf(purpose: Purpose): CallPath[] {
  if ("paths" in purpose) return purpose.paths;
  return purpose.kind === "run" ? purpose.words.flatMap(({ path }) => (path === null ? [] : [path])) : [];
}

export function isSource({ full }: CallPath): boolean {
  return !/(?:[._-](?:test|spec)s?\.|_test\.|(?:^|\/)test_|(?:^|\/)(?:tests?|__tests__|spec)\/)/i.test(full);
}

/** Matches files that no command runs. */
const PROSE = /\.(?:md|mdx|txt|rst|log)$/i;

export function editsNamed(
  { purpose }: Step,
  files: readonly CallPath[],
  isCounted: (path: CallPath) => boolean = () => true,
): boolean {
  if (purpose.kind !== "write") return false;
  return purpose.paths.some((path) => isCounted(path) && files.some((file) => isNamedBy(path, file)));
}

/** Returns whether it changes the configuration of a program: `.golangci.yaml`, `vitest.config.ts`. */
export function editsConfig({ purpose }: Step, programs: readonly string[]): boolean {
  if (purpose.kind !== "write") return false;
  return purpose.paths.some(({ full }) => {
    const [, name] =
      /(?:^|\/)\.?([a-z]\w{2,})(?:rc|\.config)?(?:\.(?:ya?ml|json[c5]?|toml|ini|[cm]?[jt]s))?$/i.exec(full) ?? [];
    return name !== undefined && programs.includes(name.toLowerCase());
  });
}

/** A bare name in an error may be in any folder. */
function isNamedBy(path: CallPath, { full }: CallPath): boolean {
  return samePath(path, callPath(full, null)) || path.full.endsWith(`/${full}`) || full.endsWith(`/${path.given}`);
}

export function editsWithin({ purpose }: Step, folders: readonly CallPath[]): boolean {
  if (purpose.kind !== "write") return false;
  return purpose.paths.some(
    (path) => !PROSE.test(path.full) && folders.some((folder) => relatePaths(folder, path) === "inside"),
  );
}

export function reads({ purpose }: Step, files: readonly CallPath[]): boolean {
  return purpose.kind === "read" && purpose.paths.some((path) => files.some((file) => samePath(path, file)));
}

const MANIFEST =
  /(?:^|\/)(?:package\.json|mix\.exs|Cargo\.toml|go\.mod|pyproject\.toml|requirements[\w-]*\.txt|Gemfile|pubspec\.yaml|composer\.json|Package\.swift)$/;
export function editsManifest({ purpose }: Step): boolean {
  return purpose.kind === "write" && purpose.paths.some(({ full }) => MANIFEST.test(full));
}
