/** Qwen Code: for each project a folder of chats, and one of subagents. */
import { basename, dirname, join } from "node:path";
import { shellWord } from "../../calls/shell-syntax.ts";
import { type Fields, fieldsOf } from "../../parse/json-fields.ts";
import { readRecords } from "../../parse/record-units.ts";
import { agentFolder } from "../../user-folders.ts";
import type { Agent, Format } from "../agent.ts";
import { inFiles } from "../file-layout.ts";
import { hasRecord } from "../json-head.ts";
import { QwenReader } from "./qwen-records.ts";
import { qwenTools } from "./qwen-tools.ts";

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
  displayName: "Qwen Code",
  formats: [format],
  ...inFiles({
    agent: "qwen-code",
    folders: (where) => [agentFolder(where, ["QWEN_RUNTIME_DIR", "QWEN_HOME"], ".qwen")],
    places: ["projects"],
    paths: ["*/chats/{id}.jsonl", "*/chats/*/{id}.jsonl", "*/subagents/{parent}/agent-{agent}.jsonl"],
  }),
  resume: ({ id }, cwd) => ({ command: `qwen --resume ${shellWord(id)}`, folder: cwd }),
  belongings: (path, { id, parentId }) => {
    const folder = dirname(path);
    return parentId === null && basename(folder) === "chats" ? [join(dirname(folder), "subagents", id)] : [];
  },
};
