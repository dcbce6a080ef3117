/**
 * Converts messages of opencode 2.x as the host stores them, or pieces of them, into records. Events are converted by the
 * same code, so part ids are the same: a text is numbered within its message, a call has its own id.
 */
import { given } from "../../given.ts";
import type { HostFile, HostRecord, UserPart } from "../../transcript/records.ts";
import { toolPart, userShell } from "../../parse/sources/opencode-2-message.ts";
import {
  fieldOf,
  fieldsOf,
  isFields,
  listOf,
  numberOf,
  stringOf,
  textOf,
  type Fields,
} from "../../parse/json-fields.ts";
import { modelName } from "../session-records.ts";
import { partRecords, patchFields, usage } from "../part-records.ts";

/** Message of a session. */
export interface MessagePlace {
  sessionID: string;
  messageID: string;
}

export type TextKind = "text" | "reasoning";

/** Returns the place of a part. Ids of parts do not ascend, but their first records come in conversation order. */
function placeOf(of: MessagePlace, part: string): MessagePlace & { partID: string; inOrder: true } {
  const { sessionID, messageID } = of;
  return { sessionID, messageID, partID: `${messageID}/${part}`, inOrder: true };
}

/** Returns the place of the text with that number among those of its kind in the message. */
export function textPlace(of: MessagePlace, kind: TextKind, at: number): ReturnType<typeof placeOf> {
  return placeOf(of, `${kind}-${numbered(at)}`);
}

function numbered(at: number): string {
  return String(at).padStart(3, "0");
}

/** Returns the records of a stored message: `session_message.data` with its id and type. */
export function storedRecords(sessionID: string, message: unknown): HostRecord[] {
  const messageID = textOf(message, "id");
  return messageID === undefined || !isFields(message) ? [] : messageRecords({ sessionID, messageID }, message);
}

/** Returns the records of a message, or of some of its fields. */
export function messageRecords(of: MessagePlace, message: Fields): HostRecord[] {
  const type = stringOf(message, "type");
  const createdMs = numberOf(fieldsOf(message, "time"), "created");
  switch (type) {
    case "user":
    case "synthetic":
      return promptRecords(of, message, type === "synthetic", createdMs);
    case "assistant":
      return assistantRecords(of, message, createdMs);
    case "compaction":
      return compactionRecords(of, message, createdMs);
    case "shell": {
      const id = textOf(message, "shellID") ?? of.messageID;
      const part = userShell({ ...message, id, shellID: id });
      return partRecords({ ...part, sessionID: of.sessionID, messageID: id }, "assistant", { inOrder: true });
    }
    // Changes that are messages of their own.
    case "agent-switched":
      return change(of, "agent", textOf(message, "agent"), createdMs);
    case "model-switched":
      return change(of, "model", modelName(message), createdMs);
    case "location-switched":
      return change(of, "location", textOf(fieldsOf(message, "location") ?? message, "directory"), createdMs);
    case "skill":
      return change(of, "skill", textOf(message, "name"), createdMs);
    default:
      return [];
  }
}

function change(of: MessagePlace, name: string, text: string | undefined, atMs: number | undefined): HostRecord[] {
  return [{ kind: "part_event", ...placeOf(of, name), name, ...given({ text, atMs }) }];
}

/** Returns the records of a prompt: `{ text, files, agents, skills }`. */
function promptRecords(
  of: MessagePlace,
  prompt: Fields,
  isSynthetic: boolean,
  createdMs: number | undefined,
): HostRecord[] {
  const items = (key: string): Fields[] => listOf(prompt, key).filter(isFields);
  const parts: UserPart[] = [
    promptText(prompt, isSynthetic),
    ...items("files").map((file) => promptFile(file)),
    ...items("agents").map((agent) => ({ raw: typed("agent", agent) })),
    ...items("skills").map((skill) => ({ raw: typed("skill", skill) })),
  ];
  const records = parts.map((part, at): HostRecord => {
    return { kind: "user_part", ...placeOf(of, `part-${numbered(at)}`), part, isLast: at === parts.length - 1 };
  });
  return [{ kind: "message", ...of, role: "user", ...given({ createdMs }) }, ...records];
}

function promptText(prompt: Fields, isSynthetic: boolean): UserPart {
  const text = stringOf(prompt, "text") ?? "";
  if (!isSynthetic) return { visibleText: text, raw: { type: "text", text } };
  return { raw: { type: "text", text, synthetic: true, ...given({ description: stringOf(prompt, "description") }) } };
}

function promptFile(file: Fields): UserPart {
  const { data: _data, ...raw } = typed("file", file);
  return { raw, ...given({ file: hostFile(file) }) };
}

function typed(type: string, of: Fields): Fields {
  const { data, ...rest } = of;
  return { type, ...rest, ...(data === undefined ? {} : { data: "" }) };
}

/** Reads a file of a prompt: `{ data, mime, name, source }`. */
function hostFile(file: Fields): HostFile | undefined {
  const mime = stringOf(file, "mime") ?? "application/octet-stream";
  const data = stringOf(file, "data");
  const url =
    data === undefined ? (textOf(file, "uri") ?? textOf(fieldsOf(file, "source"), "uri")) : dataUrl(mime, data);
  return url === undefined ? undefined : { mime, url, ...given({ filename: textOf(file, "name") }) };
}

function dataUrl(mime: string, base64: string): string {
  return base64.startsWith("data:") ? base64 : `data:${mime};base64,${base64}`;
}

/** Returns the records of an answer: `{ agent, model, content, finish, cost, tokens, snapshot or files, error }`. */
function assistantRecords(of: MessagePlace, message: Fields, createdMs: number | undefined): HostRecord[] {
  const isCompleted = numberOf(fieldsOf(message, "time"), "completed") !== undefined;
  const counts = { text: 0, reasoning: 0 };
  const content = listOf(message, "content").flatMap((part): HostRecord[] => {
    const type = stringOf(part, "type");
    if (type === "tool" && isFields(part)) return callRecords(of, part);
    if (type !== "text" && type !== "reasoning") return [];
    const place = textPlace(of, type, counts[type]++);
    const text = stringOf(part, "text");
    const time = fieldsOf(part, "time");
    const times = { startMs: numberOf(time, "created"), endMs: numberOf(time, "completed") };
    // The host stores a text when it is complete; an empty one is still being streamed, or stayed empty.
    const done = isCompleted || (text ?? "") !== "";
    return [{ kind: "text", ...place, reasoning: type === "reasoning", done, ...given({ text, ...times }) }];
  });
  const facts = given({
    agent: textOf(message, "agent"),
    model: modelName({ model: fieldOf(message, "model") }),
    createdMs,
  });
  return [
    { kind: "message", ...of, role: "assistant", ...facts },
    ...content,
    ...(isCompleted ? endRecords(of, message) : []),
  ];
}

/** Returns the records of the end of an answer. */
function endRecords(of: MessagePlace, message: Fields): HostRecord[] {
  const files = listOf(fieldsOf(message, "snapshot") ?? message, "files");
  const aborted = stringOf(fieldOf(message, "error"), "type") === "aborted";
  const records: HostRecord[] = [
    ...usageRecords(of, message),
    { kind: "message", ...of, role: "assistant", completed: true, aborted },
  ];
  if (files.length > 0) {
    records.push({ kind: "part_event", ...placeOf(of, "patch"), name: "patch", ...patchFields(files) });
  }
  return records;
}

/** Returns the record of the tokens and cost of an answer or a summary, if the message has them. */
function usageRecords(of: MessagePlace, message: Fields): HostRecord[] {
  const { tokens, cost } = usage(message);
  if (tokens === undefined) return [];
  return [{ kind: "usage", ...placeOf(of, "usage"), tokens, ...given({ cost, reason: textOf(message, "finish") }) }];
}

/** Returns the record of a call: `{ id, name, state, time }`, as in a stored message. */
export function callRecords(of: MessagePlace, part: Fields): HostRecord[] {
  return partRecords({ ...toolPart(part, of.messageID), ...of }, "assistant", { inOrder: true });
}

/**
 * Returns the records of a summary: `{ status, reason, summary }`. As in opencode 1.x, its text is the answer of an agent
 * called `compaction`.
 */
function compactionRecords(of: MessagePlace, message: Fields, atMs: number | undefined): HostRecord[] {
  const event = (name: string, text: string): HostRecord => ({ kind: "part_event", ...placeOf(of, name), name, text });
  const why = stringOf(message, "reason") === "auto" ? "automatic" : "asked for";
  const started = { ...event("compaction", `The conversation so far is summarized (${why}).`), ...given({ atMs }) };
  const text = stringOf(message, "status") === "completed" ? stringOf(message, "summary") : undefined;
  const used = usageRecords(of, message);
  if (text === undefined) return [started, ...used];
  const answer = { kind: "message", ...of, role: "assistant", agent: "compaction" } as const;
  const times = given({ startMs: atMs, endMs: atMs });
  return [
    started,
    answer,
    { kind: "text", ...textPlace(of, "text", 0), reasoning: false, text, done: true, ...times },
    ...used,
    { ...answer, completed: true },
    event("compacted", "The conversation continues from the summary."),
  ];
}
