import type { TokenCounts } from "../../transcript/format/entry-types.ts";
import { given } from "../../given.ts";
import { toJsonValue, type JsonValue } from "../../transcript/json-value.ts";
import type { CallEnd, HostFile, HostRecord, UserPart } from "../../transcript/records.ts";
import { fields, flag, id, list, number, read, text, type Fields } from "./event-fields.ts";

/** Maximum length of a string in a tool's metadata. Edits put whole files there, which are already in the input. */
const MAX_METADATA_CHARS = 10_000;

/** Tools that start a session: `task` of 1.x, `subagent` of 2.x. */
const SUBAGENT_TOOLS = new Set(["task", "subagent"]);

/** Returns the record for a part of `message.part.updated` or of a stored message, if there is something to record. */
export function partRecords(
  part: Fields,
  role: "user" | "assistant" | undefined,
  order: { inOrder?: true } = {},
): HostRecord[] {
  const sessionID = id(part, "sessionID");
  const messageID = id(part, "messageID");
  const partID = id(part, "id");
  if (sessionID === undefined || messageID === undefined || partID === undefined) return [];
  const of = { sessionID, messageID, partID, ...order };
  switch (text(part, "type")) {
    case "text":
      if ((role ?? likelyAuthor(part)) === "user") return [{ kind: "user_part", ...of, part: userPart(part) }];
      return [{ kind: "text", reasoning: false, ...of, ...textState(part) }];
    case "reasoning":
      return [{ kind: "text", reasoning: true, ...of, ...textState(part) }];
    case "tool":
      return [callRecord(part, of)];
    case "file":
    case "agent":
    case "subtask":
      return role === "assistant" ? [] : [{ kind: "user_part", ...of, part: userPart(part) }];
    case "step-finish":
      return [{ kind: "usage", ...of, ...usage(part), ...given({ reason: text(part, "reason") }) }];
    case "patch":
      return [{ kind: "part_event", ...of, name: "patch", ...patchFields(list(part, "files")) }];
    case "compaction":
      return [{ kind: "part_event", ...of, name: "compaction", text: compactionText(part) }];
    case "retry":
      return [{ kind: "part_event", ...of, name: "retry", ...errorFields(read(part, "error")) }];
    default:
      return [];
  }
}

/** Copies a part of a user's message. */
export function userPart(part: Fields): UserPart {
  const { sessionID: _session, messageID: _message, url: _url, ...raw } = copiedFields(part);
  const file = text(part, "type") === "file" ? hostFile(part) : undefined;
  const isVisible = text(part, "type") === "text" && !flag(part, "synthetic") && !flag(part, "ignored");
  return { raw, ...given({ visibleText: isVisible ? (text(part, "text") ?? "") : undefined, file }) };
}

function hostFile(part: unknown): HostFile | undefined {
  const url = text(part, "url");
  if (url === undefined) return undefined;
  const mime = text(part, "mime") ?? "application/octet-stream";
  return { url, mime, ...given({ filename: text(part, "filename") }) };
}

/** Reads tokens and cost of a `step-finish` part or an assistant's message. */
export function usage(of: Fields): { tokens?: TokenCounts; cost?: number } {
  const counts = fields(of, "tokens");
  const cache = fields(counts, "cache");
  const input = number(counts, "input");
  const output = number(counts, "output");
  const tokens: TokenCounts | undefined =
    input === undefined && output === undefined
      ? undefined
      : {
          input: input ?? 0,
          output: output ?? 0,
          ...given({
            reasoning: number(counts, "reasoning"),
            cacheRead: number(cache, "read"),
            cacheWrite: number(cache, "write"),
          }),
        };
  return given({ tokens, cost: number(of, "cost") });
}

/** Reads an error of the host, without the headers of the provider's response. */
export function errorFields(error: unknown): { text?: string; data?: JsonValue } {
  const name = text(error, "name");
  const data = fields(error, "data");
  const message = text(data, "message") ?? text(error, "message");
  const statusCode = number(data, "statusCode");
  return given({
    text: message ?? name,
    data: toJsonValue(given({ name, statusCode, isRetryable: read(data, "isRetryable") })),
  });
}

/** Guesses the author of a text whose message is unknown: only texts of assistants have times. */
function likelyAuthor(part: Fields): "user" | "assistant" {
  return fields(part, "time") ? "assistant" : "user";
}

function textState(part: Fields) {
  const time = fields(part, "time");
  const startMs = number(time, "start");
  const endMs = number(time, "end");
  // A text without times was not streamed, so it is complete.
  const done = endMs !== undefined || startMs === undefined;
  return { done, ...given({ text: text(part, "text"), startMs, endMs }) };
}

function callRecord(part: Fields, of: { sessionID: string; messageID: string; partID: string }): HostRecord {
  const state = fields(part, "state");
  const time = fields(state, "time");
  const metadata = fields(state, "metadata");
  const tool = text(part, "tool") ?? "unknown";
  const input = text(state, "status") === "pending" ? undefined : read(state, "input");
  return {
    kind: "call",
    ...of,
    tool,
    callID: id(part, "callID") ?? of.partID,
    startsSubagent: SUBAGENT_TOOLS.has(tool),
    ...given({
      input: input === undefined ? undefined : toJsonValue(input),
      startMs: number(time, "start"),
      subagentID: SUBAGENT_TOOLS.has(tool) ? (id(metadata, "sessionId") ?? id(metadata, "sessionID")) : undefined,
      end: callEnd(state),
    }),
  };
}

function callEnd(state: Fields | undefined): CallEnd | undefined {
  const status = text(state, "status");
  if (status !== "completed" && status !== "error") return undefined;
  const metadata = fields(state, "metadata");
  const endMs = number(fields(state, "time"), "end");
  if (status === "error") {
    const output = text(state, "error") ?? "";
    const interrupted = flag(metadata, "interrupted");
    return {
      status: interrupted ? "interrupted" : "error",
      output,
      ...given({ endMs, metadata: keptMetadata(metadata) }),
    };
  }
  return {
    status: "completed",
    ...completedOutput(state),
    ...given({ endMs }),
  };
}

/** Reads the result of a finished call from a `completed` state or from the output of `tool.execute.after`. */
export function completedOutput(state: unknown): Omit<CallEnd, "status"> {
  const metadata = fields(state, "metadata");
  const output = read(state, "output");
  const files = list(state, "attachments").flatMap((part) => hostFile(part) ?? []);
  const isCut = flag(metadata, "truncated");
  return {
    output: typeof output === "string" ? output : output === undefined ? contentText(state) : toJsonValue(output),
    ...given({
      title: text(state, "title"),
      metadata: keptMetadata(metadata, output),
      files: files.length > 0 ? files : undefined,
      wholeOutputPath: isCut ? text(metadata, "outputPath") : undefined,
    }),
  };
}

/** Returns the text of an MCP tool's raw result. */
function contentText(answer: unknown): JsonValue {
  const texts = list(answer, "content").flatMap((item) => text(item, "text") ?? []);
  return texts.join("\n\n");
}

/** Returns the metadata without copies of the output and of changed files. */
function keptMetadata(metadata: Fields | undefined, output?: unknown): JsonValue | undefined {
  if (!metadata) return undefined;
  const { output: _output, preview, ...rest } = copiedFields(metadata);
  return shortened(preview === undefined || preview === output ? rest : { ...rest, preview });
}

export function copiedFields(of: Fields): { [key: string]: JsonValue } {
  const copied = toJsonValue(of);
  return typeof copied === "object" && copied !== null && !Array.isArray(copied) ? copied : {};
}

/** Cuts long strings in a tool's metadata. */
function shortened(value: JsonValue): JsonValue {
  if (typeof value === "string") {
    if (value.length <= MAX_METADATA_CHARS) return value;
    return `${value.slice(0, MAX_METADATA_CHARS)}... (${value.length} characters)`;
  }
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shortened(member)]));
}

/** Returns text and data of the event that files changed. */
export function patchFields(changed: readonly unknown[]): { text: string; data: JsonValue } {
  const files = changed.filter((file) => typeof file === "string");
  const count = `${files.length} ${files.length === 1 ? "file" : "files"} changed:`;
  const shown = files.map((file) => `- \`${file}\``);
  return { text: [count, ...shown].join("\n"), data: { files } };
}

function compactionText(part: Fields): string {
  const why = flag(part, "overflow") ? "the context was full" : flag(part, "auto") ? "automatic" : "asked for";
  return `The conversation so far is summarized (${why}).`;
}
