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
import {
  callRecords2,
  messageRecords2,
  textPlace,
  type MessagePlace,
  type TextKind,
} from "../../agents/opencode/opencode-2-message.ts";

/** Maximum number of unfinished calls, prompts and messages in memory. */
const MAX_UNDER_WAY = 1_000;

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

interface CallUnderWay {
  tool: string;
  /** True if its input has arrived. */
  isCalled: boolean;
  /** Result so far, which the host's failure event may lack. */
  progress?: unknown;
}

/**
 * Translates the opencode 2.x events of one session into records. Supports the names and fields of the preview of July
 * 2026 and of the newest sources; unknown events produce no record.
 */
export class SessionTranslator {
  /** Prompts that the host has not sent to the model yet. */
  readonly #prompts = new Map<string, Fields>();
  readonly #calls = new Map<string, CallUnderWay>();
  /** Number of texts by message and kind: of all attempts of the step, and of the earlier ones. */
  readonly #texts = new Map<string, { before: number; next: number }>();
  /** Messages in conversation order, since the event of a committed revert names only the first. */
  readonly #messages = new Map<string, true>();
  /** Forms with which the model asks the user. Other forms, such as a login, are not part of the conversation. */
  readonly #questions = new Map<string, true>();
  #compactionID: string | undefined;
  /** The session was created during the recording. */
  #isNew = false;
  /** Error of the last step; the host reports it again for the whole execution. */
  #stepError: string | undefined;

  /**
   * Returns the records of one event; undefined if it needs an earlier event that did not arrive: the text of a prompt,
   * or the tool or input of a call.
   */
  translate(event: HostEvent): HostRecord[] | undefined {
    const { type, data } = event;
    if (type === "session.inbox.delivered") return this.#delivered(event);
    if (/^session\.tool\.(?:called|success|failed)$/.test(type)) {
      const known = this.#calls.get(callOf(data)?.key ?? "");
      // Calls with arguments that are not JSON fail without a `called` event; the host stores them too.
      if (known === undefined || (type !== "session.tool.called" && !known.isCalled)) return undefined;
    }
    return this.translateAlone(event);
  }

  /** Returns true if the event belongs to a message whose beginning did not arrive. */
  lacksMessage({ data }: HostEvent): boolean {
    const messageID = textOf(data, "assistantMessageID");
    return messageID !== undefined && !this.#messages.has(messageID);
  }

  /** Remembers which messages the session has, from events or from the host's store. */
  heard(record: HostRecord): void {
    if (record.kind === "session" && record.isNew) this.#isNew = true;
    if ("messageID" in record && record.kind !== "removal" && !this.#messages.has(record.messageID))
      remember(this.#messages, record.messageID, true);
  }

  /**
   * Returns the stored records from the first known message on. Earlier ones belong to the time before the
   * recording, and what is unfinished in them was cut off then.
   */
  sinceHeard(stored: readonly HostRecord[]): readonly HostRecord[] {
    if (this.#isNew) return stored;
    const first = stored.findIndex((record) => "messageID" in record && this.#messages.has(record.messageID));
    return first < 0 ? stored : stored.slice(first);
  }

  /** Returns the records of an event without the earlier one that it needs. */
  translateAlone(event: HostEvent): HostRecord[] {
    const { type, sessionID, data, directory, createdMs } = event;
    const known = given({ directory, createdMs });
    const told = (name: string, fields: EventFields): HostRecord[] => [eventRecord(event, name, fields)];
    const activity = (state: ActivityRecord["state"]): HostRecord => ({ kind: "activity", sessionID, state });
    switch (type) {
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
        return this.#step(event);
    }
  }

  #delivered(event: HostEvent): HostRecord[] | undefined {
    const inputID = inputOf(event.data);
    if (inputID === undefined) return [];
    const item = this.#prompts.get(inputID);
    if (item === undefined) return undefined;
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
    const { type, data } = event;
    switch (type) {
      case "session.compaction.started":
        this.#compactionID = inputOf(data) ?? messageOf(event);
        return message(event, this.#compactionID, "compaction", data);
      case "session.compaction.ended": {
        const messageID = inputOf(data) ?? this.#compactionID;
        this.#compactionID = undefined;
        if (messageID === undefined) return [];
        const summary = stringOf(data, "text") ?? "";
        return message(event, messageID, "compaction", { ...data, status: "completed", summary });
      }
      case "session.compaction.failed": {
        const messageID = inputOf(data) ?? this.#compactionID;
        this.#compactionID = undefined;
        const failed = eventRecord(event, "error", errorFields(fieldOf(data, "error")));
        // The event has its usage, too.
        return messageID === undefined ? [failed] : [...message(event, messageID, "compaction", data), failed];
      }
      default:
        return [];
    }
  }

  /** Returns the records of an event in the model's answer: a text, a call or the step itself. */
  #step(event: HostEvent): HostRecord[] {
    const { type, sessionID, data, createdMs } = event;
    const messageID = textOf(data, "assistantMessageID") ?? textOf(data, "messageID");
    if (messageID === undefined) return [];
    const [, kind = "", action = ""] = /^session\.(text|reasoning|tool|step)\.(.+)$/.exec(type) ?? [];
    switch (kind) {
      case "text":
      case "reasoning":
        return this.#text(event, { sessionID, messageID }, kind, action);
      case "tool":
        return this.#tool(event, { sessionID, messageID }, action);
      default:
    }
    switch (action) {
      case "started":
        this.#beginAttempt(messageID);
        return message(event, messageID, "assistant", data);
      case "ended":
        return message(event, messageID, "assistant", data, { completed: createdMs });
      case "failed": {
        const error = fieldOf(data, "error");
        this.#stepError = errorKey(error);
        const records = message(event, messageID, "assistant", data, { completed: createdMs });
        const isInterrupted = stringOf(error, "type") === "aborted";
        return isInterrupted ? records : [...records, eventRecord(event, "error", errorFields(error))];
      }
      default:
        return [];
    }
  }

  /** Handles a repeated step: it continues the same message but numbers its texts from 0 again. */
  #beginAttempt(messageID: string): void {
    for (const kind of ["text", "reasoning"]) {
      const known = this.#texts.get(`${messageID}/${kind}`);
      if (known) known.before = known.next;
    }
  }

  #text({ data, createdMs }: HostEvent, of: MessagePlace, kind: TextKind, action: string): HostRecord[] {
    const place = textPlace(of, kind, this.#numberOf(of.messageID, kind, numberOf(data, "ordinal") ?? 0));
    const record = { kind: "text" as const, ...place, reasoning: kind === "reasoning" };
    switch (action) {
      case "started":
        return [{ ...record, done: false, ...given({ startMs: createdMs }) }];
      case "delta":
        return [{ kind: "text_delta", ...place, reasoning: record.reasoning, delta: stringOf(data, "delta") ?? "" }];
      case "ended":
        return [{ ...record, done: true, ...given({ text: stringOf(data, "text"), endMs: createdMs }) }];
      default:
        return [];
    }
  }

  #numberOf(messageID: string, kind: TextKind, ordinal: number): number {
    const key = `${messageID}/${kind}`;
    const known = this.#texts.get(key) ?? { before: 0, next: 0 };
    const at = known.before + ordinal;
    known.next = Math.max(known.next, at + 1);
    remember(this.#texts, key, known);
    return at;
  }

  #tool({ data, createdMs }: HostEvent, of: MessagePlace, action: string): HostRecord[] {
    const call = callOf(data);
    if (call === undefined) return [];
    const { key, callID } = call;
    const known = this.#calls.get(key) ?? { tool: "unknown", isCalled: false };
    if (action === "input.started") {
      known.tool = textOf(data, "name") ?? known.tool;
      remember(this.#calls, key, known);
    }
    const record = (status: string, state: Fields, time: Fields = {}): HostRecord[] =>
      callRecords2(of, { id: callID, name: known.tool, state: { ...state, status }, time });
    switch (action) {
      case "input.started":
        return record("streaming", {});
      case "called":
        known.isCalled = true;
        return record("running", { input: fieldOf(data, "input") ?? {} }, { ran: createdMs });
      case "progress":
        known.progress = data;
        return this.#calls.has(key) ? record("running", result(data)) : [];
      case "success":
      case "failed": {
        this.#calls.delete(key);
        const ended = { completed: createdMs };
        if (action === "success") return record("completed", result(data), ended);
        return record("error", result(withProgress(data, known.progress)), ended);
      }
      default:
        return [];
    }
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

/** Returns the stored records of what the event refers to: a prompt with its text, or a call with its input or end. */
export function neededRecords({ type, data }: HostEvent, stored: readonly HostRecord[]): HostRecord[] {
  const inputID = inputOf(data);
  if (inputID !== undefined) {
    const ofPrompt = stored.filter((record) => "messageID" in record && record.messageID === inputID);
    return ofPrompt.some(({ kind }) => kind === "user_part") ? ofPrompt : [];
  }
  const call = callOf(data);
  return stored.filter((record) => {
    if (record.kind !== "call" || `${record.messageID}/${record.callID}` !== call?.key) return false;
    return type === "session.tool.called" ? record.input !== undefined : record.end !== undefined;
  });
}

/** Returns the fields of an event that are part of a call's stored state. */
function result({ content, structured, metadata, error, result }: Fields): Fields {
  return { content, structured, metadata, error, result };
}

/** Adds what the tool had returned before it failed. Newer hosts include it in the failure event. */
function withProgress(failure: Fields, progress: unknown): Fields {
  const of = isFields(progress) ? progress : {};
  const content = listOf(failure, "content").length > 0 ? failure["content"] : of["content"];
  const structured =
    fieldOf(failure, "metadata") ?? fieldOf(failure, "structured") ?? of["metadata"] ?? of["structured"];
  return { ...failure, ...given({ content, metadata: structured }) };
}

/** Returns the id of a prompt, under the newest name or that of the preview. */
function inputOf(data: Fields): string | undefined {
  return textOf(data, "inboxID") ?? textOf(data, "inputID");
}

function callOf(data: Fields): { key: string; callID: string } | undefined {
  const callID = textOf(data, "callID") ?? textOf(data, "id");
  return callID === undefined ? undefined : { callID, key: `${textOf(data, "assistantMessageID") ?? ""}/${callID}` };
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  dropOldest(map, MAX_UNDER_WAY);
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
