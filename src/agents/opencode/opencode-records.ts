/**
 * Converts messages of opencode 1.x, `{ info, parts }`, and their parts to records: those of its events, those that it
 * stored, and those of its exports. Messages of 2.x are brought into this form first. Types and fields:
 * `@opencode-ai/sdk/v2`; older versions lack some. Pure.
 */
import { isDeepStrictEqual } from "node:util";
import type { TokenCounts } from "../../transcript/format/entry-types.ts";
import { patchText } from "../../transcript/format/told-by-text.ts";
import { given } from "../../given.ts";
import type { CallEnd, HostFile, HostRecord, MessageRecord, UserPart } from "../../transcript/records.ts";
import {
  countOf,
  fieldsOf,
  fieldOf,
  isFields,
  textOf,
  listOf,
  numberOf,
  stringOf,
  type Fields,
} from "../../parse/json-fields.ts";
import { opencodeTools } from "./opencode-tools.ts";

/** Maximum length of a string in a tool's metadata. Edits put whole files there, which are already in the input. */
const MAX_METADATA_CHARS = 10_000;

/** Parts that are not conversation. */
const SILENT = new Set<unknown>(["step-start", "snapshot"]);

/** Position of a part. A reader may not know its session. */
export interface PartPlace {
  sessionID: string;
  messageID: string;
  partID: string;
  inOrder?: true;
}

/** Returns the place that a part names itself; undefined if it does not name all of it. */
export function placeOfPart(part: Fields): PartPlace | undefined {
  const sessionID = textOf(part, "sessionID");
  const messageID = textOf(part, "messageID");
  const partID = textOf(part, "id");
  if (sessionID === undefined || messageID === undefined || partID === undefined) return undefined;
  return { sessionID, messageID, partID };
}

/** Returns the records of a part: none if it is not conversation, undefined if its type is unknown. */
export function partRecords(
  part: Fields,
  of: PartPlace,
  role: "user" | "assistant" | undefined,
): HostRecord[] | undefined {
  const type = stringOf(part, "type");
  switch (type) {
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
    case "skill":
      return role === "assistant" ? [] : [{ kind: "user_part", ...of, part: userPart(part) }];
    case "step-finish":
      return [{ kind: "usage", ...of, ...usage(part), ...given({ reason: stringOf(part, "reason") }) }];
    case "patch":
      return [{ kind: "part_event", ...of, name: "patch", ...patchFields(listOf(part, "files")) }];
    case "compaction":
      return [{ kind: "part_event", ...of, name: "compaction", text: compactionText(part), ...eventTime(part) }];
    case "retry":
      return [{ kind: "part_event", ...of, name: "retry", ...errorFields(fieldOf(part, "error")), ...eventTime(part) }];
    case "event": {
      const name = stringOf(part, "name") ?? "event";
      return [{ kind: "part_event", ...of, name, ...given({ text: stringOf(part, "text") }), ...eventTime(part) }];
    }
    default:
      return SILENT.has(type) ? [] : undefined;
  }
}

/** Returns the records of a part for a transcript, which names parts of unknown types. */
export function recordedPart(part: Fields, of: PartPlace, role: "user" | "assistant" | undefined): HostRecord[] {
  const type = stringOf(part, "type") ?? "without a type";
  const text = `A part that this version cannot record: ${type}`;
  return partRecords(part, of, role) ?? [{ kind: "part_event", ...of, name: "other content", text }];
}

function eventTime(part: Fields): { atMs?: number } {
  return given({ atMs: numberOf(fieldsOf(part, "time"), "created") });
}

/** Returns the record for a message's `info`; undefined if its role is unknown. `sessionID`: if it does not say. */
export function messageRecord(info: Fields, sessionID = textOf(info, "sessionID")): MessageRecord | undefined {
  const messageID = textOf(info, "id");
  const role = stringOf(info, "role");
  if (sessionID === undefined || messageID === undefined) return undefined;
  if (role !== "user" && role !== "assistant") return undefined;
  const time = fieldsOf(info, "time");
  return {
    kind: "message",
    sessionID,
    messageID,
    role,
    completed: numberOf(time, "completed") !== undefined,
    aborted: isAborted(info),
    ...given({ agent: textOf(info, "agent"), model: modelName(info), createdMs: numberOf(time, "created") }),
  };
}

export function isAborted(info: Fields): boolean {
  return stringOf(fieldsOf(info, "error"), "name") === "MessageAbortedError";
}

/** Returns `provider/model` of a message; versions of the host have it in one of two places. */
export function modelName(info: unknown): string | undefined {
  const model = fieldsOf(info, "model") ?? info;
  const modelID = textOf(model, "modelID") ?? textOf(model, "id");
  const providerID = textOf(model, "providerID");
  if (modelID === undefined || (model === info && providerID === undefined)) return undefined;
  return providerID === undefined ? modelID : `${providerID}/${modelID}`;
}

/** Returns the records of a message as opencode stores and exports it. */
export function storedRecords(message: unknown): HostRecord[] {
  const info = fieldsOf(message, "info");
  const record = info && messageRecord(info);
  if (!record) return [];
  const parts = listOf(message, "parts").filter(isFields);
  parts.sort((a, b) => ((textOf(a, "id") ?? "") < (textOf(b, "id") ?? "") ? -1 : 1));
  return [
    record,
    ...parts.flatMap((part) => {
      const place = placeOfPart(part);
      return place ? recordedPart(part, place, record.role) : [];
    }),
  ];
}

/** Copies a part of a user's message. */
export function userPart(part: Fields): UserPart {
  const { sessionID: _session, messageID: _message, url: _url, ...raw } = part;
  const file = stringOf(part, "type") === "file" ? hostFile(part) : undefined;
  const isVisible =
    stringOf(part, "type") === "text" && fieldOf(part, "synthetic") !== true && fieldOf(part, "ignored") !== true;
  return { raw, ...given({ visibleText: isVisible ? (stringOf(part, "text") ?? "") : undefined, file }) };
}

function hostFile(part: unknown): HostFile | undefined {
  const url = stringOf(part, "url");
  if (url === undefined) return undefined;
  const mime = stringOf(part, "mime") ?? "application/octet-stream";
  return { url, mime, ...given({ filename: stringOf(part, "filename") }) };
}

/** Reads tokens and cost of a `step-finish` part or an assistant's message. */
export function usage(of: Fields): { tokens?: TokenCounts; cost?: number } {
  const { input, output, ...others } = tokenCounts(fieldsOf(of, "tokens")) ?? {};
  const tokens: TokenCounts | undefined =
    input === undefined && output === undefined ? undefined : { input: input ?? 0, output: output ?? 0, ...others };
  return given({ tokens, cost: numberOf(of, "cost") });
}

/** Reads an error of the host, without the headers of the provider's response. */
export function errorFields(error: unknown): { text?: string; data?: unknown } {
  const name = stringOf(error, "name");
  const data = fieldsOf(error, "data");
  const message = stringOf(data, "message") ?? stringOf(error, "message");
  const statusCode = numberOf(data, "statusCode");
  return given({
    text: message ?? name,
    data: given({ name, statusCode, isRetryable: fieldOf(data, "isRetryable") }),
  });
}

/** Guesses the author of a text whose message is unknown: only texts of assistants have times. */
function likelyAuthor(part: Fields): "user" | "assistant" {
  return fieldsOf(part, "time") ? "assistant" : "user";
}

function textState(part: Fields) {
  const time = fieldsOf(part, "time");
  const startMs = numberOf(time, "start");
  const endMs = numberOf(time, "end");
  // A text without times was not streamed, so it is complete.
  const done = part["open"] !== true && (endMs !== undefined || startMs === undefined);
  return { done, ...given({ text: stringOf(part, "text"), startMs, endMs }) };
}

function callRecord(part: Fields, of: { sessionID: string; messageID: string; partID: string }): HostRecord {
  const state = fieldsOf(part, "state");
  const time = fieldsOf(state, "time");
  const metadata = fieldsOf(state, "metadata");
  const tool = stringOf(part, "tool") ?? "unknown";
  const startsSubagent = opencodeTools(tool, undefined).kind === "subagent";
  return {
    kind: "call",
    ...of,
    tool,
    callID: textOf(part, "callID") ?? of.partID,
    startsSubagent,
    ...given({
      input: stringOf(state, "status") === "pending" ? undefined : fieldOf(state, "input"),
      startMs: numberOf(time, "start"),
      subagentID: startsSubagent ? (textOf(metadata, "sessionId") ?? textOf(metadata, "sessionID")) : undefined,
      end: startsSubagent ? withoutSessions(callEnd(state)) : callEnd(state),
    }),
  };
}

/** Leaves out of the metadata of a subagent's call which sessions it connects: the entry says that itself. */
function withoutSessions(end: CallEnd | undefined): CallEnd | undefined {
  if (end === undefined || !isFields(end.metadata)) return end;
  const { sessionId: _session, sessionID: _sessionID, parentSessionId: _parent, ...rest } = end.metadata;
  const { metadata: _, ...others } = end;
  return Object.keys(rest).length > 0 ? { ...others, metadata: rest } : others;
}

function callEnd(state: Fields | undefined): CallEnd | undefined {
  const status = stringOf(state, "status");
  if (status !== "completed" && status !== "error") return undefined;
  const metadata = fieldsOf(state, "metadata");
  const endMs = numberOf(fieldsOf(state, "time"), "end");
  if (status === "error") {
    const output = stringOf(state, "error") ?? "";
    const interrupted = fieldOf(metadata, "interrupted") === true;
    return {
      status: interrupted ? "interrupted" : "error",
      output,
      ...given({ endMs, metadata: keptMetadata(metadata, fieldOf(state, "input")) }),
    };
  }
  const isCut = fieldOf(metadata, "truncated") === true;
  return {
    status: "completed",
    ...completedOutput(state),
    // Only here, because the host sets both fields of a stored state itself; in a hook they may be the tool's own.
    ...given({ endMs, wholeOutputPath: isCut ? stringOf(metadata, "outputPath") : undefined }),
  };
}

/** Reads the result of a finished call from a `completed` state or from the output of `tool.execute.after`. */
export function completedOutput(state: unknown): Omit<CallEnd, "status"> {
  const metadata = fieldsOf(state, "metadata");
  const output = fieldOf(state, "output");
  const files = listOf(state, "attachments").flatMap((part) => hostFile(part) ?? []);
  return {
    output: output === undefined ? contentText(state) : output,
    ...given({
      title: stringOf(state, "title"),
      metadata: keptMetadata(metadata, fieldOf(state, "input")),
      files: files.length > 0 ? files : undefined,
    }),
  };
}

/** Returns the text of an MCP tool's raw result. */
function contentText(answer: unknown): string {
  const texts = listOf(answer, "content").flatMap((item) => stringOf(item, "text") ?? []);
  return texts.join("\n\n");
}

/** Returns the metadata without copies of the input, of the output and of changed files. */
function keptMetadata(metadata: Fields | undefined, input: unknown): unknown {
  if (!metadata) return undefined;
  const { output: _output, preview: _preview, display: _display, filediff, ...others } = metadata;
  // It has the diff once more.
  const rest = "diff" in others || filediff === undefined ? others : { ...others, filediff };
  const isNews = ([key, value]: [string, unknown]): boolean =>
    saysSomething(value) && !isDeepStrictEqual(value, fieldOf(input, key));
  const kept = Object.entries(rest).filter(isNews);
  return kept.length > 0 ? shortened(Object.fromEntries(kept)) : undefined;
}

/** Returns whether a member of the metadata is more than an empty default, such as `truncated: false`. */
function saysSomething(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== false && value !== null && value !== "";
}

/** Cuts long strings in a tool's metadata. */
function shortened(value: unknown): unknown {
  if (typeof value === "string") {
    if (value.length <= MAX_METADATA_CHARS) return value;
    return `${value.slice(0, MAX_METADATA_CHARS)}... (${value.length} characters)`;
  }
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shortened(member)]));
}

/** Returns text and data of the event that files changed. */
function patchFields(changed: readonly unknown[]): { text: string; data: unknown } {
  const files = changed.filter((file) => typeof file === "string");
  return { text: patchText(files), data: { files } };
}

function compactionText(part: Fields): string {
  const why =
    fieldOf(part, "overflow") === true
      ? "the context was full"
      : fieldOf(part, "auto") === true
        ? "automatic"
        : "asked for";
  return `The conversation so far is summarized (${why}).`;
}

/**
 * Returns the tokens of a model call, of which `output` does not include `reasoning`. Some versions of the host, with some
 * providers, count reasoning in `output` too: `total`, if there is one, tells.
 */
function tokenCounts(tokens: Fields | undefined): Partial<TokenCounts> | undefined {
  if (tokens === undefined) return undefined;
  const cache = fieldsOf(tokens, "cache");
  const [input = 0, output = 0, reasoning = 0] = ["input", "output", "reasoning"].map((key) => countOf(tokens, key));
  const [cacheRead = 0, cacheWrite = 0] = ["read", "write"].map((key) => countOf(cache, key));
  const withoutReasoning = [input + output, input + output + cacheRead + cacheWrite];
  const isInside = reasoning > 0 && withoutReasoning.includes(countOf(tokens, "total") ?? Number.NaN);
  return given({
    input: countOf(tokens, "input"),
    output: isInside ? Math.max(0, output - reasoning) : countOf(tokens, "output"),
    reasoning: countOf(tokens, "reasoning"),
    cacheRead: countOf(cache, "read"),
    cacheWrite: countOf(cache, "write"),
  });
}
