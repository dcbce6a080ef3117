import { basename, extname } from "node:path";
import type { Agent, SessionHead } from "../agents/agent.ts";
import { detectFormat } from "../agents/detect.ts";
import { agentAt, agentKeeping } from "../agents/registry.ts";
import { readFileHead } from "../agents/session-head.ts";
import { cannotOpen } from "../places/session-bytes.ts";
import { nodeSessionFiles, type SessionFiles } from "../places/session-files.ts";
import { type SessionRef, sessionRef } from "../places/session-ref.ts";
import { TranscriptsError } from "../transcripts-error.ts";

/** Returns the session in any file, by its content and path. Throws a `TranscriptsError` for a folder, or if it cannot be read. */
export async function fileRef(path: string, files: SessionFiles = nodeSessionFiles): Promise<SessionRef> {
  const plain = sessionRef({ id: basename(path, extname(path)), place: "file", agent: null, path });
  try {
    const { kind, bytes, modifiedMs } = files.stat(path);
    if (kind === "folder") throw isFolder(path);
    if (kind === "other") throw isStream(path);
    const { format, head } = await readFileHead(path, files, detectFormat);
    const file = { path, bytes, modifiedMs };
    const named = { ...plain, ...file, id: head.sessionId ?? plain.id };
    const agent = agentKeeping(format);
    if (agent === undefined) return named;
    const ref = agent.fileRef?.(file, head) ?? { ...named, place: agent.name, agent: agent.name };
    return await withHead(agent, ref, files, head);
  } catch (error) {
    throw error instanceof TranscriptsError ? error : cannotOpen(plain, error);
  }
}

/**
 * Adds project, parent, title and start from the head of the session. Returns a complete ref, or one without a file,
 * unchanged. Throws a `TranscriptsError`.
 */
export async function readHead(ref: SessionRef, files: SessionFiles = nodeSessionFiles): Promise<SessionRef> {
  if (ref.project !== null && ref.startedMs !== null) return ref;
  const agent = agentAt(ref);
  if (agent === undefined || ref.path === null || ref.bytes === null || ref.archived !== null) return ref;
  try {
    const { format, head } = await readFileHead(ref.path, files, detectFormat);
    return agentKeeping(format) === agent ? await withHead(agent, ref, files, head) : ref;
  } catch (error) {
    throw cannotOpen(ref, error);
  }
}

async function withHead(agent: Agent, ref: SessionRef, files: SessionFiles, head: SessionHead): Promise<SessionRef> {
  const beside = await agent.beside?.(ref, files);
  const cwd = beside?.cwd ?? head.cwd;
  return {
    ...ref,
    project: ref.project ?? cwd,
    projectLabel: ref.project ?? cwd ?? ref.projectLabel,
    // The content of a subagent's session may have the id of the session that started it.
    parentId: ref.parentId ?? head.parentId ?? (ref.agentId === null ? null : head.sessionId),
    title: ref.title ?? beside?.title ?? head.title,
    startedMs: ref.startedMs ?? head.startedMs,
  };
}

/** A pipe can be read only once, and reading one may wait for ever. */
function isStream(path: string): TranscriptsError {
  const next = `Pass it as standard input: \`- < ${path}\`.`;
  return new TranscriptsError("unreadable", `${path} is a pipe or a device, not a file.`, next, { path });
}

function isFolder(path: string): TranscriptsError {
  const next = "Pass a session file, or run `transcripts list` to see all sessions.";
  return new TranscriptsError("is_folder", `${path} is a folder.`, next, { path });
}
