/** Plans the removal of a session from the index and the disk, without changing anything. */
import { lstat, readdir, realpath } from "node:fs/promises";
import { basename, dirname, extname, join, sep } from "node:path";
import { nodeFileSystem } from "../transcript/files/node-file-system.ts";
import { isAbsent, reasonOf } from "../sessions/reasons.ts";
import { SESSION_FOLDER } from "../sessions/claude-sessions.ts";
import { refsIn, sessionFamily } from "../sessions/session-family.ts";
import { agentOf, type SessionRef, type SessionRoot, type Where } from "../sessions/session-ref.ts";
import { sessionRoots } from "../sessions/session-roots.ts";
import { transcriptsFolderOf } from "../sessions/transcripts.ts";
import type { Forgotten } from "./schemas/storing-schemas.ts";
import { safeSegment } from "../transcript/transcript-paths.ts";

/** File, or folder with its content. */
export type Place = Forgotten["files"][number];

export interface FilePlan {
  /** Files and folders to remove. */
  places: Place[];
  /** Related files that stay, and why. */
  kept: Forgotten["kept"];
  /** The session and its subagents, in every form. */
  refs: SessionRef[];
}

/** Number of bytes of a saved session that contain its id. */
const SAVED_HEAD_BYTES = 4_096;

/** Finds the files of a session in the session folders. */
export async function filesOf(ref: SessionRef, where: Where): Promise<FilePlan> {
  const { root, unreadable } = await sessionFamily(ref, where);
  const refs = refsIn(root).flatMap((each) => [each, ...each.alternatives]);
  const plan: FilePlan = { places: [], kept: unreadable.map(({ path, reason }) => ({ path, reason })), refs };
  const safe = new SafePlaces(await sessionRoots(where));
  for (const each of refs) {
    const isOwn = each.id === ref.id;
    if (each.path !== null) await add(plan, safe, each.path, isOwn ? "session" : "subagent");
    else if (each.source === "opencode-store") plan.kept.push(inStore(each));
    for (const folder of foldersOf(each)) await add(plan, safe, folder, "outputs");
  }
  for (const path of await savedSessions(refs)) await add(plan, safe, path, "saved");
  plan.places = withoutInner(plan.places);
  return plan;
}

function inStore(ref: SessionRef): { path: string; reason: string } {
  const agent = agentOf(ref) ?? "opencode";
  const reason = `${agent} keeps it there; \`${agent} session delete ${ref.id}\` removes it`;
  return { path: ref.database ?? "", reason };
}

/** Returns the folder beside a session's file, with outputs, attachments and subagents. */
function foldersOf({ source, path, id, parentId, agentId }: SessionRef): string[] {
  if (path === null) return [];
  if (source === "transcript") return [join(transcriptsFolderOf(path, parentId), safeSegment(id))];
  return source === "claude-code" && agentId === null && SESSION_FOLDER.test(basename(path, extname(path)))
    ? [join(dirname(path), basename(path, extname(path)))]
    : [];
}

async function add(plan: FilePlan, safe: SafePlaces, path: string, kind: Place["kind"]): Promise<void> {
  if (plan.places.some((place) => place.path === path) || plan.kept.some((place) => place.path === path)) return;
  try {
    const reason = await safe.objection(path);
    if (reason !== undefined) plan.kept.push({ path, reason });
    else plan.places.push({ path, kind, bytes: await bytesIn(path) });
  } catch (error) {
    if (!isAbsent(error)) plan.kept.push({ path, reason: reasonOf(error) });
  }
}

/** Leaves out files inside folders that are removed anyway. */
function withoutInner(places: readonly Place[]): Place[] {
  return places.filter(({ path }) => !places.some((other) => path.startsWith(other.path + sep)));
}

async function bytesIn(path: string): Promise<number> {
  const facts = await lstat(path);
  if (!facts.isDirectory()) return facts.size;
  const names = await readdir(path);
  const sizes = await Promise.all(names.map((name) => bytesIn(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Limits removal to the session folders, and refuses links. */
export class SafePlaces {
  readonly #roots: readonly SessionRoot[];

  constructor(roots: readonly SessionRoot[]) {
    this.#roots = roots;
  }

  /** Returns why a path must not be removed; undefined if it may be. Rejects if it does not exist. */
  async objection(path: string): Promise<string | undefined> {
    if ((await lstat(path)).isSymbolicLink()) return "it is a symbolic link; remove it and what it points to by hand";
    const folder = await realpath(dirname(path));
    for (const root of await this.#folders()) {
      if (folder === root || folder.startsWith(root + sep)) return undefined;
    }
    return "it is not in a folder where sessions are kept; remove it by hand";
  }

  /** Real paths of the folders with sessions, and of those with saved sessions beside them. */
  async #folders(): Promise<string[]> {
    const named = this.#roots.flatMap(({ source, path }) => {
      if (source === "opencode-store") return [];
      return source === "transcript" ? [path, join(dirname(path), "sessions")] : [path];
    });
    const real = await Promise.all(named.map((path) => realpath(path).catch(() => undefined)));
    return real.filter((path) => path !== undefined);
  }
}

async function headOf(path: string): Promise<string> {
  const handle = await nodeFileSystem.openRead(path);
  try {
    return Buffer.from(await handle.read(0, SAVED_HEAD_BYTES)).toString("utf8");
  } finally {
    await handle.close();
  }
}

/** Finds the files saved from these sessions. */
async function savedSessions(refs: readonly SessionRef[]): Promise<string[]> {
  const ids = new Set(refs.map(({ id }) => id));
  const folders = new Set(
    refs.flatMap(({ source, path, parentId }) =>
      source === "transcript" && path !== null ? [join(dirname(transcriptsFolderOf(path, parentId)), "sessions")] : [],
    ),
  );
  const found: string[] = [];
  for (const folder of folders) {
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    for (const name of names.filter((each) => each.endsWith(".md"))) {
      const head = await headOf(join(folder, name)).catch(() => "");
      const [, id] = /^- \*\*Session ID\*\*: `+\s?([^`\n]+?)\s?`+$/m.exec(head) ?? [];
      if (id !== undefined && ids.has(id)) found.push(join(folder, name));
    }
  }
  return found;
}
