import { dropOldest } from "../../transcript/entry-draft.ts";
import { given } from "../../given.ts";
import { toJsonValue } from "../../transcript/json-value.ts";
import type { ActivityRecord, HostRecord, SessionRecord } from "../../transcript/records.ts";
import { fields, id, list, number, read, text, type Fields } from "./event-fields.ts";
import { errorFields, partRecords } from "./parts.ts";

/** Maximum number of messages whose role is remembered; a part does not say whose it is. */
const MAX_ROLES = 5_000;
/** Maximum number of parts with Kilo's progress that are remembered until it removes them. */
const MAX_PROGRESS = 100;
/** Kilo shows the progress of its snapshot as a text of the assistant, which it changes and then removes. */
const KILO_PROGRESS = /^[\u2800-\u28ff] Initializing snapshot\u2026$/;

/**
 * Translates opencode's bus events into records. Knows the event types and fields of `@opencode-ai/sdk/v2` 1.18.33
 * and of older versions; unknown events give no record.
 */
export class EventTranslator {
  readonly #roles = new Map<string, "user" | "assistant">();
  readonly #progress = new Set<string>();

  /** Returns the records of one event. Never throws, whatever its shape. */
  translate(event: unknown): HostRecord[] {
    const properties = fields(event, "properties");
    const type = text(event, "type");
    if (!properties || type === undefined) return [];
    if (type === "message.part.updated") return this.#part(properties);
    if (type === "message.part.delta") return deltaRecords(properties);
    if (type === "message.updated") return this.#message(properties);
    const sessionID = id(properties, "sessionID") ?? id(fields(properties, "info"), "id");
    if (sessionID === undefined) return [];
    if (type === "message.part.removed" && this.#progress.delete(id(properties, "partID") ?? "")) return [];
    return sessionRecords(type, sessionID, properties, id(event, "id"));
  }

  /** Remembers who wrote a message. */
  learnRole(messageID: string, role: "user" | "assistant"): void {
    this.#roles.set(messageID, role);
    dropOldest(this.#roles, MAX_ROLES);
  }

  #part(properties: Fields): HostRecord[] {
    const part = fields(properties, "part");
    if (!part) return [];
    const partID = id(part, "id");
    if (partID !== undefined && KILO_PROGRESS.test(text(part, "text") ?? "")) {
      this.#progress.add(partID);
      dropOldest(this.#progress, MAX_PROGRESS);
      return [];
    }
    return partRecords(part, this.#roles.get(id(part, "messageID") ?? ""));
  }

  #message(properties: Fields): HostRecord[] {
    const info = fields(properties, "info");
    const record = info && messageRecord(info);
    if (!record) return [];
    this.learnRole(record.messageID, record.role);
    return [record];
  }
}

/** Kilo names its process; a program that it runs inherits the variable, but has another number. */
function hostName(): string {
  return process.env["KILO_PID"] === String(process.pid) ? "kilo" : "opencode";
}

/** Returns the record for a message's `info`. */
export function messageRecord(info: Fields): Extract<HostRecord, { kind: "message" }> | undefined {
  const sessionID = id(info, "sessionID");
  const messageID = id(info, "id");
  const role = text(info, "role");
  if (sessionID === undefined || messageID === undefined) return undefined;
  if (role !== "user" && role !== "assistant") return undefined;
  const time = fields(info, "time");
  return {
    kind: "message",
    sessionID,
    messageID,
    role,
    completed: number(time, "completed") !== undefined,
    aborted: text(fields(info, "error"), "name") === "MessageAbortedError",
    ...given({ agent: id(info, "agent"), model: modelName(info), createdMs: number(time, "created") }),
  };
}

/** Returns `provider/model` of a message; versions of the host have it in one of two places. */
export function modelName(info: unknown): string | undefined {
  const model = fields(info, "model") ?? info;
  const modelID = id(model, "modelID") ?? id(model, "id");
  const providerID = id(model, "providerID");
  if (modelID === undefined || (model === info && providerID === undefined)) return undefined;
  return providerID === undefined ? modelID : `${providerID}/${modelID}`;
}

/** Returns the record for a session's `info`. */
export function sessionRecord(sessionID: string, info: Fields, isNew: boolean): SessionRecord {
  const version = id(info, "version");
  return {
    kind: "session",
    sessionID,
    isNew,
    ...given({
      parentID: id(info, "parentID"),
      title: id(info, "title"),
      directory: id(info, "directory"),
      createdMs: number(fields(info, "time"), "created"),
      host: version === undefined ? undefined : `${hostName()} ${version}`,
      revertedTo: id(fields(info, "revert"), "messageID"),
    }),
  };
}

function deltaRecords(properties: Fields): HostRecord[] {
  const sessionID = id(properties, "sessionID");
  const messageID = id(properties, "messageID");
  const partID = id(properties, "partID");
  const delta = text(properties, "delta");
  if (sessionID === undefined || messageID === undefined || partID === undefined) return [];
  if (delta === undefined || text(properties, "field") !== "text") return [];
  return [{ kind: "text_delta", sessionID, messageID, partID, delta }];
}

function sessionRecords(
  type: string,
  sessionID: string,
  properties: Fields,
  eventID: string | undefined,
): HostRecord[] {
  const event = (name: string, fields: EventFields) => eventRecord({ sessionID, id: eventID }, name, fields);
  const activity = (state: ActivityRecord["state"]): HostRecord => ({ kind: "activity", sessionID, state });
  switch (type) {
    case "session.created":
    case "session.updated":
      return withInfo(sessionID, properties, type === "session.created", eventID);
    case "session.deleted":
      return [
        ...withInfo(sessionID, properties, false),
        event("deleted", { text: "The session was deleted in opencode." }),
        activity("deleted"),
      ];
    case "session.idle":
      return [activity("idle")];
    case "session.status": {
      const status = fields(properties, "status");
      const state = text(status, "type");
      if (state === "busy" || state === "idle") return [activity(state)];
      if (state !== "retry") return [];
      const data = given({ attempt: number(status, "attempt") });
      return [activity("retrying"), event("retry", { text: text(status, "message"), data })];
    }
    case "session.error": {
      const error = read(properties, "error");
      const isAbort = text(error, "name") === "MessageAbortedError";
      return [...(isAbort ? [activity("aborting")] : []), event("error", errorFields(error))];
    }
    case "session.compacted":
      return [event("compacted", { text: "The conversation continues from the summary." })];
    case "message.removed":
    case "message.part.removed":
      return removalRecords(sessionID, properties, eventID);
    case "permission.asked":
    case "permission.updated":
      return [event("permission asked", permissionFields(properties))];
    case "permission.replied":
      return [
        event("permission answered", {
          text: text(properties, "reply") ?? text(properties, "response") ?? "",
          requestID: requestOf(properties),
        }),
      ];
    case "question.asked":
      return [event("question asked", questionFields(properties))];
    case "question.replied":
      return [
        event("question answered", {
          text: answersText(properties),
          data: { answers: list(properties, "answers") },
          requestID: requestOf(properties),
        }),
      ];
    case "question.rejected":
      return [event("question rejected", { text: "The user did not answer.", requestID: requestOf(properties) })];
    case "todo.updated":
      return [event("todo", { text: todoText(list(properties, "todos")), data: { todos: list(properties, "todos") } })];
    case "command.executed":
      return [event("command", { text: commandText(properties) })];
    default:
      return [];
  }
}

function withInfo(sessionID: string, properties: Fields, isNew: boolean, eventID?: string): HostRecord[] {
  const info = fields(properties, "info");
  return info ? [{ ...sessionRecord(sessionID, info, isNew), ...given({ eventID }) }] : [];
}

export interface EventFields {
  text?: string | undefined;
  data?: unknown;
  callID?: string | undefined;
  requestID?: string | undefined;
}

/** Returns the record of a session event; `id` is the host's. */
export function eventRecord(
  { sessionID, id }: { sessionID: string; id: string | undefined },
  name: string,
  { text, data, callID, requestID }: EventFields,
): HostRecord {
  const copied = data === undefined ? undefined : toJsonValue(data);
  return { kind: "event", sessionID, name, ...given({ text, data: copied, eventID: id, callID, requestID }) };
}

function removalRecords(sessionID: string, properties: Fields, eventID: string | undefined): HostRecord[] {
  const messageID = id(properties, "messageID");
  if (messageID === undefined) return [];
  return [{ kind: "removal", sessionID, messageID, ...given({ partID: id(properties, "partID"), eventID }) }];
}

/** Returns the id of the request that an event answers. */
function requestOf(properties: Fields): string | undefined {
  return id(properties, "requestID") ?? id(properties, "permissionID");
}

function permissionFields(properties: Fields): EventFields {
  const permission = text(properties, "permission") ?? text(properties, "type") ?? "";
  const patterns = list(properties, "patterns").filter((pattern) => typeof pattern === "string");
  const callID = id(fields(properties, "tool"), "callID") ?? id(properties, "callID");
  return {
    text: text(properties, "title") ?? [permission, ...patterns].join(" "),
    data: given({ permission, patterns, callID, metadata: read(properties, "metadata") }),
    callID,
    requestID: id(properties, "id"),
  };
}

function questionFields(properties: Fields): EventFields {
  const questions = list(properties, "questions");
  const callID = id(fields(properties, "tool"), "callID");
  return {
    text: questions.flatMap((question) => text(question, "question") ?? []).join("\n"),
    data: { questions },
    callID,
    requestID: id(properties, "id"),
  };
}

function answersText(properties: Fields): string {
  return list(properties, "answers")
    .map((answer) => toJsonValue(answer))
    .map((answer) => (Array.isArray(answer) ? answer.filter((part) => typeof part === "string").join(", ") : ""))
    .join("\n");
}

function todoText(todos: readonly unknown[]): string {
  return todos
    .map((todo) => `- [${text(todo, "status") === "completed" ? "x" : " "}] ${text(todo, "content") ?? ""}`)
    .join("\n");
}

function commandText(properties: Fields): string {
  return `/${text(properties, "name") ?? ""} ${text(properties, "arguments") ?? ""}`.trim();
}
