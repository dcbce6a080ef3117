import type { TokenCounts } from "../transcript/format/entry-types.ts";
import { given } from "../given.ts";
import type { CallEnd, HostFile, HostRecord, UserPart } from "../transcript/records.ts";
import { tokenCounts } from "../parse/sources/opencode-parts.ts";
import { fieldsOf, fieldOf, textOf, listOf, numberOf, stringOf, type Fields } from "../parse/json-fields.ts";

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
  const sessionID = textOf(part, "sessionID");
  const messageID = textOf(part, "messageID");
  const partID = textOf(part, "id");
  if (sessionID === undefined || messageID === undefined || partID === undefined) return [];
  const of = { sessionID, messageID, partID, ...order };
  switch (stringOf(part, "type")) {
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
      return [{ kind: "usage", ...of, ...usage(part), ...given({ reason: stringOf(part, "reason") }) }];
    case "patch":
      return [{ kind: "part_event", ...of, name: "patch", ...patchFields(listOf(part, "files")) }];
    case "compaction":
      return [{ kind: "part_event", ...of, name: "compaction", text: compactionText(part) }];
    case "retry":
      return [{ kind: "part_event", ...of, name: "retry", ...errorFields(fieldOf(part, "error")) }];
    default:
      return [];
  }
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
  const done = endMs !== undefined || startMs === undefined;
  return { done, ...given({ text: stringOf(part, "text"), startMs, endMs }) };
}

function callRecord(part: Fields, of: { sessionID: string; messageID: string; partID: string }): HostRecord {
  const state = fieldsOf(part, "state");
  const time = fieldsOf(state, "time");
  const metadata = fieldsOf(state, "metadata");
  const tool = stringOf(part, "tool") ?? "unknown";
  return {
    kind: "call",
    ...of,
    tool,
    callID: textOf(part, "callID") ?? of.partID,
    startsSubagent: SUBAGENT_TOOLS.has(tool),
    ...given({
      input: stringOf(state, "status") === "pending" ? undefined : fieldOf(state, "input"),
      startMs: numberOf(time, "start"),
      subagentID: SUBAGENT_TOOLS.has(tool)
        ? (textOf(metadata, "sessionId") ?? textOf(metadata, "sessionID"))
        : undefined,
      end: callEnd(state),
    }),
  };
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
      ...given({ endMs, metadata: keptMetadata(metadata) }),
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
      metadata: keptMetadata(metadata, output),
      files: files.length > 0 ? files : undefined,
    }),
  };
}

/** Returns the text of an MCP tool's raw result. */
function contentText(answer: unknown): string {
  const texts = listOf(answer, "content").flatMap((item) => stringOf(item, "text") ?? []);
  return texts.join("\n\n");
}

/** Returns the metadata without copies of the output and of changed files. */
function keptMetadata(metadata: Fields | undefined, output?: unknown): unknown {
  if (!metadata) return undefined;
  const { output: _output, preview, ...rest } = metadata;
  return shortened(preview === undefined || preview === output ? rest : { ...rest, preview });
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
export function patchFields(changed: readonly unknown[]): { text: string; data: unknown } {
  const files = changed.filter((file) => typeof file === "string");
  const count = `${files.length} ${files.length === 1 ? "file" : "files"} changed:`;
  const shown = files.map((file) => `- \`${file}\``);
  return { text: [count, ...shown].join("\n"), data: { files } };
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
