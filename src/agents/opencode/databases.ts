/** Places of the databases of opencode and Kilo. */
import { isAbsolute, join } from "node:path";
import { namesIn, nodeSessionFiles, type SessionFiles } from "../../places/session-files.ts";
import type { Where } from "../../places/session-ref.ts";
import { hostDataFolder } from "../../user-folders.ts";

/** Names of the databases; unusual channels have their own. */
const DATABASE_NAMES = { opencode: /^opencode(?:-[\w.-]+)?\.db$/, kilo: /^kilo(?:-[\w.-]+)?\.db$/ };

/** Returns opencode's databases, the usual one first, whether it exists or not. */
export function opencodeDatabases(
  where: Pick<Where, "env" | "home">,
  files: SessionFiles = nodeSessionFiles,
): string[] {
  const found = databasesOf("opencode", where, files);
  if ((where.env["OPENCODE_DB"] ?? "") !== "") return found;
  // The usual one is returned even if it does not exist, so that the user sees where sessions are searched.
  return [...new Set([join(hostDataFolder("opencode", where), "opencode.db"), ...found])];
}

/** Returns the database named by `OPENCODE_DB` or `KILO_DB`, or else those in `$XDG_DATA_HOME/opencode` or `kilo`. */
export function databasesOf(
  agent: keyof typeof DATABASE_NAMES,
  { env, home }: Pick<Where, "env" | "home">,
  files: SessionFiles,
): string[] {
  const folder = hostDataFolder(agent, { env, home });
  const named = env[`${agent.toUpperCase()}_DB`] ?? "";
  if (named === ":memory:") return [];
  if (named !== "") return [isAbsolute(named) ? named : join(folder, named)];
  return namesIn(folder, files)
    .filter((name) => DATABASE_NAMES[agent].test(name))
    .map((name) => join(folder, name))
    .toSorted();
}
