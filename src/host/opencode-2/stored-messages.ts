/**
 * Converts pieces of an opencode 2.x message, from events or from the host's store, into records. Both must produce the
 * same part ids, so that nothing is recorded twice: a text is numbered within its message, a call has its own id.
 */
import { given } from "../../given.ts";
import { toJsonValue } from "../../transcript/json-value.ts";
import type { HostFile, HostRecord, UserPart } from "../../transcript/records.ts";
import { toolPart, userShell } from "../../parse/sources/opencode-2-message.ts";
import { modelName } from "../opencode-1/events.ts";
import {
  fieldsOf,
  textOf,
  isFields,
  listOf,
  numberOf,
  fieldOf,
  stringOf,
  type Fields,
} from "../../parse/json-fields.ts";
import { partRecords, patchFields, usage } from "../opencode-1/parts.ts";

/** Part of a message; ids of parts do not ascend, but their first records come in conversation order. */
export interface PartPlace {
  sessionID: string;
  messageID: string;
  partID: string;
  inOrder: true;
}

export type TextKind = "text" | "reasoning";

function placeOf(sessionID: string, messageID: string, part: string): PartPlace {
  return { sessionID, messageID, partID: `${messageID}/${part}`, inOrder: true };
}

export function textPlace(sessionID: string, messageID: string, kind: TextKind, at: number): PartPlace {
  return placeOf(sessionID, messageID, `${kind}-${String(at).padStart(3, "0")}`);
}

/** Returns the records of a user's or a synthetic prompt: `{ text, files, agents }`. */
export function promptRecords(
  sessionID: string,
  messageID: string,
  prompt: unknown,
  { isSynthetic = false, createdMs }: { isSynthetic?: boolean; createdMs?: number | undefined } = {},
): HostRecord[] {
  const parts: UserPart[] = [
    promptText(prompt, isSynthetic),
    ...listOf(prompt, "files").flatMap((file) => (isFields(file) ? [promptFile(file)] : [])),
    ...listOf(prompt, "agents").flatMap((agent) => (isFields(agent) ? [{ raw: typed("agent", agent) }] : [])),
    ...listOf(prompt, "skills").flatMap((skill) => (isFields(skill) ? [{ raw: typed("skill", skill) }] : [])),
  ];
  const records = parts.map((part, at): HostRecord => {
    const place = placeOf(sessionID, messageID, `part-${String(at).padStart(3, "0")}`);
    return { kind: "user_part", ...place, part, isLast: at === parts.length - 1 };
  });
  return [{ kind: "message", sessionID, messageID, role: "user", ...given({ createdMs }) }, ...records];
}

function promptText(prompt: unknown, isSynthetic: boolean): UserPart {
  const said = stringOf(prompt, "text") ?? "";
  if (!isSynthetic) return { visibleText: said, raw: { type: "text", text: said } };
  return {
    raw: { type: "text", text: said, synthetic: true, ...given({ description: stringOf(prompt, "description") }) },
  };
}

function promptFile(file: Fields): UserPart {
  const { data: _data, ...raw } = typed("file", file);
  const found = hostFile(file);
  return { raw, ...given({ file: found }) };
}

function typed(type: string, of: Fields): Fields {
  const { data, ...rest } = of;
  return { type, ...rest, ...(data === undefined ? {} : { data: "" }) };
}

/** Reads a file: `{ data, mime, name, source }` of a prompt, or `{ uri, mime, name }` of a result. */
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

/** Returns the records of a stored message, as in `session_message.data` with its id and type. */
export function storedRecords(sessionID: string, stored: unknown): HostRecord[] {
  const message = toJsonValue(stored);
  const messageID = textOf(message, "id");
  if (messageID === undefined || !isFields(message)) return [];
  const createdMs = numberOf(fieldsOf(message, "time"), "created");
  switch (stringOf(message, "type")) {
    case "user":
      return promptRecords(sessionID, messageID, message, { createdMs });
    case "synthetic":
      return promptRecords(sessionID, messageID, message, { createdMs, isSynthetic: true });
    case "assistant":
      return assistantRecords(sessionID, messageID, message);
    case "compaction":
      return compactionRecords(sessionID, messageID, message, createdMs);
    case "shell":
      return shellRecords(sessionID, { ...message, id: textOf(message, "shellID") ?? messageID });
    default:
      return switchRecords(sessionID, messageID, stringOf(message, "type"), message, createdMs);
  }
}

/** Changes that are messages of their own in the host's store, by the type of the message or the event. */
const SWITCHES: ReadonlyMap<string | undefined, "agent" | "model" | "location" | "skill"> = new Map([
  ["agent-switched", "agent"],
  ["session.agent.selected", "agent"],
  ["model-switched", "model"],
  ["session.model.selected", "model"],
  ["location-switched", "location"],
  ["session.moved", "location"],
  ["skill", "skill"],
  ["session.skill.activated", "skill"],
]);

/** Returns the record of such a change, if `type` is that of one. */
export function switchRecords(
  sessionID: string,
  messageID: string,
  type: string | undefined,
  of: Fields,
  atMs: number | undefined,
): HostRecord[] {
  const name = SWITCHES.get(type);
  if (name === undefined) return [];
  const what = {
    agent: textOf(of, "agent"),
    model: modelName(of),
    location: textOf(fieldsOf(of, "location") ?? of, "directory"),
    skill: textOf(of, "name"),
  };
  const place = placeOf(sessionID, messageID, name);
  return [{ kind: "part_event", ...place, name, ...given({ text: what[name], atMs }) }];
}

function assistantRecords(sessionID: string, messageID: string, message: Fields): HostRecord[] {
  const time = fieldsOf(message, "time");
  const isCompleted = numberOf(time, "completed") !== undefined;
  const counts = { text: 0, reasoning: 0 };
  const content = listOf(message, "content").flatMap((part): HostRecord[] => {
    const type = stringOf(part, "type");
    if (type === "tool" && isFields(part)) return callRecords(sessionID, messageID, part);
    if (type !== "text" && type !== "reasoning") return [];
    const place = textPlace(sessionID, messageID, type, counts[type]++);
    const said = stringOf(part, "text");
    const timeOfPart = fieldsOf(part, "time");
    const times = { startMs: numberOf(timeOfPart, "created"), endMs: numberOf(timeOfPart, "completed") };
    // The host stores a text when it is complete; an empty one is still being streamed, or stayed empty.
    const done = isCompleted || (said ?? "") !== "";
    return [{ kind: "text", ...place, reasoning: type === "reasoning", done, ...given({ text: said, ...times }) }];
  });
  return [
    assistantRecord(sessionID, messageID, message, numberOf(time, "created")),
    ...content,
    ...(isCompleted ? stepRecords(sessionID, messageID, message) : []),
  ];
}

/** Returns the record of the beginning of an assistant message. */
export function assistantRecord(
  sessionID: string,
  messageID: string,
  facts: Fields,
  createdMs: number | undefined,
): HostRecord {
  return {
    kind: "message",
    sessionID,
    messageID,
    role: "assistant",
    ...given({ agent: textOf(facts, "agent"), model: modelName({ model: fieldOf(facts, "model") }), createdMs }),
  };
}

/** Returns the records of the end of a step: `{ finish, cost, tokens, files?, error? }`. */
export function stepRecords(sessionID: string, messageID: string, step: Fields): HostRecord[] {
  const { tokens, cost } = usage(step);
  const reason = textOf(step, "finish");
  const files = listOf(fieldsOf(step, "snapshot") ?? step, "files");
  const ended: HostRecord = {
    kind: "message",
    sessionID,
    messageID,
    role: "assistant",
    completed: true,
    aborted: isAborted(fieldOf(step, "error")),
  };
  return [
    ...(tokens === undefined
      ? []
      : [{ kind: "usage" as const, ...placeOf(sessionID, messageID, "usage"), ...given({ tokens, cost, reason }) }]),
    ended,
    ...(files.length === 0
      ? []
      : [
          {
            kind: "part_event" as const,
            ...placeOf(sessionID, messageID, "patch"),
            name: "patch",
            ...patchFields(files),
          },
        ]),
  ];
}

function isAborted(error: unknown): boolean {
  return stringOf(error, "type") === "aborted";
}

/** Returns the record of a call: `{ id, name, state, time }`, as in a stored message. */
export function callRecords(sessionID: string, messageID: string, part: Fields): HostRecord[] {
  return partRecords({ ...toolPart(part, messageID), sessionID, messageID }, "assistant", { inOrder: true });
}

/** Returns the records of a summary: `{ status, reason, summary?, error? }`. */
export function compactionRecords(
  sessionID: string,
  messageID: string,
  of: Fields,
  atMs: number | undefined,
): HostRecord[] {
  const why = stringOf(of, "reason") === "auto" ? "automatic" : "asked for";
  const started: HostRecord = {
    kind: "part_event",
    ...placeOf(sessionID, messageID, "compaction"),
    name: "compaction",
    text: `The conversation so far is summarized (${why}).`,
    ...given({ atMs }),
  };
  const summary = stringOf(of, "status") === "completed" ? stringOf(of, "summary") : undefined;
  return [started, ...(summary === undefined ? [] : summaryRecords(sessionID, messageID, summary, atMs))];
}

/** Returns the records of a summary's text: as in opencode 1.x, the answer of an agent called `compaction`. */
export function summaryRecords(
  sessionID: string,
  messageID: string,
  summary: string,
  atMs: number | undefined,
): HostRecord[] {
  const message = { kind: "message", sessionID, messageID, role: "assistant", agent: "compaction" } as const;
  const place = textPlace(sessionID, messageID, "text", 0);
  return [
    message,
    { kind: "text", ...place, reasoning: false, text: summary, done: true, ...given({ startMs: atMs, endMs: atMs }) },
    { ...message, completed: true },
    {
      kind: "part_event",
      ...placeOf(sessionID, messageID, "compacted"),
      name: "compacted",
      text: "The conversation continues from the summary.",
    },
  ];
}

/** Returns the record of a command that the user ran: `{ id, command, status, exit, time, file, output }`. */
export function shellRecords(sessionID: string, shell: Fields): HostRecord[] {
  const messageID = textOf(shell, "id") ?? "shell";
  const part = userShell({ ...shell, id: messageID, shellID: messageID });
  return partRecords({ ...part, sessionID, messageID }, "assistant", { inOrder: true });
}
