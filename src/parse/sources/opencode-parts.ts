/**
 * Converts the parts of opencode's messages to the entries that the recorder would have written. Types and fields:
 * `@opencode-ai/sdk/v2`; older versions lack some.
 */
import type {
  Attachment,
  SessionEventEntry,
  TokenCounts,
  ToolResultEntry,
  TranscriptEntry,
} from "../../transcript/format/formats.ts";
import { countOf, fieldsOf, isFields, listOf, textOf, type Fields } from "../json-fields.ts";
import { timeOf } from "../times.ts";
import { given } from "../../given.ts";

/** Fields shared by the parts of a message. */
export interface PartContext {
  messageID?: string;
  /** `provider/model`. */
  model?: string;
  agent?: string;
  /** The answer was cut off. */
  interrupted?: boolean;
  /** Start and end of the message, for parts without a time of their own. */
  began: string;
  ended: string;
}

/** Tools that start a session: `task` of 1.x, `subagent` of 2.x. */
const STARTS_SUBAGENT = new Set(["task", "subagent"]);
/** Parts that are not conversation. */
const SILENT = new Set<unknown>(["step-start", "snapshot", "agent", "subtask"]);

/** Returns the entries for a part of an answer; undefined if its type is unknown. */
export function partEntries(part: Fields, context: PartContext): TranscriptEntry[] | undefined {
  switch (part["type"]) {
    case "text":
    case "reasoning":
      return textEntries(part, context);
    case "tool":
      return callEntries(part, context);
    default:
      return eventEntries(part, context);
  }
}

/** The same for parts that any message may have. */
export function eventEntries(part: Fields, context: PartContext): TranscriptEntry[] | undefined {
  const entry = (name: string, fields: Pick<SessionEventEntry, "text" | "data">, at?: unknown): TranscriptEntry[] => [
    { type: "session_event", name, ...placed(part, context, timeOf(at) ?? context.ended), ...fields },
  ];
  switch (part["type"]) {
    case "step-finish":
      return entry("usage", { data: usageData(part, context) });
    case "patch":
      return entry("patch", patchFields(part));
    case "compaction":
      return entry("compaction", { text: compactionText(part) });
    case "retry":
      return entry("retry", errorFields(part["error"]), fieldsOf(part, "time")?.["created"]);
    case "event":
      return entry(textOf(part, "name") ?? "event", given({ text: textOf(part, "text") }));
    default:
      return SILENT.has(part["type"]) ? [] : undefined;
  }
}

/** Returns tokens and cost of a `step-finish` part or a message's `info`. */
export function usageData(of: Fields, { model }: PartContext): Fields {
  return given({
    model,
    tokens: tokenCounts(fieldsOf(of, "tokens")),
    cost: countOf(of, "cost"),
    reason: textOf(of, "reason"),
  });
}

/**
 * Returns the tokens of a model call, of which `output` does not include `reasoning`. Some versions of the host, with some
 * providers, count reasoning in `output` too: `total`, if there is one, tells.
 */
export function tokenCounts(tokens: Fields | undefined): Partial<TokenCounts> | undefined {
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

/** Returns the useful fields of a host's error, without the headers of the provider's response. */
export function errorFields(error: unknown): { text?: string; data?: Fields } {
  const of = isFields(error) ? error : {};
  const data = fieldsOf(of, "data") ?? {};
  const isRetryable = data["isRetryable"];
  return given({
    text: textOf(data, "message") ?? textOf(of, "message") ?? textOf(of, "name"),
    data: given({ name: textOf(of, "name"), statusCode: countOf(data, "statusCode"), isRetryable }),
  });
}

/** Returns a file by its URL. Bytes in a `data:` URL are only counted. */
export function attachmentOf(part: unknown): Attachment | undefined {
  const of = isFields(part) ? part : {};
  const url = textOf(of, "url");
  if (url === undefined) return undefined;
  const isData = /^\s*data:/i.test(url.slice(0, 100));
  return {
    mime: textOf(of, "mime") ?? "application/octet-stream",
    ...given({ filename: textOf(of, "filename") }),
    ...(isData ? given({ bytes: bytesInDataUrl(url) }) : { url }),
  };
}

function textEntries(part: Fields, context: PartContext): TranscriptEntry[] {
  const content = textOf(part, "text");
  if (content === undefined) return [];
  const { agent, model, interrupted } = context;
  const at = timeOf(fieldsOf(part, "time")?.["start"]) ?? context.began;
  const type = part["type"] === "reasoning" ? "reasoning" : "assistant";
  return [{ type, ...placed(part, context, at), content, ...given({ agent, model, interrupted }) }];
}

function callEntries(part: Fields, context: PartContext): TranscriptEntry[] {
  const state = fieldsOf(part, "state") ?? {};
  const time = fieldsOf(state, "time") ?? {};
  const metadata = fieldsOf(state, "metadata") ?? {};
  const tool = textOf(part, "tool") ?? "unknown";
  const child = STARTS_SUBAGENT.has(tool)
    ? (textOf(metadata, "sessionId") ?? textOf(metadata, "sessionID"))
    : undefined;
  const call = {
    tool,
    callID: textOf(part, "callID") ?? textOf(part, "id") ?? "",
    input: state["input"] ?? {},
    ...(child === undefined ? {} : { subagent: { sessionID: child } }),
  };
  const began = timeOf(time["start"]) ?? context.began;
  const use: TranscriptEntry = { type: "tool_use", ...placed(part, context, began), ...call };
  const end = callEnd(state, metadata);
  if (!end) return [use];
  const ended = timeOf(time["end"]) ?? began;
  return [use, { type: "tool_result", ...placed(part, context, ended), ...call, ...end }];
}

type CallEnd = Omit<ToolResultEntry, "type" | "timestamp" | "tool" | "callID" | "input">;

/** Returns how a call ended; undefined while it is pending or running. */
function callEnd(state: Fields, metadata: Fields): CallEnd | undefined {
  const { output: _, ...details } = metadata;
  if (state["status"] === "error") {
    const status = metadata["interrupted"] === true ? "interrupted" : "error";
    return { status, output: textOf(state, "error") ?? "", metadata: details };
  }
  if (state["status"] !== "completed") return undefined;
  const attachments = listOf(state, "attachments").flatMap((file) => attachmentOf(file) ?? []);
  return {
    status: "completed",
    output: state["output"] ?? "",
    metadata: details,
    ...given({
      title: textOf(state, "title"),
      attachments: attachments.length > 0 ? attachments : undefined,
      // The host cut the output and saved all of it in a separate file.
      outputMissing: metadata["truncated"] === true ? textOf(metadata, "outputPath") : undefined,
    }),
  };
}

function placed(part: Fields, { messageID }: PartContext, timestamp: string) {
  return { timestamp, ...given({ messageID, partID: textOf(part, "id") }) };
}

function patchFields(part: Fields): { text: string; data: Fields } {
  const files = listOf(part, "files").filter((file) => typeof file === "string");
  const changed = `${files.length} ${files.length === 1 ? "file" : "files"} changed:`;
  return { text: [changed, ...files.map((file) => `- \`${file}\``)].join("\n"), data: { files } };
}

function compactionText(part: Fields): string {
  const why = part["overflow"] === true ? "the context was full" : part["auto"] === true ? "automatic" : "asked for";
  return `The conversation so far is summarized (${why}).`;
}

/** Returns the number of bytes encoded as base64; undefined for other encodings. */
function bytesInDataUrl(url: string): number | undefined {
  const comma = url.indexOf(",");
  if (comma < 0 || !/;\s*base64\s*$/i.test(url.slice(0, Math.min(comma, 200)))) return undefined;
  const padding = url.endsWith("==") ? 2 : Number(url.endsWith("="));
  return Math.floor(((url.length - comma - 1) * 3) / 4) - padding;
}
