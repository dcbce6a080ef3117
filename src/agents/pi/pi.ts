/** pi: a folder for each project, a file for each session. */
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
import type { Agent, Format } from "../agent.ts";
import { inFiles } from "../file-layout.ts";
import { hasRecord } from "../json-head.ts";
import { PiReader } from "./pi-entries.ts";

const ROLES = new Set<unknown>(["user", "assistant", "toolResult", "bashExecution"]);

const replacesOne = replaces("path", "oldText", "newText");
const replacesSome = replacesAll("path", "edits", "oldText", "newText");

const format: Format = {
  name: "pi",
  lines: "json",
  tools: toolTable({
    read: reads("path"),
    write: writes("path", "content"),
    edit: (input) => (isFields(input) && "edits" in input ? replacesSome : replacesOne)(input),
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
  displayName: "pi",
  formats: [format],
  ...inFiles({
    agent: "pi",
    variables: ["PI_CODING_AGENT_DIR"],
    usual: ".pi/agent",
    places: ["sessions"],
    paths: ["*/*_{id}.jsonl"],
  }),
  resume: ({ id }, cwd) => ({ command: `pi --session ${shellWord(id)}`, folder: cwd }),
};
