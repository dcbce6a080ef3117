/** Actions of a host, as data: an event of its bus or the call of a hook. Written by hand, in opencode's shapes. */
import type { EventTranslator } from "../../../src/host/opencode-1/events.ts";
import { callHints, promptRecords, resultHints } from "../../../src/host/opencode-1/hook-records.ts";
import type { HostRecord } from "../../../src/transcript/records.ts";

export type HookName = "chat.message" | "tool.execute.before" | "tool.execute.after";

export type HostStep =
  | { kind: "event"; event: unknown }
  | { kind: "hook"; name: HookName; input: unknown; output: unknown };

/** The records of a step, as the plugin's hooks make them. */
export function recordsOf(translator: EventTranslator, step: HostStep): HostRecord[] {
  if (step.kind === "event") return translator.translate({ event: step.event });
  if (step.name === "chat.message") return promptRecords(translator, step.input, step.output);
  const make = step.name === "tool.execute.before" ? callHints : resultHints;
  return make(step.input, step.output);
}

export interface PartPlace {
  sessionID: string;
  messageID: string;
  id: string;
}

let eventSerial = 0;

/** An event with an id of its own. Sending the same object again is sending the same event again. */
export function event(type: string, properties: unknown): HostStep {
  eventSerial += 1;
  return { kind: "event", event: { id: `evt_${String(eventSerial).padStart(9, "0")}`, type, properties } };
}

export function hook(name: HookName, input: unknown, output: unknown): HostStep {
  return { kind: "hook", name, input, output };
}

export function sessionInfo(sessionID: string, more: object = {}): object {
  const time = { created: 1_700_000_000_000, updated: 1_700_000_000_000 };
  return { id: sessionID, title: "A session", directory: "/project", version: "1.18.33", time, ...more };
}

export function session(type: "created" | "updated" | "deleted", sessionID: string, more: object = {}): HostStep {
  return event(`session.${type}`, { sessionID, info: sessionInfo(sessionID, more) });
}

export function status(sessionID: string, type: "busy" | "idle" | "retry", more: object = {}): HostStep {
  return event("session.status", { sessionID, status: { type, ...more } });
}

export function abortError(sessionID: string): HostStep {
  return event("session.error", { sessionID, error: { name: "MessageAbortedError", data: { message: "Aborted" } } });
}

export function message(sessionID: string, id: string, role: "user" | "assistant", more: object = {}): HostStep {
  return event("message.updated", { sessionID, info: messageInfo(sessionID, id, role, more) });
}

export function messageInfo(sessionID: string, id: string, role: "user" | "assistant", more: object = {}): object {
  const model =
    role === "user" ? { model: { providerID: "acme", modelID: "m1" } } : { providerID: "acme", modelID: "m1" };
  return { id, sessionID, role, agent: "build", time: { created: 1_700_000_000_000 }, ...model, ...more };
}

/** `more` with which the host says that an assistant's message is over. */
export const COMPLETED = { time: { created: 1_700_000_000_000, completed: 1_700_000_001_000 }, finish: "stop" };
export const ABORTED = {
  time: { created: 1_700_000_000_000, completed: 1_700_000_001_000 },
  error: { name: "MessageAbortedError", data: { message: "Aborted" } },
};

/** `place` may hold more than the ids; only those are taken over. */
export function part(place: PartPlace, type: string, more: object): HostStep {
  const { sessionID, messageID, id } = place;
  return event("message.part.updated", { sessionID, part: { id, sessionID, messageID, type, ...more }, time: 1 });
}

export const STARTED = { time: { start: 1_700_000_000_100 } };
export const ENDED = { time: { start: 1_700_000_000_100, end: 1_700_000_000_200 } };

/** The assistant's text or reasoning while it is streamed. */
export function openText(place: PartPlace, text = "", type: "text" | "reasoning" = "text"): HostStep {
  return part(place, type, { text, ...STARTED });
}

export function wholeText(place: PartPlace, text: string, type: "text" | "reasoning" = "text"): HostStep {
  return part(place, type, { text, ...ENDED });
}

export function delta({ sessionID, messageID, id }: PartPlace, text: string): HostStep {
  return event("message.part.delta", { sessionID, messageID, partID: id, field: "text", delta: text });
}

export function userText(place: PartPlace, text: string, more: object = {}): HostStep {
  return part(place, "text", { text, ...more });
}

export interface CallPlace extends PartPlace {
  callID: string;
  tool: string;
}

export function call(place: CallPlace, state: object): HostStep {
  return part(place, "tool", { tool: place.tool, callID: place.callID, state });
}

export const PENDING = { status: "pending", input: {}, raw: "" };

export function running(input: unknown, metadata: object = {}): object {
  return { status: "running", input, metadata, ...STARTED };
}

export function completed(input: unknown, output: string, more: object = {}): object {
  return { status: "completed", input, output, title: "", metadata: {}, ...ENDED, ...more };
}

export function failed(input: unknown, error: string, metadata?: object): object {
  return { status: "error", input, error, ...(metadata ? { metadata } : {}), ...ENDED };
}

export function before({ sessionID, callID, tool }: CallPlace, args: unknown): HostStep {
  return hook("tool.execute.before", { tool, sessionID, callID }, { args });
}

export function after({ sessionID, callID, tool }: CallPlace, args: unknown, output: string): HostStep {
  return hook("tool.execute.after", { tool, sessionID, callID, args }, { title: "", output, metadata: {} });
}

export function stepFinish(
  place: PartPlace,
  tokens: { input: number; output: number } = { input: 10, output: 2 },
): HostStep {
  const counts = { ...tokens, reasoning: 0, cache: { read: 0, write: 0 } };
  return part(place, "step-finish", { reason: "stop", cost: 0.01, tokens: counts });
}
