/** One conversation as each source has it: what the parser makes of them must be the same. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { failed, PlayedSession, worked } from "../played-session.ts";
import { startSaving } from "../saving.ts";
import { answer, file, text, toolResult, toolUse, usage, userText } from "./claude-lines.ts";

export const PROMPT = "Why does the forecast swap digits?";
const ERROR = "Exit code 1\nexpected 21 but got 12";
const TEST = { command: "npm test" };
const TOKENS = { input: 1_000, output: 200, reasoning: 30, cache: { read: 4_000, write: 5 } };

export type MadeFormat = "claude-code" | "claude-stream" | "markdown" | "jsonl" | "opencode-export" | "copilot" | "pi";

/** The file of each format. Recorded ones are written by the recorder into `folder`. */
export async function asEachFormat(folder: string): Promise<Record<MadeFormat, string>> {
  const sessionID = "ses_contract";
  const session = new PlayedSession(sessionID)
    .user(PROMPT)
    .answer("I will run the tests.", [failed("bash", TEST, ERROR)])
    .answer("Once more.", [worked("bash", TEST, "ok")])
    .answer("It was `swap`.")
    .user("Thanks.");
  await startSaving({ dataFolder: folder, format: "both" }).record(session.records);
  const recorded = (ending: string): string => readFileSync(join(folder, `transcripts/${sessionID}.${ending}`), "utf8");
  return {
    markdown: recorded("md"),
    jsonl: recorded("jsonl"),
    "opencode-export": exported(sessionID),
    "claude-code": claudeFile(),
    "claude-stream": claudeStream(),
    copilot: copilotEvents(),
    pi: piEntries(),
  };
}

function claudeFile(): string {
  const tokens = usage(1_000, 230, 4_000, 5);
  const first = usage(1_000, 1, 4_000, 5);
  return file(
    userText(PROMPT),
    answer("msg_1", [text("I will run the tests.")], first),
    answer("msg_1", [toolUse("call_1", "bash", TEST)], tokens),
    toolResult("call_1", ERROR, {}, { is_error: true }),
    answer("msg_2", [text("Once more.")], first),
    answer("msg_2", [toolUse("call_2", "bash", TEST)], tokens),
    toolResult("call_2", "ok"),
    answer("msg_3", [text("It was `swap`.")], tokens),
    userText("Thanks."),
  );
}

/** The same records, with what only stream-json has in its lines, and without what only a session file has. */
function claudeStream(): string {
  const lines = claudeFile().trimEnd().split("\n");
  return file(
    ...lines.map((line) => {
      const { type, message, uuid }: Record<string, unknown> = JSON.parse(line);
      return JSON.stringify({ type, message, uuid, session_id: "s-1", parent_tool_use_id: null });
    }),
    JSON.stringify({ type: "result", subtype: "success", session_id: "s-1", result: "It was `swap`.", usage: {} }),
  );
}

function piEntries(): string {
  let id = 0;
  const entry = (message: object): string => {
    const parentId = id === 0 ? null : `entry-${id}`;
    id += 1;
    const times = { timestamp: `2026-03-02T09:00:${9 + id}.000Z` };
    return JSON.stringify({ type: "message", id: `entry-${id}`, parentId, ...times, message });
  };
  const says = (content: string, ...calls: string[]): string => {
    const tokens = { input: 1_000, output: 230, cacheRead: 4_000, cacheWrite: 5 };
    const parts = calls.map((call) => ({ type: "toolCall", id: call, name: "bash", arguments: TEST }));
    return entry({
      role: "assistant",
      model: "large",
      usage: tokens,
      content: [{ type: "text", text: content }, ...parts],
    });
  };
  const ends = (toolCallId: string, content: string, isError: boolean): string =>
    entry({ role: "toolResult", toolCallId, toolName: "bash", content: [{ type: "text", text: content }], isError });
  return file(
    JSON.stringify({ type: "session", version: 3, id: "s-1", timestamp: "2026-03-02T09:00:09.000Z", cwd: "/w" }),
    entry({ role: "user", content: PROMPT }),
    says("I will run the tests.", "call_1"),
    ends("call_1", ERROR, true),
    says("Once more.", "call_2"),
    ends("call_2", "ok", false),
    says("It was `swap`."),
    entry({ role: "user", content: [{ type: "text", text: "Thanks." }] }),
  );
}

function copilotEvents(): string {
  let id = 0;
  const event = (type: string, data: object): string => {
    const parentId = id === 0 ? null : `event-${id}`;
    id += 1;
    return JSON.stringify({ type, data, id: `event-${id}`, timestamp: `2026-03-02T09:00:${9 + id}.000Z`, parentId });
  };
  let calls = 0;
  const said = (content: string, ...toolRequests: object[]): string[] => {
    calls += 1;
    const apiCallId = `api-${calls}`;
    const tokens = { inputTokens: 5_005, outputTokens: 230, cacheReadTokens: 4_000, cacheWriteTokens: 5 };
    return [
      event("session.usage_record", { usage: { model: "large", apiCallId, ...tokens } }),
      event("assistant.message", { messageId: `m-${calls}`, model: "large", content, toolRequests, apiCallId }),
    ];
  };
  const test = (toolCallId: string): object => ({ toolCallId, name: "bash", arguments: TEST });
  return file(
    event("session.start", { sessionId: "s-1", copilotVersion: "1.0.102", context: { cwd: "/w" } }),
    event("user.message", { content: PROMPT }),
    ...said("I will run the tests.", test("call_1")),
    event("tool.execution_start", { toolCallId: "call_1", toolName: "bash", arguments: TEST }),
    event("tool.execution_complete", { toolCallId: "call_1", success: false, error: { message: ERROR } }),
    ...said("Once more.", test("call_2")),
    event("tool.execution_complete", { toolCallId: "call_2", success: true, result: { content: "ok" } }),
    ...said("It was `swap`."),
    event("user.message", { content: "Thanks." }),
  );
}

function exported(sessionID: string): string {
  let serial = 0;
  const message = (role: "user" | "assistant", parts: readonly object[]): object => {
    serial += 1;
    const id = `msg_${serial}`;
    const about = { id, role, sessionID, time: { created: 1_772_442_000_000 + serial } };
    const own = role === "user" ? {} : { modelID: "large", providerID: "acme", tokens: TOKENS, cost: 0.0125 };
    const numbered = parts.map((part, at) => ({ id: `prt_${serial}_${at}`, messageID: id, sessionID, ...part }));
    return { info: { ...about, ...own }, parts: numbered };
  };
  const says = (content: string): object => ({ type: "text", text: content });
  const call = (callID: string, state: object): object => ({
    type: "tool",
    tool: "bash",
    callID,
    state: { input: TEST, time: { start: 1, end: 2 }, metadata: {}, ...state },
  });
  return JSON.stringify(
    {
      info: {
        id: sessionID,
        title: "Digits",
        version: "1.18.33",
        directory: "/w",
        time: { created: 1_772_442_000_000 },
      },
      messages: [
        message("user", [says(PROMPT)]),
        message("assistant", [says("I will run the tests."), call("call_1", { status: "error", error: ERROR })]),
        message("assistant", [says("Once more."), call("call_2", { status: "completed", output: "ok", title: "" })]),
        message("assistant", [says("It was `swap`.")]),
        message("user", [says("Thanks.")]),
      ],
    },
    null,
    2,
  );
}
