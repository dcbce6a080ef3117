/** Qwen Code: for each project a folder of chats, and one of subagents. */
import { basename, dirname, join, sep } from "node:path";
import { shellWord } from "../../calls/shell-syntax.ts";
import { type Fields, fieldsOf } from "../../parse/json-fields.ts";
import { readRecords } from "../../parse/record-units.ts";
import { type SessionRef, sessionRef } from "../../places/session-ref.ts";
import { walk } from "../../places/walk.ts";
import { agentFolder } from "../../user-folders.ts";
import type { Agent, Format, NamedFile } from "../agent.ts";
import { hasRecord } from "../json-head.ts";
import { QwenReader } from "./qwen-records.ts";
import { qwenTools } from "./qwen-tools.ts";

const NAME = "qwen-code";
const VARIABLES = ["QWEN_RUNTIME_DIR", "QWEN_HOME"];
const EXTENSION = ".jsonl";
const [CHATS, SUBAGENTS] = ["chats", "subagents"];
/** `{project}/chats/{session}.jsonl`, also in a folder below it, and `{project}/subagents/{session}/agent-*.jsonl`. */
const DEPTH = 3;

const format: Format = {
  name: "qwen-code",
  lines: "json",
  tools: qwenTools,
  detect: (head) => hasRecord(head, isRecord),
  read: (chunks, options) => readRecords(chunks, options, new QwenReader()),
};

/** Its lines have Claude Code's ids and Gemini CLI's messages. */
function isRecord(record: Fields): boolean {
  if (!("uuid" in record && "sessionId" in record)) return false;
  return "provenance" in record || "systemPayload" in record || Array.isArray(fieldsOf(record, "message")?.["parts"]);
}

export const qwenCode: Agent = {
  name: NAME,
  displayName: "Qwen Code",
  formats: [format],
  places: async (where) => [{ agent: NAME, path: join(agentFolder(where, VARIABLES, ".qwen"), "projects") }],
  scan: async ({ path }, files, { seen }) => {
    const found = walk(path, {
      files,
      depth: DEPTH,
      accepts: (name) => name.endsWith(EXTENSION),
      enters: ([, kind]) => kind === undefined || kind === CHATS || kind === SUBAGENTS,
      seen,
    });
    const sessions = found.files.filter(({ segments: [, kind, ...rest] }) => kind !== undefined && rest.length > 0);
    return { sessions: sessions.map(refOf), unreadable: found.unreadable };
  },
  fileRef: refOf,
  resume: ({ id }, cwd) => ({ command: `qwen --resume ${shellWord(id)}`, folder: cwd }),
  placeOf: (path) => ({ agent: NAME, path: dirname(projectOf(path) ?? dirname(dirname(path))) }),
  belongings: (path, { id, agentId }) => {
    const project = projectOf(path);
    return project === undefined || agentId !== null ? [] : [join(project, SUBAGENTS, id)];
  },
};

/** Returns the folder that has the chats and subagents of a project; undefined if a file is in none. */
function projectOf(path: string): string | undefined {
  const names = path.split(/[\\/]/);
  const at = names.findLastIndex((name) => name === CHATS || name === SUBAGENTS);
  return at > 0 ? names.slice(0, at).join(sep) : undefined;
}

/** A file is named by the id of its session, or by that of a subagent, below a folder named by its session. */
function refOf({ path, bytes, modifiedMs }: NamedFile): SessionRef {
  const id = basename(path, EXTENSION);
  const folder = dirname(path);
  const isAgent = id.startsWith("agent-") && basename(dirname(folder)) === SUBAGENTS;
  return sessionRef({
    id,
    place: NAME,
    agent: NAME,
    path,
    bytes,
    modifiedMs,
    parentId: isAgent ? basename(folder) : null,
    agentId: isAgent ? id.slice("agent-".length) : null,
  });
}
