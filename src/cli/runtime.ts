/** Checks the runtime. Loaded first, so it uses nothing that an old runtime lacks. */

/** The `engines` of package.json. */
const OLDEST = { node: [22, 13, 0], bun: [1, 3, 14] } as const;

/** Returns a message if the runtime is too old. `versions` is `process.versions`. */
export function oldRuntime(versions: Readonly<Record<string, string | undefined>>): string | undefined {
  const name = versions["bun"] === undefined ? "node" : "bun";
  const version = versions[name] ?? "";
  if (!isBefore(version, OLDEST[name])) return undefined;
  const shown = name === "node" ? "Node" : "Bun";
  return `transcripts needs ${shown} ${OLDEST[name].join(".")} or newer, and this is ${version}. Install a newer ${shown} and try again.`;
}

function isBefore(version: string, oldest: readonly number[]): boolean {
  const parts = version.split(".").map((part) => Number.parseInt(part, 10));
  for (const [at, least] of oldest.entries()) {
    const part = parts[at] ?? 0;
    if (part !== least) return part < least;
  }
  return false;
}
