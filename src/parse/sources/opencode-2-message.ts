/**
 * Converts messages of opencode 2.x, `{ id, type, … }`, to the form of 1.x, `{ info, parts }`, which is then read.
 * Supports the types and fields of the preview of July 2026 and of newer sources.
 */
import { fieldsOf, isFields, listOf, textOf, type Fields } from "../json-fields.ts";
import { given } from "../../given.ts";

/** Types that are not part of the conversation. */
const SILENT = new Set(["idle", "system"]);
/** Types that are events of the session, with a function that returns the event's text. */
const EVENTS: Readonly<Record<string, (message: Fields) => string | undefined>> = {
  "agent-switched": (message) => textOf(message, "agent"),
  "model-switched": (message) => modelOf(message),
  "location-switched": (message) => textOf(fieldsOf(message, "location") ?? message, "directory"),
  skill: (message) => textOf(message, "name"),
};

/** The host's own tool that runs commands; any other tool could write the marker below itself. */
const SHELL = "shell";
/** Marker after a shell output of which the host kept only a part. */
const WHOLE_OUTPUT =
  /\[output truncated; full output saved to: ([^\n\]]+)\]\s*(?:Command exited with code -?\d+\.\s*)?$/;
/** Fields of a result that repeat its content. */
const REPEATED = new Set(["output", "value", "content", "display", "preview"]);

/** Fields without which what was said is somewhere else, by type of message. Other types need none. */
const MESSAGE_FIELDS: FieldsByType = new Map([
  ["user", { text: isText }],
  ["synthetic", { text: isText }],
  ["assistant", { content: Array.isArray }],
  ["shell", { command: isText }],
]);
/** The same of the parts of an answer. */
const PART_FIELDS: FieldsByType = new Map([
  ["text", { text: isText }],
  ["reasoning", { text: isText }],
  ["tool", { name: isText, state: isFields }],
]);
/** All known types of messages. */
const MESSAGE_TYPES = new Set([...MESSAGE_FIELDS.keys(), "compaction", ...SILENT, ...Object.keys(EVENTS)]);

type FieldsByType = ReadonlyMap<string, Readonly<Record<string, (value: unknown) => boolean>>>;

function isText(value: unknown): boolean {
  return typeof value === "string";
}

/** Returns why a message cannot be read; undefined if it can. */
function unknownForm(message: Fields): string | undefined {
  const type = textOf(message, "type");
  if (type === undefined) return "message without a type";
  if (!MESSAGE_TYPES.has(type)) return type;
  const isSummed = type === "compaction" && message["status"] === "completed";
  return isSummed && !isText(message["summary"])
    ? "compaction without summary"
    : lacking(message, type, MESSAGE_FIELDS);
}

function lacking(of: Fields, type: string, required: FieldsByType): string | undefined {
  const missing = Object.entries(required.get(type) ?? {}).find(([name, is]) => !is(of[name]));
  return missing && `${type} without ${missing[0]}`;
}

/** Returns true for a message of 2.x, false for one of 1.x. */
export function isMessage2(message: Fields): boolean {
  return message["info"] === undefined && textOf(message, "type") !== undefined;
}

/** Converts a message to the 1.x form. Returns "silent" for types outside the conversation, undefined for unknown types. */
export function messageOf2(message: Fields): Fields | "silent" | undefined {
  const type = textOf(message, "type") ?? "";
  if (SILENT.has(type)) return "silent";
  if (unknownForm(message) !== undefined) return undefined;
  const describe = EVENTS[type];
  if (describe !== undefined) {
    const part = { type: "event", name: type.replace(/-.*/, ""), ...given({ text: describe(message) }) };
    return inForm1(message, "user", [{ ...part, id: `${idOf(message)}/event` }]);
  }
  switch (type) {
    case "user":
    case "synthetic":
      return inForm1(message, "user", promptParts(message, type === "synthetic"));
    case "assistant":
      return inForm1(message, "assistant", answerParts(message), answerInfo(message));
    case "compaction":
      return inForm1(message, "assistant", compactionParts(message), { ...answerInfo(message), agent: "compaction" });
    case "shell":
      return inForm1(message, "assistant", [userShell(message)]);
    default:
      return undefined;
  }
}

function inForm1(message: Fields, role: "user" | "assistant", parts: Fields[], info: Fields = {}): Fields {
  return { info: { id: message["id"], role, time: message["time"], ...info }, parts };
}

function idOf(message: Fields): string {
  return textOf(message, "id") ?? "";
}

function modelOf(message: Fields): string | undefined {
  const model = fieldsOf(message, "model");
  const name = textOf(model, "id");
  const provider = textOf(model, "providerID");
  return name === undefined || provider === undefined ? name : `${provider}/${name}`;
}

function promptParts(message: Fields, isSynthetic: boolean): Fields[] {
  const id = idOf(message);
  const text = { type: "text", id: `${id}/part-000`, text: textOf(message, "text") ?? "" };
  const agents = itemsOf(message, "agents").map((agent) => ({ ...agent, type: "agent" }));
  const files = itemsOf(message, "files").flatMap((file, at) => {
    const part = filePart(file);
    return part === undefined ? [] : [{ ...part, id: `${id}/file-${at}` }];
  });
  return [isSynthetic ? { ...text, synthetic: true } : text, ...files, ...agents];
}

/** Converts a file: `{ data, mime, name, source }` of a prompt, or `{ uri, mime, name }` of a result. */
function filePart(file: Fields): Fields | undefined {
  const mime = textOf(file, "mime") ?? "application/octet-stream";
  const data = textOf(file, "data");
  const address = textOf(file, "uri") ?? textOf(fieldsOf(file, "source"), "uri");
  const url = data === undefined ? address : data.startsWith("data:") ? data : `data:${mime};base64,${data}`;
  return url === undefined ? undefined : { type: "file", mime, url, ...given({ filename: textOf(file, "name") }) };
}

function answerInfo(message: Fields): Fields {
  const { agent, finish, cost, tokens, error } = message;
  const model = fieldsOf(message, "model") ?? {};
  return given({
    agent,
    finish,
    cost,
    tokens,
    modelID: textOf(model, "id"),
    providerID: textOf(model, "providerID"),
    error: isFields(error) ? errorInForm1(error) : error,
  });
}

function errorInForm1(error: Fields): Fields {
  const type = textOf(error, "type");
  const message = textOf(error, "message");
  return { name: type === "aborted" ? "MessageAbortedError" : type, data: given({ message }) };
}

function answerParts(message: Fields): Fields[] {
  const id = idOf(message);
  const counts = { text: 0, reasoning: 0 };
  const content = itemsOf(message, "content").map((part): Fields => {
    const { type } = part;
    const missing = typeof type === "string" ? lacking(part, type, PART_FIELDS) : undefined;
    if (missing !== undefined) return { ...part, type: missing };
    if (type === "tool") return toolPart(part, id);
    if (type !== "text" && type !== "reasoning") return part;
    const time = fieldsOf(part, "time");
    const times = time && { start: time["created"], end: time["completed"] };
    const number = String(counts[type]++).padStart(3, "0");
    return { type, id: `${id}/${type}-${number}`, text: part["text"], ...given({ time: times }) };
  });
  const files = fieldsOf(message, "snapshot")?.["files"];
  const retry = fieldsOf(message, "retry");
  return [
    ...content,
    ...(retry === undefined ? [] : [{ type: "retry", id: `${id}/retry`, error: retry["error"] ?? retry }]),
    ...(Array.isArray(files) && files.length > 0 ? [{ type: "patch", id: `${id}/patch`, files }] : []),
  ];
}

function compactionParts(message: Fields): Fields[] {
  const id = idOf(message);
  const started = { type: "compaction", id: `${id}/compaction`, auto: message["reason"] === "auto" };
  const summary = textOf(message, "summary");
  if (summary === undefined || summary === "" || message["status"] === "running") return [started];
  return [started, { type: "text", id: `${id}/text-000`, text: summary }];
}

/** Converts a command that the user ran. The recorder passes the fields of its event in this form. */
export function userShell(message: Fields): Fields {
  const id = textOf(message, "shellID") ?? idOf(message);
  const output = fieldsOf(message, "output");
  const time = fieldsOf(message, "time");
  // A row may say that a command exited before it has the output.
  const hasEnded = time?.["completed"] !== undefined || message["output"] !== undefined;
  const isRunning = message["status"] === "running" || !hasEnded;
  const isCut = output?.["truncated"] === true;
  return {
    type: "tool",
    id: `${idOf(message)}/call-${id}`,
    callID: id,
    tool: SHELL,
    state: {
      status: isRunning ? "running" : "completed",
      input: { command: textOf(message, "command") ?? "" },
      output: textOf(output, "output") ?? textOf(message, "output") ?? "",
      metadata: given({
        exit: message["exit"],
        truncated: isCut || undefined,
        outputPath: isCut ? message["file"] : undefined,
      }),
      time: given({ start: time?.["started"] ?? time?.["created"], end: time?.["completed"] }),
    },
  };
}

/** Converts a call: `{ id, name, state, time }`. The recorder passes the fields of its events in this form. */
export function toolPart(part: Fields, messageID: string): Fields {
  const callID = textOf(part, "id") ?? "";
  const state = fieldsOf(part, "state") ?? {};
  const time = fieldsOf(part, "time");
  const structured = fieldsOf(state, "metadata") ?? fieldsOf(state, "structured");
  const content = itemsOf(state, "content");
  const error = state["error"];
  const said = joined(content.flatMap((each) => (each["type"] === "text" ? (textOf(each, "text") ?? []) : [])));
  const files = [...content, ...(structured === undefined ? [] : [structured])].flatMap((each) => fileOf(each) ?? []);
  const metadata = given({
    ...Object.fromEntries(Object.entries(structured ?? {}).filter(([name]) => !REPEATED.has(name))),
    interrupted: textOf(isFields(error) ? error : {}, "type") === "aborted" || undefined,
    outputPath: part["name"] === SHELL && structured?.["truncated"] === true ? WHOLE_OUTPUT.exec(said)?.[1] : undefined,
  });
  return {
    type: "tool",
    id: `${messageID}/call-${callID}`,
    callID,
    tool: textOf(part, "name") ?? "unknown",
    state: given({
      status: state["status"] === "streaming" ? "pending" : state["status"],
      // Arguments are a string while they are being streamed.
      input: isFields(state["input"]) || state["status"] !== "streaming" ? state["input"] : {},
      output: said === "" && files.length === 0 ? outputOf(structured) : said,
      error: error === undefined || error === null ? undefined : joined([said, failure(error, state)]),
      metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
      attachments: files.length > 0 ? files : undefined,
      time: given({ start: time?.["ran"] ?? time?.["created"], end: time?.["completed"] }),
    }),
  };
}

/** Reads a file in the content of a result, or the result of `read` in the preview. */
function fileOf(part: Fields): Fields | undefined {
  if (part["type"] === "file") return filePart(part);
  return part["encoding"] === "base64" ? filePart({ ...part, data: part["content"] }) : undefined;
}

/** Returns the error of a call. In the preview, a call that the user rejects has an empty message. */
function failure(error: unknown, state: Fields): string {
  const of = isFields(error) ? error : {};
  const result = textOf(fieldsOf(state, "result"), "value");
  return textOf(of, "message") || result || textOf(of, "type") || (typeof error === "string" ? error : "");
}

/** Returns the result of a tool without content, such as `read` in the preview. */
function outputOf(structured: Fields | undefined): unknown {
  const content = structured?.["content"] ?? structured?.["output"] ?? structured?.["value"];
  if (content !== undefined) return content;
  return structured === undefined || Object.keys(structured).length === 0 ? "" : structured;
}

/** Joins texts, each on its own line. */
function joined(texts: readonly string[]): string {
  let all = "";
  for (const text of texts) {
    if (text !== "") all += all === "" || all.endsWith("\n") ? text : `\n${text}`;
  }
  return all;
}

function itemsOf(of: Fields, key: string): Fields[] {
  return listOf(of, key).filter(isFields);
}
