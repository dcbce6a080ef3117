/** pi: a folder for each project, a file for each session. */
import { basename, dirname, join } from "node:path";
import {
  does,
  globs,
  lists,
  reads,
  replaces,
  replacesAll,
  runs,
  searches,
  toolTable,
  writes,
} from "../../calls/tools.ts";
import { shellWord } from "../../calls/shell-syntax.ts";
import { type Fields, isFields } from "../../parse/json-fields.ts";
import { readRecords } from "../../parse/record-units.ts";
import { sessionRef, type SessionRef } from "../../places/session-ref.ts";
import { walk } from "../../places/walk.ts";
import { agentFolder } from "../../user-folders.ts";
import type { Agent, Format, NamedFile } from "../agent.ts";
import { hasRecord } from "../json-head.ts";
import { PiReader } from "./pi-entries.ts";

const NAME = "pi";
const EXTENSION = ".jsonl";
const ROLES = new Set<unknown>(["user", "assistant", "toolResult", "bashExecution"]);

const replacesOne = replaces("path", "oldText", "newText");
const replacesSome = replacesAll("path", "edits", "oldText", "newText");

const format: Format = {
  name: "pi",
  lines: "json",
  tools: toolTable({
    read: reads("path"),
    write: writes("path", "content"),
    edit: (input, metadata) => (isFields(input) && "edits" in input ? replacesSome : replacesOne)(input, metadata),
    bash: runs("command"),
    grep: searches("pattern", "path"),
    find: globs("pattern", "path"),
    ls: lists("path"),
    todo: does("todo"),
    subagent: does("subagent"),
  }),
  detect: (head) => hasRecord(head, isEntry),
  read: (chunks, options) => readRecords(chunks, options, new PiReader()),
};

function isEntry({ type, id, timestamp, message, ...rest }: Fields): boolean {
  if (type === "session") return typeof id === "string" && typeof timestamp === "string";
  return type === "message" && "parentId" in rest && isFields(message) && ROLES.has(message["role"]);
}

export const pi: Agent = {
  name: NAME,
  displayName: "pi",
  formats: [format],
  places: async (where) => [
    { agent: NAME, path: join(agentFolder(where, ["PI_CODING_AGENT_DIR"], ".pi/agent"), "sessions") },
  ],
  scan: async ({ path }, files, { seen }) => {
    const found = walk(path, { files, depth: 1, accepts: (name) => name.endsWith(EXTENSION), seen });
    return { sessions: found.files.map(refOf), unreadable: found.unreadable };
  },
  fileRef: (file, { sessionId }) => ({ ...refOf(file), id: sessionId ?? idOf(file.path) }),
  resume: ({ id }, cwd) => ({ command: `pi --session ${shellWord(id)}`, folder: cwd }),
  placeOf: (path) => ({ agent: NAME, path: dirname(dirname(path)) }),
};

function refOf({ path, bytes, modifiedMs }: NamedFile): SessionRef {
  return sessionRef({ id: idOf(path), place: NAME, agent: NAME, path, bytes, modifiedMs });
}

/** A file is named by the time of its session and its id. */
function idOf(path: string): string {
  const name = basename(path, EXTENSION);
  return name.slice(name.lastIndexOf("_") + 1);
}
