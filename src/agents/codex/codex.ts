import { basename, dirname, join } from "node:path";
import { shellWord } from "../../calls/shell-syntax.ts";
import type { SessionFiles } from "../../places/session-files.ts";
import { type Place, type SessionRef, sessionRef } from "../../places/session-ref.ts";
import { walk } from "../../places/walk.ts";
import { agentFolder } from "../../user-folders.ts";
import type { Agent, Format, NamedFile, Resume, ScannedSessions, ScanOptions } from "../agent.ts";
import { readRecords } from "../../parse/record-units.ts";
import { hasRecord } from "../json-head.ts";
import { CodexReader } from "./codex-lines.ts";
import { isCodexLine } from "./codex-records.ts";
import { codexTools } from "./codex-tools.ts";

const NAME = "codex";
/** In `YYYY/MM/DD`; archived ones have no folders. */
const DEPTH = 3;
const FOLDERS = ["sessions", "archived_sessions"];
const PACKED = ".zst";
/** The id after the time; a file is compressed after a week without changes. */
const ROLLOUT = /^rollout-.*?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl(?:\.zst)?$/;

/** Session files: `rollout-*.jsonl`. */
const format: Format = {
  name: "codex",
  lines: "json",
  tools: codexTools,
  // Some versions rewrite a file when they compact its session.
  hasStableIds: true,
  detect: (head) => hasRecord(head, isCodexLine),
  read: (chunks, options) => readRecords(chunks, options, new CodexReader()),
};

export const codex: Agent = {
  name: NAME,
  displayName: "Codex",
  formats: [format],
  places: async (where) =>
    FOLDERS.map((name) => ({ agent: NAME, path: join(agentFolder(where, ["CODEX_HOME"], ".codex"), name) })),
  scan: ({ path }, files, options) => scan(path, files, options),
  fileRef: (file, head) => ({ ...refOf(file), id: head.sessionId ?? idOf(file.path) }),
  isParentInContent: () => true,
  resume,
  placeOf,
};

async function scan(root: string, files: SessionFiles, { seen }: ScanOptions): Promise<ScannedSessions> {
  const { files: found, unreadable } = walk(root, {
    files,
    depth: DEPTH,
    accepts: (name) => ROLLOUT.test(name),
    seen,
  });
  // Codex unpacks a session before it goes on, so a compressed file beside a plain one is older.
  const refs = new Map(found.map((file) => [file.path, refOf(file)]));
  const sessions = [...refs].flatMap(([path, ref]) => {
    if (path.endsWith(PACKED)) return refs.has(path.slice(0, -PACKED.length)) ? [] : ref;
    const older = refs.get(`${path}${PACKED}`);
    return older === undefined ? ref : { ...ref, alternatives: [older] };
  });
  return { sessions, unreadable };
}

function refOf({ path, bytes, modifiedMs }: NamedFile): SessionRef {
  return sessionRef({ id: idOf(path), place: NAME, agent: NAME, path, bytes, modifiedMs });
}

function idOf(path: string): string {
  const name = basename(path);
  return ROLLOUT.exec(name)?.[1] ?? name.replace(/\.jsonl(?:\.zst)?$/, "");
}

/** Codex finds a session by its id, in any folder; it works in the one of the session. */
function resume({ id }: SessionRef, cwd: string | null): Resume {
  return { command: `codex resume ${shellWord(id)}`, folder: cwd };
}

/** A session's subagents are in the folder of the day on which they were started. */
function placeOf(path: string): Place {
  const names = dirname(path).split(/[\\/]/);
  const at = names.findLastIndex((name) => FOLDERS.includes(name));
  return { agent: NAME, path: at === -1 ? dirname(path) : names.slice(0, at + 1).join("/") };
}
