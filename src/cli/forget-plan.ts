/** Plans the removal of a session from the index and the disk, without changing anything. */
import { lstat, readdir, realpath } from "node:fs/promises";
import { basename, dirname, extname, join, sep } from "node:path";
import { nodeFileSystem } from "../transcript/files/node-file-system.ts";
import { isAbsent, reasonOf } from "../sessions/reasons.ts";
import { SESSION_FOLDER } from "../sessions/claude-sessions.ts";
import { refsIn, sessionFamily } from "../sessions/session-family.ts";
import { agentOf, type SessionRef, type SessionRoot, type Unreadable, type Where } from "../sessions/session-ref.ts";
import { sessionRoots } from "../sessions/session-roots.ts";
import { transcriptsFolderOf } from "../sessions/transcripts.ts";
import { safeSegment } from "../transcript/transcript-paths.ts";

/** File, or folder with its content. */
export interface Place {
  path: string;
  kind: "session" | "subagent" | "outputs" | "saved";
  bytes: number;
}

export interface FilePlan {
  /** Files and folders to remove. */
  places: Place[];
  /** Related files that stay, and why. */
  kept: Unreadable[];
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
  const roots = await sessionRoots(where);
  for (const each of refs) {
    const isOwn = each.id === ref.id;
    if (each.path !== null) await add(plan, roots, each.path, isOwn ? "session" : "subagent");
    else if (each.source === "opencode-store") plan.kept.push(inStore(each));
    for (const folder of foldersOf(each)) await add(plan, roots, folder, "outputs");
  }
  for (const path of await savedSessions(refs)) await add(plan, roots, path, "saved");
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

async function add(plan: FilePlan, roots: readonly SessionRoot[], path: string, kind: Place["kind"]): Promise<void> {
  if (plan.places.some((place) => place.path === path) || plan.kept.some((place) => place.path === path)) return;
  try {
    const reason = await objectionTo(path, roots);
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

/**
 * Returns why a path must not be removed; undefined if it may be: only what is in a folder with sessions, or with saved
 * sessions beside it, and no link. Rejects if it does not exist.
 */
export async function objectionTo(path: string, roots: readonly SessionRoot[]): Promise<string | undefined> {
  if ((await lstat(path)).isSymbolicLink()) return "it is a symbolic link; remove it and what it points to by hand";
  const folder = await realpath(dirname(path));
  for (const root of roots.filter(({ source }) => source !== "opencode-store")) {
    for (const name of root.source === "transcript" ? [root.path, join(dirname(root.path), "sessions")] : [root.path]) {
      const real = await realpath(name).catch(() => undefined);
      if (real !== undefined && (folder === real || folder.startsWith(real + sep))) return undefined;
    }
  }
  return "it is not in a folder where sessions are kept; remove it by hand";
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
