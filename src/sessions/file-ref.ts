import { basename, extname } from "node:path";
import { claudePlace, claudeRef } from "../agents/claude-code/claude-sessions.ts";
import { cannotOpen } from "./open-session.ts";
import { nodeSessionFiles, type SessionFiles } from "../places/session-files.ts";
import { readSessionHead, type SessionHead } from "./session-head.ts";
import { type SessionRef, sessionRef } from "../places/session-ref.ts";
import { projectOf, RECORDED_AGENT, transcriptsFolderOf } from "../agents/transcripts/transcripts.ts";
import { TranscriptsError } from "../transcripts-error.ts";

/** Returns the session in any file, by its content and path. Throws a `TranscriptsError` for a folder, or if it cannot be read. */
export async function fileRef(path: string, files: SessionFiles = nodeSessionFiles): Promise<SessionRef> {
  const plain = sessionRef({ id: basename(path, extname(path)), source: "file", agent: null, path });
  try {
    const facts = await files.stat(path);
    if (facts.kind === "folder") throw isFolder(path);
    const { modifiedMs, bytes } = facts;
    // A pipe can be read only once, so its head is not read.
    if (facts.kind === "other") return { ...plain, modifiedMs };
    const head = await readSessionHead(path, files);
    if (head.source === "claude-code")
      return withHead(claudeRef({ ...facts, path, segments: claudePlace(path).segments }), head);
    const ref = { ...plain, id: head.sessionId ?? plain.id, modifiedMs, bytes };
    if (head.source === "file") return ref;
    return withHead(
      {
        ...ref,
        source: "transcript",
        agent: RECORDED_AGENT,
        project: projectOf(transcriptsFolderOf(path, head.parentId)),
      },
      head,
    );
  } catch (error) {
    throw error instanceof TranscriptsError ? error : cannotOpen(plain, error);
  }
}

/**
 * Adds project, parent, title and start from the head of the session's file. Returns a complete ref, or one without a
 * file, unchanged. Throws a `TranscriptsError`.
 */
export async function readHead(ref: SessionRef, files: SessionFiles = nodeSessionFiles): Promise<SessionRef> {
  if (ref.path === null || ref.bytes === null || ref.source === "file" || ref.archived !== null) return ref;
  if (ref.project !== null && ref.startedMs !== null) return ref;
  try {
    const head = await readSessionHead(ref.path, files);
    return head.source === ref.source ? withHead(ref, head) : ref;
  } catch (error) {
    throw cannotOpen(ref, error);
  }
}

function withHead(ref: SessionRef, head: SessionHead): SessionRef {
  const parentId = ref.source === "transcript" ? head.parentId : ref.agentId === null ? null : head.sessionId;
  return {
    ...ref,
    project: ref.project ?? head.cwd,
    projectLabel: ref.project ?? head.cwd ?? ref.projectLabel,
    parentId: ref.parentId ?? parentId,
    title: ref.title ?? head.title,
    startedMs: ref.startedMs ?? head.startedMs,
  };
}

function isFolder(path: string): TranscriptsError {
  const next = "Pass a session file, or run `transcripts list` to see all sessions.";
  return new TranscriptsError("is_folder", `${path} is a folder.`, next, { path });
}
