import { sep } from "node:path";
import type { SessionFiles } from "../../places/session-files.ts";
import { type SessionRef, sessionRef } from "../../places/session-ref.ts";
import { walk, type WalkedFile } from "../../places/walk.ts";
import type { ProjectLabels, ScannedSessions, ScanOptions } from "../agent.ts";

const EXTENSION = ".jsonl";
/** Claude Code needs three (`project/session/subagents`); more are allowed for people who sort projects into folders. */
const DEPTH = 6;
/** Longer names of project folders are cut, and end in a hash that cannot be computed here. */
const MAX_ENCODED = 200;
/** A folder named like a session id contains only files of that session. */
export const SESSION_FOLDER = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Finds the sessions below a `projects` folder: `{project}/{session}.jsonl`, subagents in
 * `{project}/{session}/subagents/agent-*.jsonl`, and those of older versions in `{project}/agent-*.jsonl`, whose parent
 * is only in their content.
 */
export async function scanClaudeCode(
  root: string,
  files: SessionFiles,
  { seen }: ScanOptions,
): Promise<ScannedSessions> {
  const accepts = (name: string): boolean => name.endsWith(EXTENSION);
  const { files: found, unreadable } = walk(root, { files, depth: DEPTH, accepts, seen });
  return { sessions: found.filter(isSession).map(claudeRef), unreadable };
}

/** Returns the project's folder of a session's or a subagent's file, and the names for `claudeRef`, of which it is the first. */
export function claudePlace(path: string): { folder: string; segments: string[] } {
  const names = path.split(/[\\/]/);
  const subagents = names.lastIndexOf("subagents", -2);
  const end = subagents > 1 ? subagents - 1 : -1;
  return { folder: names.slice(0, end).join(sep) || sep, segments: names.slice(end - 1) };
}

export function claudeRef({ path, segments, bytes, modifiedMs }: WalkedFile): SessionRef {
  const name = segments.at(-1) ?? "";
  const id = name.endsWith(EXTENSION) ? name.slice(0, -EXTENSION.length) : name;
  const place = segments.lastIndexOf("subagents", -2);
  const isAgent = place > 0 || isAgentName(id);
  return sessionRef({
    id,
    place: "claude-code",
    agent: "claude-code",
    path,
    projectLabel: segments.length > 1 ? (segments[0] ?? "") : "",
    parentId: (place > 0 ? segments[place - 1] : undefined) ?? null,
    agentId: isAgent ? id.replace(/^agent-/, "") : null,
    modifiedMs,
    bytes,
  });
}

/** Among the files of subagents there are also journals. */
function isSession({ segments }: WalkedFile): boolean {
  return segments.lastIndexOf("subagents", -2) <= 0 || isAgentName(segments.at(-1) ?? "");
}

function isAgentName(name: string): boolean {
  return name.startsWith("agent-");
}

/** Returns Claude Code's name for a project's folder. Several projects can share one. */
function encodedProject(folder: string): string {
  return folder.replace(/[^a-zA-Z0-9]/g, "-").slice(0, MAX_ENCODED);
}

export const claudeLabels: ProjectLabels = {
  ofFolder: (label, folder) => {
    const encoded = encodedProject(folder);
    // A root folder ends with a separator.
    const inside = /[\\/]$/.test(folder) ? encoded : `${encoded}-`;
    if (label === encoded || (encoded.length === MAX_ENCODED && label.startsWith(inside))) return "yes";
    return label.startsWith(inside) ? "maybe" : "no";
  },
  ofName: (label, name) => {
    const encoded = encodedProject(name);
    if (label === encoded) return "yes";
    return `-${label}`.endsWith(`-${encoded}`) || label.length >= MAX_ENCODED ? "maybe" : "no";
  },
};
