import { dropOldest } from "../../transcript/entry-draft.ts";
import { given } from "../../given.ts";
import { jsonCopy } from "../../json-copy.ts";
import type { ActivityRecord, HostRecord, SessionRecord } from "../../transcript/records.ts";
import { eventRecord, sessionRecord, type EventFields } from "../session-records.ts";
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
import { messageRecords2, textId } from "../../agents/opencode/opencode-2-message.ts";

/** Maximum number of prompts, questions and ids of messages in memory. */
const MAX_KNOWN = 1_000;
/** Maximum number of answers in memory; the host changes only the last ones. */
const MAX_ANSWERS = 20;

/** Event of opencode 2.x, with the fields that are read of every event. */
export interface HostEvent {
  id: string | undefined;
  type: string;
  sessionID: string;
  /** Undefined for some events, such as `session.execution.started`. */
  directory: string | undefined;
  createdMs: number | undefined;
  /** Number of the event in its session; undefined for events that the host does not store, such as deltas. */
  seq: number | undefined;
  data: Fields;
}

/** Names of events in the preview of July 2026 that differ from later ones. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["session.input.admitted", "session.inbox.enqueued"],
  ["session.input.promoted", "session.inbox.delivered"],
  ["permission.v2.asked", "permission.asked"],
  ["permission.v2.replied", "permission.replied"],
]);

/** Reads an event; undefined if it belongs to no session. Never throws, whatever its form. */
export function hostEvent(live: unknown): HostEvent | undefined {
  const event = jsonCopy(live);
  const data = fieldsOf(event, "data");
  const type = stringOf(event, "type");
  const sessionID =
    textOf(data, "sessionID") ?? textOf(fieldsOf(data, "form"), "sessionID") ?? textOf(fieldsOf(data, "info"), "id");
  if (data === undefined || type === undefined || sessionID === undefined) return undefined;
  // For a command that the user runs in the shell list, the session is only in the metadata.
  if (!/^(?:session|permission|form)\./.test(type)) return undefined;
  return {
    id: textOf(event, "id"),
    type: NAMES.get(type) ?? type,
    sessionID,
    directory: textOf(fieldsOf(event, "location"), "directory"),
    createdMs: numberOf(event, "created"),
    seq: numberOf(fieldsOf(event, "durable"), "seq"),
    data,
  };
}

/** Events that become a message in the host's store, with the type of that message. */
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ["session.synthetic", "synthetic"],
  ["session.agent.selected", "agent-switched"],
  ["session.model.selected", "model-switched"],
  ["session.moved", "location-switched"],
  ["session.skill.activated", "skill"],
]);

/** Text or call of an answer as the host stores it. */
type Part = Record<string, unknown>;

/** Message of the assistant as the host stores it, as far as it has arrived. */
interface Answer extends Fields {
  content: Part[];
  time: Fields;
  /** Number of its parts that earlier attempts of the step made. */
  before?: number;
  /** Number of its parts that events have reached; the host's store may be ahead of them. */
  reached?: number;
}

/**
 * Translates the opencode 2.x events of one session into records. Supports the names and fields of the preview of July
 * 2026 and of the newest sources; unknown events produce no record.
 *
 * An event of an answer changes the answer as the host stores it, which is then converted like a stored one.
 */
export class SessionTranslator {
  /** Prompts that the host has not sent to the model yet. */
  readonly #prompts = new Map<string, Fields>();
  readonly #answers = new Map<string, Answer>();
  /** Messages in conversation order, since the event of a committed revert names only the first. */
  readonly #messages = new Map<string, true>();
  /** Forms with which the model asks the user. Other forms, such as a login, are not part of the conversation. */
  readonly #questions = new Map<string, true>();
  #compactionID: string | undefined;
  /** The session was created during the recording. */
  #isNew = false;
  /** Error of the last step; the host reports it again for the whole execution. */
  #stepError: string | undefined;

  /** Nothing of the conversation has arrived. */
  get isEmpty(): boolean {
    return !this.#isNew && this.#messages.size === 0;
  }

  /** Remembers which messages the session has. */
  heard(record: HostRecord): void {
    if (record.kind === "session" && record.isNew) this.#isNew = true;
    if ("messageID" in record && record.kind !== "removal" && !this.#messages.has(record.messageID))
      remember(this.#messages, record.messageID, true);
  }

  /**
   * Takes over stored messages, from the first one that has arrived or that the event belongs to, and returns their records.
   * Earlier ones belong to the time before the recording, and what is unfinished in them was cut off then.
   */
  takeOver(sessionID: string, stored: readonly Fields[], event: HostEvent | undefined): HostRecord[] {
    const needed = event && (inputOf(event.data) ?? answerOf(event.data));
    const isMeant = (id: string | undefined): boolean =>
      id !== undefined && (this.#isNew || id === needed || this.#messages.has(id));
    const first = stored.findIndex((message) => isMeant(textOf(message, "id")));
    if (first < 0) return [];
    return stored.slice(first).flatMap((message) => {
      const messageID = textOf(message, "id");
      if (messageID === undefined) return [];
      if (stringOf(message, "type") === "assistant") this.#takeOverAnswer(messageID, message);
      return messageRecords2({ sessionID, messageID }, message);
    });
  }

  #takeOverAnswer(messageID: string, stored: Fields): void {
    const known = this.#answers.get(messageID);
    const time = fieldsOf(stored, "time") ?? {};
    const texts = { text: ofKind(known, "text"), reasoning: ofKind(known, "reasoning") };
    const content = listOf(stored, "content").filter(isFields);
    const parts = content.map((part): Part => {
      const { type } = part;
      if (type !== "text" && type !== "reasoning") return { ...part };
      const streamed = texts[type].shift();
      // The host stores a text when it is complete.
      return part["text"] === "" ? (streamed ?? { time, ...part }) : { ...part };
    });
    this.#know(messageID, {
      ...stored,
      content: parts,
      time,
      ...given({ before: known?.before, reached: known?.reached }),
    });
  }

  /**
   * Returns the records of one event; undefined if it needs an earlier event that did not arrive: the text of a prompt, the
   * beginning of an answer, or the tool or input of a call. `isAlone`: the earlier event is not available.
   */
  translate(event: HostEvent, isAlone = false): HostRecord[] | undefined {
    if (!isAlone && this.#lacks(event)) return undefined;
    return this.#translate(event);
  }

  #lacks({ type, data }: HostEvent): boolean {
    if (type === "session.inbox.delivered") {
      const inputID = inputOf(data) ?? "";
      return !this.#prompts.has(inputID) && !this.#messages.has(inputID);
    }
    const [, kind, action] = OF_ANSWER.exec(type) ?? [];
    const messageID = answerOf(data);
    if (kind === undefined || messageID === undefined || type === "session.step.started") return false;
    const answer = this.#answers.get(messageID);
    if (kind !== "tool" || action?.startsWith("input.") === true) return answer === undefined;
    const state = fieldsOf(answer?.content.find(isCall(callOf(data))), "state");
    // Calls with arguments that are not JSON fail without a `called` event; the host stores them too.
    const isEnd = action === "success" || action === "failed";
    return state === undefined || (isEnd && state["status"] === "streaming");
  }

  #translate(event: HostEvent): HostRecord[] {
    const { type, sessionID, data, directory, createdMs } = event;
    const known = given({ directory, createdMs });
    const told = (name: string, fields: EventFields): HostRecord[] => [eventRecord(event, name, fields)];
    const activity = (state: ActivityRecord["state"]): HostRecord => ({ kind: "activity", sessionID, state });
    switch (type) {
      case "session.inbox.delivered":
        return this.#delivered(event);
      case "session.created":
        // In newer hosts its fields are in the event itself.
        return [locatedSession(sessionID, fieldsOf(data, "info") ?? data, { ...known, isNew: true })];
      case "session.forked":
        // The copied history is only in the host's store, not in events.
        return [locatedSession(sessionID, {}, known), ...told("forked", forkFields(data))];
      case "session.renamed":
        return told("title", { text: stringOf(data, "title") });
      case "session.deleted":
        return [...told("deleted", { text: "The session was deleted in opencode." }), activity("deleted")];
      case "session.inbox.enqueued": {
        const inputID = inputOf(data);
        const item = fieldsOf(data, "item") ?? fieldsOf(data, "input");
        if (inputID !== undefined && item !== undefined) remember(this.#prompts, inputID, item);
        return [];
      }
      case "session.inbox.cancelled":
        this.#prompts.delete(inputOf(data) ?? "");
        return [];
      case "session.execution.started":
        this.#stepError = undefined;
        return [activity("busy")];
      case "session.execution.succeeded":
        return [activity("idle")];
      case "session.execution.failed":
        return [...this.#failure(event), activity("idle")];
      case "session.execution.interrupted":
        return [...told("error", interruption(stringOf(data, "reason"))), activity("idle")];
      case "session.retry.scheduled":
        return [activity("retrying"), ...told("retry", retryFields(data))];
      case "session.revert.staged": {
        const messageID = textOf(fieldsOf(data, "revert"), "messageID");
        return told("revert", {
          text: "The user reverted the session to before a message.",
          data: given({ messageID }),
        });
      }
      case "session.revert.cleared":
        return told("unrevert", { text: "The user undid the revert." });
      case "session.revert.committed":
        return this.#removed(event);
      case "session.shell.started":
      case "session.shell.ended": {
        const shell = fieldsOf(data, "shell");
        const shellID = textOf(shell, "id") ?? "shell";
        // A quick command may have exited when its start is reported, but its output comes with the end.
        const state = type === "session.shell.started" ? { status: "running" } : { output: data["output"] };
        const facts = { ...shell, shellID, ...state };
        return shell ? message(event, shellID, "shell", facts, fieldsOf(shell, "time") ?? {}) : [];
      }
      case "permission.asked":
        return told("permission asked", permissionFields(data));
      case "permission.replied":
        return told("permission answered", { text: stringOf(data, "reply"), requestID: textOf(data, "requestID") });
      case "form.created":
        return this.#question(event);
      case "form.replied":
      case "form.cancelled":
      case "form.rejected": {
        const formID = textOf(data, "id") ?? "";
        if (!this.#questions.delete(formID)) return [];
        if (type === "form.replied") return told("question answered", answerFields(data));
        return told("question rejected", { text: "The user did not answer.", requestID: formID });
      }
      default:
        if (type.startsWith("session.compaction.")) return this.#compaction(event);
        if (MESSAGES.has(type)) return message(event, messageOf(event), MESSAGES.get(type), data);
        return this.#answer(event);
    }
  }

  #delivered(event: HostEvent): HostRecord[] {
    const inputID = inputOf(event.data) ?? "";
    const item = this.#prompts.get(inputID);
    this.#prompts.delete(inputID);
    const type = stringOf(item, "type");
    if (type !== "user" && type !== "synthetic") return [];
    return message(event, inputID, type, fieldsOf(item, "payload") ?? fieldsOf(item, "data"));
  }

  #removed(event: HostEvent): HostRecord[] {
    const { sessionID, data, id: eventID } = event;
    const first = textOf(data, "to");
    const known = [...this.#messages.keys()];
    const from = known.indexOf(first ?? "");
    // The messages of an earlier process are not known, and no longer in the host's store.
    if (from < 0) {
      const text = "The host removed a message and all later ones from the session.";
      return [eventRecord(event, "removed", { text, data: given({ fromMessageID: first }) })];
    }
    return known.slice(from).map((messageID): HostRecord => {
      this.#messages.delete(messageID);
      return { kind: "removal", sessionID, messageID, ...given({ eventID }) };
    });
  }

  #question(event: HostEvent): HostRecord[] {
    const form = fieldsOf(event.data, "form");
    const metadata = fieldsOf(form, "metadata");
    const formID = textOf(form, "id");
    if (formID === undefined || stringOf(metadata, "kind") !== "question") return [];
    remember(this.#questions, formID, true);
    const questions = listOf(form, "fields");
    const shown = questions.flatMap((question) => textOf(question, "description") ?? textOf(question, "title") ?? []);
    const callID = textOf(fieldsOf(metadata, "tool"), "callID") ?? textOf(fieldsOf(metadata, "tool"), "id");
    // The call before it has the questions.
    const asked = callID === undefined ? { text: shown.join("\n"), data: { questions } } : {};
    const told = { ...asked, callID, requestID: formID };
    return [eventRecord(event, "question asked", told)];
  }

  #failure(event: HostEvent): HostRecord[] {
    const error = fieldOf(event.data, "error");
    const isKnown = this.#stepError !== undefined && this.#stepError === errorKey(error);
    this.#stepError = undefined;
    return isKnown ? [] : [eventRecord(event, "error", errorFields(error))];
  }

  #compaction(event: HostEvent): HostRecord[] {
    const { data } = event;
    const [, action = ""] = /^session\.compaction\.(started|ended|failed)$/.exec(event.type) ?? [];
    if (action === "") return [];
    const messageID = inputOf(data) ?? (action === "started" ? messageOf(event) : this.#compactionID);
    this.#compactionID = action === "started" ? messageID : undefined;
    const summary = { status: "completed", summary: stringOf(data, "text") ?? "" };
    const facts = action === "ended" ? { ...data, ...summary } : data;
    const records = messageID === undefined ? [] : message(event, messageID, "compaction", facts);
    return action === "failed"
      ? [...records, eventRecord(event, "error", errorFields(fieldOf(data, "error")))]
      : records;
  }

  /** Returns the records of an answer after an event in it: of a text, a call or the step itself. */
  #answer(event: HostEvent): HostRecord[] {
    const { type, sessionID, data, createdMs } = event;
    const messageID = answerOf(data);
    const [, kind, action = ""] = OF_ANSWER.exec(type) ?? [];
    if (messageID === undefined || kind === undefined) return [];
    const known = this.#answers.get(messageID);
    const answer = known ?? { type: "assistant", content: [], time: { created: createdMs } };
    if (known === undefined) this.#know(messageID, answer);
    if (kind === "text" || kind === "reasoning") {
      const part = textIn(answer, kind, event);
      reach(answer, part);
      if (action === "delta") return streamed(answer, part, event);
      changeText(part, event, action);
    } else if (kind === "tool") {
      changeCall(answer, event, action);
    } else if (action === "started") {
      // A repeated step continues the same message but numbers its texts from 0 again.
      Object.assign(answer, data, { before: answer.reached ?? 0 });
    } else {
      Object.assign(answer, data, { time: { ...answer.time, completed: createdMs } });
    }
    const records = messageRecords2({ sessionID, messageID }, answer);
    if (type !== "session.step.failed") return records;
    const error = fieldOf(data, "error");
    this.#stepError = errorKey(error);
    const isInterrupted = stringOf(error, "type") === "aborted";
    return isInterrupted ? records : [...records, eventRecord(event, "error", errorFields(error))];
  }

  #know(messageID: string, answer: Answer): void {
    this.#answers.set(messageID, answer);
    dropOldest(this.#answers, MAX_ANSWERS);
  }
}

/** Events that change an answer. Others of it, such as the pieces of a call's arguments, say nothing that is recorded. */
const OF_ANSWER =
  /^session\.(text|reasoning|tool|step)\.(started|delta|ended|input\.started|called|progress|success|failed)$/;

function ofKind(answer: Answer | undefined, kind: unknown): Part[] {
  return answer?.content.filter(({ type }) => type === kind) ?? [];
}

/** Returns the text that an event changes. Adds it if it is new. */
function textIn({ content, before = 0, ...answer }: Answer, kind: string, { data, createdMs }: HostEvent): Part {
  const ofAttempt = ofKind({ ...answer, content: content.slice(before) }, kind);
  const known = ofAttempt[numberOf(data, "ordinal") ?? 0];
  if (known !== undefined) return known;
  const part: Part = { type: kind, text: "", time: { created: createdMs } };
  content.push(part);
  return part;
}

/** Returns the record of a piece of a text. */
function streamed(answer: Answer, part: Part, { sessionID, data }: HostEvent): HostRecord[] {
  const delta = stringOf(data, "delta") ?? "";
  const messageID = answerOf(data);
  const time = fieldsOf(part, "time");
  // It is whole if it comes from the host's store, which may be ahead of the events.
  const isWhole = time?.["created"] === undefined || time["completed"] !== undefined;
  if (messageID === undefined || isWhole) return [];
  part["text"] = (stringOf(part, "text") ?? "") + delta;
  const reasoning = part["type"] === "reasoning";
  const number = ofKind(answer, part["type"]).indexOf(part);
  const partID = textId(messageID, reasoning ? "reasoning" : "text", number);
  return [{ kind: "text_delta", sessionID, messageID, partID, inOrder: true, reasoning, delta }];
}

function changeText(part: Part, { data, createdMs }: HostEvent, action: string): void {
  if (action !== "ended") return;
  part["text"] = stringOf(data, "text") ?? part["text"];
  part["time"] = { ...fieldsOf(part, "time"), completed: createdMs };
}

function isCall(callID: string | undefined): (part: Fields) => boolean {
  return (part) => part["type"] === "tool" && part["id"] === callID;
}

function reach(answer: Answer, part: Part): void {
  answer.reached = Math.max(answer.reached ?? 0, answer.content.indexOf(part) + 1);
}

function changeCall(answer: Answer, { data, createdMs }: HostEvent, action: string): void {
  const { content } = answer;
  const callID = callOf(data);
  if (callID === undefined) return;
  const known = content.find(isCall(callID));
  const call: Part = known ?? { type: "tool", id: callID, name: "unknown", state: { status: "streaming" } };
  if (known === undefined) content.push(call);
  reach(answer, call);
  const state = fieldsOf(call, "state") ?? {};
  const time = fieldsOf(call, "time");
  // The host's store may be ahead of its events.
  const hasEnded = state["status"] === "completed" || state["status"] === "error";
  switch (action) {
    case "input.started":
      call["name"] = textOf(data, "name") ?? call["name"];
      return;
    case "called":
      call["state"] = { status: "running", ...(hasEnded ? state : {}), input: fieldOf(data, "input") ?? {} };
      call["time"] = { ...time, ran: createdMs };
      return;
    case "progress":
      if (!hasEnded) call["state"] = { ...state, ...result(data) };
      return;
    case "success":
    case "failed": {
      const status = action === "success" ? "completed" : "error";
      // A result replaces what the tool had returned before; a failure may lack it.
      const before = action === "success" ? given({ input: state["input"] }) : state;
      const lacks = action === "failed" && listOf(data, "content").length === 0;
      call["state"] = { ...before, ...result(data), ...(lacks ? given({ content: state["content"] }) : {}), status };
      call["time"] = { ...time, completed: createdMs };
      return;
    }
    default:
  }
}

/** Returns the records of a message, some of whose fields are in the event. */
function message(
  { sessionID, createdMs }: HostEvent,
  messageID: string,
  type: string | undefined,
  fields: Fields | undefined,
  time: Fields = { created: createdMs },
): HostRecord[] {
  return messageRecords2({ sessionID, messageID }, { ...fields, type, time });
}

/** Returns the fields of an event that are part of a call's stored state. */
function result({ content, structured, metadata, error, result }: Fields): Fields {
  return given({ content, structured, metadata, error, result });
}

/** Returns the id of a prompt, under the newest name or that of the preview. */
function inputOf(data: Fields): string | undefined {
  return textOf(data, "inboxID") ?? textOf(data, "inputID");
}

function callOf(data: Fields): string | undefined {
  return textOf(data, "callID") ?? textOf(data, "id");
}

/** Returns the id of the assistant's message that an event is about. */
function answerOf(data: Fields): string | undefined {
  return textOf(data, "assistantMessageID") ?? textOf(data, "messageID");
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  dropOldest(map, MAX_KNOWN);
}

/** Returns the id of the message that the host creates from an event. */
function messageOf({ id: eventID, sessionID }: HostEvent): string {
  return eventID === undefined ? `${sessionID}/event` : eventID.replace(/^evt_/, "msg_");
}

export function directoryIn(info: Fields): string | undefined {
  return textOf(fieldsOf(info, "location"), "directory") ?? textOf(info, "directory");
}

/** Returns the record of a session, as it is in events and in the host's context. */
export function locatedSession(
  sessionID: string,
  info: Fields,
  { directory, createdMs, isNew = false }: { directory?: string; createdMs?: number; isNew?: boolean } = {},
): SessionRecord {
  return {
    ...given({ directory, createdMs }),
    host: "opencode 2",
    ...sessionRecord(sessionID, info, isNew),
    ...given({ directory: directoryIn(info) }),
  };
}

function errorKey(error: unknown): string {
  return JSON.stringify([stringOf(error, "type"), stringOf(error, "message")]);
}

function errorFields(error: unknown): EventFields {
  const name = textOf(error, "type");
  return { text: textOf(error, "message") ?? name, data: given({ name }) };
}

function forkFields(data: Fields): EventFields {
  const sessionID = textOf(data, "parentID");
  const what = sessionID === undefined ? "another session" : `session ${sessionID}`;
  return { text: `Forked from ${what}: the conversation so far is a copy.`, data: given({ sessionID }) };
}

const INTERRUPTIONS: ReadonlyMap<string | undefined, string> = new Map([
  ["user", "The user interrupted the session."],
  ["shutdown", "The session was interrupted: opencode was shut down."],
]);

function interruption(reason: string | undefined): EventFields {
  const why = reason === undefined ? "The session was interrupted." : `The session was interrupted (${reason}).`;
  return { text: INTERRUPTIONS.get(reason) ?? why, data: { name: "interrupted", ...given({ reason }) } };
}

function retryFields(data: Fields): EventFields {
  return { text: stringOf(fieldsOf(data, "error"), "message"), data: given({ attempt: numberOf(data, "attempt") }) };
}

function permissionFields(data: Fields): EventFields {
  const permission = stringOf(data, "action") ?? "";
  const patterns = listOf(data, "resources").filter((resource) => typeof resource === "string");
  const callID = textOf(fieldsOf(data, "source"), "callID") ?? textOf(fieldsOf(data, "source"), "id");
  return {
    text: [permission, ...patterns].join(" "),
    data: callID === undefined ? { permission, patterns } : undefined,
    callID,
    requestID: textOf(data, "id"),
  };
}

function answerFields(data: Fields): EventFields {
  const answers = Object.values(fieldsOf(data, "answer") ?? {});
  const shown = answers.map((answer) => [answer].flat().map(shownAnswer).join(", "));
  return { text: shown.join("\n"), requestID: textOf(data, "id") };
}

function shownAnswer(answer: unknown): string {
  return typeof answer === "string" ? answer : JSON.stringify(answer);
}
