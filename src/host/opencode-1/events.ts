import { dropOldest } from "../../transcript/entry-draft.ts";
import { given } from "../../given.ts";
import { jsonCopy } from "../../json-copy.ts";
import type { ActivityRecord, HostRecord } from "../../transcript/records.ts";
import { fieldsOf, textOf, listOf, numberOf, fieldOf, stringOf, type Fields } from "../../parse/json-fields.ts";
import { errorFields, messageRecord, placeOfPart, recordedPart } from "../../agents/opencode/opencode-records.ts";
import { eventRecord, type EventFields, sessionRecord } from "../session-records.ts";

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

  /**
   * Returns the records of one event, given as `{ event }`. Never throws, whatever its shape. It is copied, because the host
   * may change it later.
   */
  translate(given: unknown): HostRecord[] {
    const event = fieldOf(jsonCopy(given), "event");
    const properties = fieldsOf(event, "properties");
    const type = stringOf(event, "type");
    if (!properties || type === undefined) return [];
    if (type === "message.part.updated") return this.#part(properties);
    if (type === "message.part.delta") return deltaRecords(properties);
    if (type === "message.updated") return this.#message(properties);
    const sessionID = textOf(properties, "sessionID") ?? textOf(fieldsOf(properties, "info"), "id");
    if (sessionID === undefined) return [];
    if (type === "message.part.removed" && this.#progress.delete(textOf(properties, "partID") ?? "")) return [];
    return sessionRecords(type, sessionID, properties, textOf(event, "id"));
  }

  /** Remembers who wrote a message. */
  learnRole(messageID: string, role: "user" | "assistant"): void {
    this.#roles.set(messageID, role);
    dropOldest(this.#roles, MAX_ROLES);
  }

  #part(properties: Fields): HostRecord[] {
    const part = fieldsOf(properties, "part");
    if (!part) return [];
    const partID = textOf(part, "id");
    if (partID !== undefined && KILO_PROGRESS.test(stringOf(part, "text") ?? "")) {
      this.#progress.add(partID);
      dropOldest(this.#progress, MAX_PROGRESS);
      return [];
    }
    const place = placeOfPart(part);
    return place ? recordedPart(part, place, this.#roles.get(place.messageID)) : [];
  }

  #message(properties: Fields): HostRecord[] {
    const info = fieldsOf(properties, "info");
    const record = info && messageRecord(info);
    if (!record) return [];
    this.learnRole(record.messageID, record.role);
    return [record];
  }
}

function deltaRecords(properties: Fields): HostRecord[] {
  const sessionID = textOf(properties, "sessionID");
  const messageID = textOf(properties, "messageID");
  const partID = textOf(properties, "partID");
  const delta = stringOf(properties, "delta");
  if (sessionID === undefined || messageID === undefined || partID === undefined) return [];
  if (delta === undefined || stringOf(properties, "field") !== "text") return [];
  return [{ kind: "text_delta", sessionID, messageID, partID, reasoning: false, delta }];
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
      const status = fieldsOf(properties, "status");
      const state = stringOf(status, "type");
      if (state === "busy" || state === "idle") return [activity(state)];
      if (state !== "retry") return [];
      const data = given({ attempt: numberOf(status, "attempt") });
      return [activity("retrying"), event("retry", { text: stringOf(status, "message"), data })];
    }
    case "session.error": {
      const error = fieldOf(properties, "error");
      const isAbort = stringOf(error, "name") === "MessageAbortedError";
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
          text: stringOf(properties, "reply") ?? stringOf(properties, "response") ?? "",
          requestID: requestOf(properties),
        }),
      ];
    case "question.asked":
      return [event("question asked", questionFields(properties))];
    case "question.replied":
      return [
        event("question answered", {
          text: answersText(properties),
          requestID: requestOf(properties),
        }),
      ];
    case "question.rejected":
      return [event("question rejected", { text: "The user did not answer.", requestID: requestOf(properties) })];
    case "todo.updated":
      // The call that changed the list has all of it.
      return [event("todo", { text: todoText(listOf(properties, "todos")) })];
    case "command.executed":
      return [event("command", { text: commandText(properties) })];
    default:
      return [];
  }
}

function withInfo(sessionID: string, properties: Fields, isNew: boolean, eventID?: string): HostRecord[] {
  const info = fieldsOf(properties, "info");
  return info ? [{ ...sessionRecord(sessionID, info, isNew), ...given({ eventID }) }] : [];
}

function removalRecords(sessionID: string, properties: Fields, eventID: string | undefined): HostRecord[] {
  const messageID = textOf(properties, "messageID");
  if (messageID === undefined) return [];
  return [{ kind: "removal", sessionID, messageID, ...given({ partID: textOf(properties, "partID"), eventID }) }];
}

/** Returns the id of the request that an event answers. */
function requestOf(properties: Fields): string | undefined {
  return textOf(properties, "requestID") ?? textOf(properties, "permissionID");
}

function permissionFields(properties: Fields): EventFields {
  const permission = stringOf(properties, "permission") ?? stringOf(properties, "type") ?? "";
  const patterns = listOf(properties, "patterns").filter((pattern) => typeof pattern === "string");
  const callID = textOf(fieldsOf(properties, "tool"), "callID") ?? textOf(properties, "callID");
  return {
    text: stringOf(properties, "title") ?? [permission, ...patterns].join(" "),
    // The call before it has the rest.
    data: callID === undefined ? given({ permission, patterns, metadata: fieldOf(properties, "metadata") }) : undefined,
    callID,
    requestID: textOf(properties, "id"),
  };
}

function questionFields(properties: Fields): EventFields {
  const questions = listOf(properties, "questions");
  const callID = textOf(fieldsOf(properties, "tool"), "callID");
  const about = { callID, requestID: textOf(properties, "id") };
  // The call before it has the questions.
  if (callID !== undefined) return about;
  return {
    ...about,
    text: questions.flatMap((each) => stringOf(each, "question") ?? []).join("\n"),
    data: { questions },
  };
}

function answersText(properties: Fields): string {
  return listOf(properties, "answers")
    .map((answer) => (Array.isArray(answer) ? answer.filter((part) => typeof part === "string").join(", ") : ""))
    .join("\n");
}

function todoText(todos: readonly unknown[]): string {
  return todos.map(todoLine).join("\n");
}

function todoLine(todo: unknown): string {
  const content = stringOf(todo, "content") ?? "";
  switch (stringOf(todo, "status")) {
    case "completed":
      return `- [x] ${content}`;
    case "in_progress":
      return `- [ ] **now:** ${content}`;
    case "cancelled":
      return `- [ ] **cancelled:** ${content}`;
    default:
      return `- [ ] ${content}`;
  }
}

function commandText(properties: Fields): string {
  return `/${stringOf(properties, "name") ?? ""} ${stringOf(properties, "arguments") ?? ""}`.trim();
}
