/** Sessions of agents that cannot be read yet, recognised so that they are refused by name. */
import { join } from "node:path";
import type { Where } from "../places/session-ref.ts";
import { type Fields, fieldsOf, isFields, textOf } from "../parse/json-fields.ts";
import { isSessionRecord, isStreamRecord } from "./claude-code/claude-record.ts";
import { fieldError } from "../transcripts-error.ts";
import { headRecords } from "./json-head.ts";
import { AGENT_NAMES } from "./registry.ts";

/** Formats other than JSON lines, by their beginning. JSON documents may be cut off anywhere. */
const DOCUMENTS: readonly (readonly [agent: string, start: RegExp])[] = [
  ["Aider", /^# aider chat started at /m],
  ["Gemini CLI's list of prompts", /^\s*\[\s*\{(?=[^]{0,2000}"sessionId"\s*:)(?=[^]{0,2000}"messageId"\s*:\s*\d)/],
  ["Amp", /^\s*\{[^]{0,2000}"id"\s*:\s*"T-[0-9a-f-]{8}/],
  ["Cline", /^\s*\[\s*\{\s*"ts"\s*:\s*\d+\s*,\s*"type"\s*:\s*"(?:say|ask)"/],
  ["Cline", /^\s*\[\s*\{\s*"role"\s*:(?=[^]{0,20000}<(?:task|user_message|environment_details)>)/],
  [
    "Cline",
    /^\s*\{(?=[^]{0,60000}"modelInfo"\s*:\s*\{)(?=[^]{0,60000}"metrics"\s*:\s*\{)(?=[^]{0,60000}"messages"\s*:\s*\[)/,
  ],
  ["Cline", /^\s*\{(?=[^]{0,4000}"session_id"\s*:)(?=[^]{0,4000}"started_at"\s*:)(?=[^]{0,4000}"provider"\s*:)/],
  ["VS Code Copilot Chat", /^\s*\{(?=[^]{0,2000}"(?:requesterUsername|responderUsername)"\s*:)/],
];

/** Programs whose SQLite databases are recognised by a table or column that no other has. */
const DATABASES: readonly (readonly [agent: string, name: RegExp])[] = [
  ["Kilo", /CREATE TABLE [`"']?kilo_board/],
  ["opencode", /CREATE TABLE [`"']?(?:session_message|session_v2|session_share|part)[`"' (]/],
  ["Goose", /CREATE TABLE [`"']?usage_ledger|\bcontent_json\b/],
  ["Crush", /\bsummary_message_id\b/],
  ["Cursor", /CREATE TABLE [`"']?(?:cursorDiskKV|blobs)[`"' (]/],
  ["Codex", /\brollout_path\b|CREATE TABLE [`"']?thread_turns/],
  ["GitHub Copilot CLI", /CREATE TABLE [`"']?assistant_usage_events/],
];
const SQLITE = "SQLite format 3\0";
/** Files are decompressed before; this is content that a program passes in. */
const ZSTD = "(\ufffd/\ufffd";

/** Returns the agent whose session or database begins like this; undefined if it can be read or is unknown. */
export function foreignAgent(head: string): string | undefined {
  if (head.startsWith(SQLITE)) return DATABASES.find(([, name]) => name.test(head))?.[0];
  if (head.startsWith(ZSTD)) return "an agent that compresses it";
  for (const record of headRecords(head)) {
    const agent = agentOfRecord(record);
    if (agent !== undefined) return agent;
    if (isSessionRecord(record) || isStreamRecord(record)) return undefined;
  }
  const text = head.replace(/^\ufeff/, "");
  return DOCUMENTS.find(([, start]) => start.test(text))?.[0];
}

/** Returns the agent that wrote a record of JSON lines; some look much like Claude Code's. */
function agentOfRecord(record: Fields): string | undefined {
  const { type } = record;
  const message = fieldsOf(record, "message");
  if (type === "thread.started") return "codex exec --json";
  if (type === undefined && "session_id" in record && "ts" in record && "text" in record)
    return "Codex's list of prompts";
  if (type === "init" && "session_id" in record) return "gemini --output-format stream-json";
  if (type === undefined && "durationMs" in record && isFields(record["models"])) return "Qwen Code's list of usage";
  if (type === "session_start" && !isSessionRecord(record)) return "Factory Droid";
  if ("working_dir" in record && ("message_count" in record || "description" in record)) return "Goose";
  if (type === undefined && "role" in record && "created" in record && isListOf(record["content"])) return "Goose";
  if (message !== undefined && "payload" in message && type === undefined) return "Kimi Code";
  if (type === undefined && "role" in record && isListOf(message?.["content"])) return "Cursor";
  if (textOf(record, "method") === "session/update") return "an agent that writes ACP updates";
  if ("sessionID" in record && isFields(record["part"])) return "opencode run --format json";
  return undefined;
}

function isListOf(value: unknown): boolean {
  return Array.isArray(value);
}

/** Place of an agent whose sessions cannot be read. */
export interface ForeignPlace {
  /** Name as its makers write it. */
  agent: string;
  path: string;
}

/** Returns the places where such agents keep sessions, whether they exist or not. */
export function foreignPlaces({ env, home, cwd }: Pick<Where, "env" | "home" | "cwd">): ForeignPlace[] {
  const data = env["XDG_DATA_HOME"] || join(home, ".local/share");
  const places: readonly (readonly [agent: string, path: string])[] = [
    ["Goose", env["GOOSE_PATH_ROOT"] ? join(env["GOOSE_PATH_ROOT"], "data/sessions") : join(data, "goose/sessions")],
    ["Crush", join(cwd, ".crush/crush.db")],
    ["Cline", join(home, ".cline/data/sessions")],
    ["Cursor", join(home, ".cursor/chats")],
    ["Cursor", join(home, ".cursor/projects")],
    ["Factory Droid", join(env["FACTORY_DIR"] || join(home, ".factory"), "sessions")],
    ["Amp", join(data, "amp/threads")],
    ["Aider", join(cwd, ".aider.chat.history.md")],
  ];
  return places.map(([agent, path]) => ({ agent, path }));
}

/** Agents whose sessions cannot be read, as their makers write them. */
const FOREIGN = ["Goose", "Crush", "Cline", "Cursor", "Factory Droid", "Amp", "Aider", "VS Code Copilot Chat"];

/** Reads the name of an agent whose sessions are read, in any case. Throws a `TranscriptsError` (`bad_arguments`). */
export function readAgentName(text: string): string {
  const agent = AGENT_NAMES.find((known) => known === text.trim().toLowerCase());
  if (agent !== undefined) return agent;
  const foreign = foreignNamed(text);
  const problem =
    foreign === undefined
      ? `${JSON.stringify(text)} is not an agent whose sessions are read.`
      : `Sessions of ${foreign} cannot be read yet.`;
  throw fieldError("bad_arguments", "agent", problem, `Use one of ${AGENT_NAMES.join(", ")}.`);
}

/** Returns the agent that is meant by a name, such as `goose` or `droid`, if its sessions cannot be read. */
function foreignNamed(name: string): string | undefined {
  const words = name
    .trim()
    .toLowerCase()
    .replaceAll(/[ _-]+/g, " ");
  return FOREIGN.find((agent) => agent.toLowerCase() === words || agent.toLowerCase().endsWith(` ${words}`));
}

/** Two bytes per character, one of them zero in Latin text; byte order marks are not valid UTF-8. */
const UTF_16 = /^(?:\ufffd\ufffd)?(?:(?:[^\0]\0){4}|(?:\0[^\0]){4})/;

/** Returns whether a content is in UTF-16, by its first bytes read as UTF-8. */
export function isUtf16(head: string): boolean {
  return UTF_16.test(head);
}
