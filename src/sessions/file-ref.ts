import { basename, extname, join } from "node:path";
import { claudeRef } from "./claude-sessions.ts";
import { cannotOpen } from "./open-session.ts";
import { nodeSessionFiles, type FileFacts, type SessionFiles } from "./session-files.ts";
import { readSessionHead } from "./session-head.ts";
import { type SessionRef, sessionRef } from "./session-ref.ts";
import { projectOf, transcriptsFolderOf } from "./transcripts.ts";
import { TranscriptsError } from "../transcripts-error.ts";

/** Returns the session in any file, by its content and path. Throws a `TranscriptsError` for a folder, or if it cannot be read. */
export async function fileRef(path: string, files: SessionFiles = nodeSessionFiles): Promise<SessionRef> {
  const plain = sessionRef({ id: basename(path, extname(path)), source: "file", path });
  const facts = await files.stat(path).catch((error: unknown) => {
    throw cannotOpen(plain, error);
  });
  if (facts.kind === "folder") throw await isFolder(path, files);
  const { modifiedMs } = facts;
  // A pipe can be read only once, so its head is not read.
  if (facts.kind === "other") return { ...plain, modifiedMs };
  return withHead(await sourceRef({ ...plain, modifiedMs, bytes: facts.bytes }, path, facts, files), files);
}

/** Detects the source of a file from its beginning. */
async function sourceRef(plain: SessionRef, path: string, facts: FileFacts, files: SessionFiles): Promise<SessionRef> {
  const head = await readSessionHead(path, files).catch((error: unknown) => {
    throw cannotOpen(plain, error);
  });
  if (head.source === "file") return { ...plain, id: head.sessionId ?? plain.id };
  if (head.source === "claude-code") return claudeRef({ ...facts, path, segments: claudeSegments(path) });
  const folder = transcriptsFolderOf(path, head.parentId);
  return { ...plain, id: head.sessionId ?? plain.id, source: "transcript", project: projectOf(folder) };
}

/** Returns the last names of a path as `claudeRef` expects them, starting with the project's folder. */
function claudeSegments(path: string): string[] {
  const names = path.split(/[\\/]/);
  const place = names.lastIndexOf("subagents", -2);
  return names.slice(place > 1 ? place - 2 : -2);
}

/**
 * Adds project, parent, title and start from the head of the session's file. Returns a complete ref, or one without a
 * file, unchanged. Throws a `TranscriptsError`.
 */
export async function readHead(ref: SessionRef, files: SessionFiles = nodeSessionFiles): Promise<SessionRef> {
  try {
    return await withHead(ref, files);
  } catch (error) {
    throw cannotOpen(ref, error);
  }
}

async function withHead(ref: SessionRef, files: SessionFiles): Promise<SessionRef> {
  if (ref.path === null || ref.bytes === null || ref.source === "file" || ref.archived !== null) return ref;
  if (ref.project !== null && ref.startedMs !== null) return ref;
  const head = await readSessionHead(ref.path, files);
  if (head.source !== ref.source) return ref;
  const agentId = ref.agentId;
  const parentId = ref.source === "transcript" ? head.parentId : agentId === null ? null : head.sessionId;
  return {
    ...ref,
    project: ref.project ?? head.cwd,
    projectLabel: ref.project ?? head.cwd ?? ref.projectLabel,
    parentId: ref.parentId ?? parentId,
    title: ref.title ?? head.title,
    startedMs: ref.startedMs ?? head.startedMs,
  };
}

async function isFolder(path: string, files: SessionFiles): Promise<TranscriptsError> {
  const beside = [`${path.replace(/[\\/]+$/, "")}.jsonl`, `${path.replace(/[\\/]+$/, "")}.md`];
  const inside = (await files.list(path).catch(() => [])).map(({ name }) => join(path, name));
  const sessions = inside.filter((each) => /\.(?:jsonl|md|json)$/.test(each) && !/readme\.md$/i.test(each)).toSorted();
  for (const candidate of [...beside, ...sessions]) {
    const facts = await files.stat(candidate).catch(() => undefined);
    if (facts?.kind !== "file") continue;
    return new TranscriptsError("is_folder", `${path} is a folder.`, `Pass a file, for example ${candidate}.`, {
      path,
    });
  }
  const next = "Pass a session file, or run `transcripts list` to see all sessions.";
  return new TranscriptsError("is_folder", `${path} is a folder.`, next, { path });
}
