/** The shortest end of each path that no other one has: `shop`, but `work/shop` where there is a `home/shop` too. */
export function shortPaths(paths: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  let open = [...new Set(paths)];
  for (let length = 1; open.length > 0; length += 1) {
    const byEnd = Map.groupBy(open, (path) => endOf(path, length));
    // A path that has no more to tell stays as it is.
    open = [...byEnd].flatMap(([end, same]) => {
      const alike = same.filter((path) => same.length > 1 && endOf(path, length + 1) !== end);
      for (const path of same) if (!alike.includes(path)) names.set(path, end);
      return alike;
    });
  }
  return names;
}

/** The name of a project, whose folder may be on a machine of another kind: its last segment. */
export function projectName(folder: string): string {
  return endOf(folder, 1);
}

/** The last segments. */
function endOf(path: string, segments: number): string {
  const all = path.split(/[\\/]/).filter((segment) => segment !== "");
  return all.slice(-segments).join("/") || path;
}
