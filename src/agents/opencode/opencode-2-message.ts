/**
 * Converts messages of opencode 2.x, `{ id, type, … }`, to the form of 1.x, `{ info, parts }`, which is then read, and to
 * records. An event is converted as the piece of a message that it changes. Supports the types and fields of the preview of
 * July 2026 and of newer sources. Pure.
 */
import { given } from "../../given.ts";
import type { HostRecord, MessageRecord } from "../../transcript/records.ts";
import { fieldsOf, isFields, listOf, textOf, type Fields } from "../../parse/json-fields.ts";
import { messageRecord, modelName, recordedPart, usage } from "./opencode-records.ts";

/** Types that are not part of the conversation. */
const SILENT = new Set(["idle", "system"]);
/** Types that are events of the session, with a function that returns the event's text. */
const EVENTS: Readonly<Record<string, (message: Fields) => string | undefined>> = {
  "agent-switched": (message) => textOf(message, "agent"),
  "model-switched": (message) => modelName({ model: message["model"] }),
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
export function messageOf2(message: Fields): Form1 | "silent" | undefined {
  if (SILENT.has(textOf(message, "type") ?? "")) return "silent";
  return unknownForm(message) === undefined ? inForm1(message) : undefined;
}

/** Message in the form of 1.x. */
interface Form1 extends Fields {
  info: Fields;
  parts: Fields[];
}

/** Message of a session. */
interface MessagePlace {
  sessionID: string;
  messageID: string;
}

/** Returns the records of a stored message: `session_message.data` with its id and type. */
export function storedRecords2(sessionID: string, message: unknown): HostRecord[] {
  const messageID = textOf(isFields(message) ? message : {}, "id");
  return messageID === undefined || !isFields(message) ? [] : messageRecords2({ sessionID, messageID }, message);
}

/** Returns the records of a message, or of some of its fields. Ids of parts do not ascend, but the records are in order. */
export function messageRecords2({ sessionID, messageID }: MessagePlace, message: Fields): HostRecord[] {
  const form = inForm1({ ...message, id: messageID });
  const record = form && messageRecord(form.info, sessionID);
  if (form === undefined || record === undefined) return [];
  const { completed, aborted, ...facts } = record;
  const of = { sessionID, messageID: record.messageID };
  const parts = form.parts.flatMap((part): HostRecord[] => {
    const place = { ...of, partID: textOf(part, "id") ?? "", inOrder: true } as const;
    return recordedPart(part, place, record.role);
  });
  const last = parts.at(-1);
  if (last?.kind === "user_part") last.isLast = true;
  const isChange = record.role === "user" && last?.kind !== "user_part";
  if (isChange) return parts;
  const end: MessageRecord[] =
    completed === true ? [{ kind: "message", ...of, role: record.role, completed, ...given({ aborted }) }] : [];
  // Patches, and the event after a summary, come after the end.
  const after = parts.filter(
    (each) => each.kind === "part_event" && (each.name === "patch" || each.name === "compacted"),
  );
  const content = parts.filter((each) => !after.includes(each));
  return [facts, ...content, ...usageRecords(of, form.info), ...end, ...after];
}

/** Returns the record of the tokens and cost of an answer or a summary, if the message has them. */
function usageRecords(of: MessagePlace, info: Fields): HostRecord[] {
  const { tokens, cost } = usage(info);
  if (tokens === undefined) return [];
  const reason = textOf(info, "finish");
  return [{ kind: "usage", ...of, partID: `${of.messageID}/usage`, inOrder: true, tokens, ...given({ cost, reason }) }];
}

/** Returns the id of the text with that number among those of its kind in a message. */
export function textId(messageID: string, kind: "text" | "reasoning" | "part", at: number): string {
  return `${messageID}/${kind}-${String(at).padStart(3, "0")}`;
}

/** Converts a message whatever its fields are; undefined for types that are not conversation or not known. */
function inForm1(message: Fields): Form1 | undefined {
  const type = textOf(message, "type") ?? "";
  const describe = EVENTS[type];
  if (describe !== undefined) {
    const name = type.replace(/-.*/, "");
    const time = message["time"];
    const part = { type: "event", id: `${idOf(message)}/${name}`, name, ...given({ text: describe(message), time }) };
    return formOf(message, "user", [part]);
  }
  switch (type) {
    case "user":
    case "synthetic":
      return formOf(message, "user", promptParts(message, type === "synthetic"));
    case "assistant":
      return formOf(message, "assistant", answerParts(message), answerInfo(message));
    case "compaction":
      return compactionForm(message);
    case "shell": {
      const shell = { ...message, id: textOf(message, "shellID") ?? idOf(message) };
      return formOf(shell, "assistant", [userShell(shell)]);
    }
    default:
      return undefined;
  }
}

function formOf(message: Fields, role: "user" | "assistant", parts: Fields[], info: Fields = {}): Form1 {
  return { info: { id: message["id"], role, time: message["time"], ...info }, parts };
}

function idOf(message: Fields): string {
  return textOf(message, "id") ?? "";
}

function promptParts(message: Fields, isSynthetic: boolean): Fields[] {
  const added = isSynthetic ? given({ synthetic: true, description: textOf(message, "description") }) : {};
  const text: Fields = { type: "text", text: textOf(message, "text") ?? "", ...added };
  const typed = (key: string, type: string): Fields[] =>
    itemsOf(message, key).map((item): Fields => ({ ...item, type }));
  const files = itemsOf(message, "files").map(filePart).filter(isFields);
  const parts = [text, ...files, ...typed("agents", "agent"), ...typed("skills", "skill")];
  return parts.map((part, at) => ({ ...part, id: textId(idOf(message), "part", at) }));
}

/** Converts a file: `{ data, mime, name, source }` of a prompt, or `{ uri, mime, name }` of a result. */
function filePart(file: Fields): Fields | undefined {
  const { data: _data, name: _name, ...rest } = file;
  const mime = textOf(file, "mime") ?? "application/octet-stream";
  const data = textOf(file, "data");
  const address = textOf(file, "uri") ?? textOf(fieldsOf(file, "source"), "uri");
  const url = data === undefined ? address : data.startsWith("data:") ? data : `data:${mime};base64,${data}`;
  if (url === undefined) return undefined;
  return { ...rest, type: "file", mime, url, ...given({ filename: textOf(file, "name") }) };
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
  const isCompleted = fieldsOf(message, "time")?.["completed"] !== undefined;
  const counts = { text: 0, reasoning: 0 };
  const content = itemsOf(message, "content").map((part, at): Fields => {
    const { type } = part;
    const missing = typeof type === "string" ? lacking(part, type, PART_FIELDS) : undefined;
    if (missing !== undefined) return { ...part, type: missing, id: textId(id, "part", at) };
    if (type === "tool") return toolPart(part, id);
    if (type !== "text" && type !== "reasoning") return { ...part, id: textOf(part, "id") ?? textId(id, "part", at) };
    const time = fieldsOf(part, "time");
    const times = time && { start: time["created"], end: time["completed"] };
    // The host stores a text when it is complete; an empty one is still being streamed, or stayed empty.
    const isOpen = !isCompleted && part["text"] === "";
    const open = isOpen ? { open: true } : {};
    return { type, id: textId(id, type, counts[type]++), text: part["text"], ...given({ time: times }), ...open };
  });
  // In an event, the files are in the event itself.
  const files = (fieldsOf(message, "snapshot") ?? message)["files"];
  const retry = fieldsOf(message, "retry");
  return [
    ...content,
    ...(retry === undefined ? [] : [{ type: "retry", id: `${id}/retry`, error: retry["error"] ?? retry }]),
    ...(Array.isArray(files) && files.length > 0 ? [{ type: "patch", id: `${id}/patch`, files }] : []),
  ];
}

/** Converts a summary: `{ status, reason, summary }`. As in 1.x, its text is the answer of an agent called `compaction`. */
function compactionForm(message: Fields): Form1 {
  const id = idOf(message);
  const time = fieldsOf(message, "time") ?? {};
  const parts: Fields[] = [{ type: "compaction", id: `${id}/compaction`, auto: message["reason"] === "auto", time }];
  const info = { ...answerInfo(message), agent: "compaction" };
  const summary = textOf(message, "summary");
  if (summary === undefined || summary === "" || message["status"] === "running")
    return formOf(message, "assistant", parts, info);
  const at = time["completed"] ?? time["created"];
  const text = "The conversation continues from the summary.";
  parts.push(
    {
      type: "text",
      id: textId(id, "text", 0),
      text: summary,
      ...(at === undefined ? {} : { time: { start: at, end: at } }),
    },
    { type: "event", id: `${id}/compacted`, name: "compacted", text },
  );
  return formOf({ ...message, time: { ...time, completed: at } }, "assistant", parts, info);
}

/** Converts a command that the user ran. */
function userShell(message: Fields): Fields {
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

/** Converts a call: `{ id, name, state, time }`. */
function toolPart(part: Fields, messageID: string): Fields {
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

/** Text of 1.x for a call that the user refused, from which its status is read. The preview gives it an empty message. */
const REFUSED = "The user rejected permission to use this specific tool call.";

/** Returns the error of a call. */
function failure(error: unknown, state: Fields): string {
  const of = isFields(error) ? error : {};
  if (of["type"] === "unknown" && of["message"] === "") return REFUSED;
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
