/** pi: a folder for each project, a file for each session. */
import { toolTable } from "../../calls/tools.ts";
import { shellWord } from "../../calls/shell-syntax.ts";
import { type Fields, isFields } from "../../parse/json-fields.ts";
import { readRecords } from "../../parse/record-units.ts";
import { agentFolder } from "../../user-folders.ts";
import type { Agent, Format } from "../agent.ts";
import { inFiles } from "../file-layout.ts";
import { hasRecord } from "../json-head.ts";
import { PiReader } from "./pi-entries.ts";

const ROLES = new Set<unknown>(["user", "assistant", "toolResult", "bashExecution"]);

const format: Format = {
  name: "pi",
  lines: "json",
  tools: toolTable({
    read: ["read"],
    list: ["ls"],
    glob: ["find"],
    search: ["grep"],
    edit: ["write", "edit"],
    run: ["bash"],
    subagent: ["subagent"],
    todo: ["todo"],
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
    folders: (where) => [agentFolder(where, ["PI_CODING_AGENT_DIR"], ".pi/agent")],
    places: ["sessions"],
    paths: ["*/*_{uuid}.jsonl", "*/*.jsonl"],
  }),
  resume: ({ id }, cwd) => ({ command: `pi --session ${shellWord(id)}`, folder: cwd }),
};
